import { restartLooks, restartSyncs, startDueLooks, startDueSyncs } from '../../activities/bank/due.ts';
import { recordConsentEvent } from '../../activities/bank/look.ts';
import { lockConnection, needReauthorisation } from '../../activities/bank/record.ts';
import { retentionActivities } from '../../activities/retention.ts';
import type { ConnectionStatus } from '../../domain/bank/connections.ts';
import { BankError, type ConsentState } from '../../infra/bank/interface.ts';
import { consentById } from '../../infra/db/queries/bank.ts';
import { playedAccount, playedRow, withReaders } from '../helpers/bank-books.ts';
import { ownerSql } from '../helpers/owner.ts';

const { local, services, bank, sql, syncs, at, rowOf, person } = withReaders();
beforeEach(() => void (local.accountList = [playedAccount({ rows: [playedRow()] })]));

async function connected() {
  const { connect, ...who } = await person();
  const connection_id = await connect();
  const { consent_id, consent_ref } = await services.db.one(consentById((await rowOf(connection_id)).consent_id!));
  const status = async () => (await rowOf(connection_id)).status;
  return { ...who, connection_id, consent_id, consent_ref, consent: local.consents.get(consent_ref)!, status };
}

const messages = async (workflow_id: string) =>
  (await sql.many<{ kind: string }>('select kind from outbox_messages where workflow_id = $1', [workflow_id])).map(
    ({ kind }) => kind,
  );

test.each<[ConsentState, ConnectionStatus, ConnectionStatus]>([
  ['awaiting', 'authorised', 'reauthorisation_needed'],
  ['authorised', 'authorised', 'authorised'],
  ['reauthorise', 'reauthorisation_needed', 'reauthorisation_needed'],
  ['expired', 'expired', 'expired'],
  ['revoked', 'revoked', 'revoked'],
  ['rejected', 'revoked', 'revoked'],
  ['unknown', 'revoked', 'revoked'],
])(
  'a consent that the bank calls %s makes an authorised connection %s, and one that waits %s',
  async (state, now, waiting) => {
    for (const [begins, becomes] of [['authorised', now] as const, ['waits', waiting] as const]) {
      const { connection_id, consent_id, consent, status } = await connected();
      if (begins === 'waits') {
        await services.db.transaction(async (tx) =>
          needReauthorisation(await lockConnection(tx, connection_id), services, { actor: 'service' }),
        );
      }
      consent.state = state;
      expect(await syncs.lookAtConsent({ consent_id })).toBe(becomes);
      expect(await status()).toBe(becomes);
      expect(await messages(consent_id)).toEqual(['expired', 'revoked'].includes(becomes) ? ['bank.end'] : []);
    }
  },
);

test.each<[string, BankError['kind'], ConsentState, ConnectionStatus, string]>([
  ['refuses the token', 'reauthorise', 'reauthorise', 'reauthorisation_needed', 'reauthorisation-needed'],
  ['refuses the token of a revoked consent', 'reauthorise', 'revoked', 'revoked', 'consent-ended'],
  ['refuses one account and takes the token', 'reauthorise', 'authorised', 'authorised', 'account-error'],
  ['says that the consent is over', 'ended', 'authorised', 'revoked', 'consent-ended'],
])(
  'a sync during which the bank %s asks for the consent, and believes that',
  async (_what, kind, state, becomes, reason) => {
    const { connection_id, consent, status } = await connected();
    await syncs.sync(connection_id);
    consent.state = state;
    local.onRead = () => {
      throw new BankError(kind, 'played');
    };
    await syncs.sync(connection_id);
    expect(await status()).toBe(becomes);
    expect(await rowOf(connection_id)).toMatchObject({ sync_reason: reason });
  },
);

test('an event asks the bank at once, and ends nothing by itself; a change of accounts has them listed again', async () => {
  const { connection_id, consent_id, consent_ref, status } = await connected();
  await syncs.sync(connection_id);
  await sql.run('delete from outbox_messages');
  const news = { bank_id: 'played-local', consent_ref };
  expect(await recordConsentEvent(services, { ...news, consent_ref: 'unknown', what: 'revoked' })).toBe(false);
  expect(await recordConsentEvent(services, { ...news, bank_id: 'played-journey', what: 'revoked' })).toBe(false);
  expect(await recordConsentEvent(services, { ...news, what: 'revoked' })).toBe(true);
  expect([await status(), await messages(consent_id)]).toEqual(['authorised', ['bank.look']]);
  await restartLooks(services);
  expect(await messages(consent_id)).toHaveLength(2);
  await syncs.lookAtConsent({ consent_id });
  await restartLooks(services);
  expect(await messages(consent_id)).toHaveLength(2);
  // A sync is running that has listed nothing.
  await syncs.request(connection_id);
  const open = await syncs.openSync({ connection_id });
  await recordConsentEvent(services, { ...news, what: 'accounts-changed' });
  await syncs.finishSync({ connection_id, ...open!, reasons: [], wait_until: null });
  expect(await syncs.openSync({ connection_id })).toMatchObject({ lists: true });
});

test('the schedule reads every twelve hours by four reads a day, looks daily, and starts lost syncs again', async () => {
  local.traits = { ...local.traits, unattendedPerDay: 4 };
  const { principal, connection_id, consent_id } = await connected();
  const due = async () => {
    await startDueSyncs(services);
    return (await syncs.openSync({ connection_id })) !== null;
  };
  expect(await due()).toBe(true);
  await sql.run('delete from outbox_messages');
  await restartSyncs(services, { silent_for_s: 60, limit: 10 });
  expect(await messages(connection_id)).toEqual([]);
  await restartSyncs(services, { silent_for_s: -1, limit: 10 });
  expect(await messages(connection_id)).toEqual(['bank.sync']);
  await syncs.run(connection_id);
  expect(await due()).toBe(false);
  await sql.run(`update bank_reads set read_at = read_at - interval '12 hours'`);
  expect(await due()).toBe(true);
  local.onRead = () => {
    throw new BankError('configuration', 'played');
  };
  await syncs.run(connection_id);
  await sql.run(`update bank_reads set read_at = read_at - interval '1 day'`);
  await sql.run(`update bank_connections set sync_outcome = 'failed' where connection_id = $1`, [connection_id]);
  expect(await due()).toBe(false);
  await sql.run(`update bank_connections set synced_at = now() - interval '61 minutes' where connection_id = $1`, [
    connection_id,
  ]);
  expect(await due()).toBe(true);
  await startDueLooks(services);
  expect(await messages(consent_id)).toEqual([]);
  await sql.run(`update bank_consents set looked_at = now() - interval '25 hours' where consent_id = $1`, [consent_id]);
  await startDueLooks(services);
  expect(await messages(consent_id)).toEqual(['bank.look']);
  await bank.disconnectBank({ connection_id, principal });
  await sql.run('delete from bank_syncs');
  await startDueLooks(services);
  expect([await due(), await messages(consent_id)]).toEqual([false, ['bank.look']]);
});

test('rows stay for 400 days, and those of an ended connection for 30', async () => {
  const { principal, user_id, connection_id, consent_id } = await connected();
  const other = await connected();
  const row = (bookedOn: string) => playedRow({ bookedOn });
  local.accountList = [playedAccount({ rows: [row('2025-10-30'), row('2026-11-28')] }), playedAccount()];
  await syncs.sync(connection_id);
  local.accountList = [playedAccount({ rows: [row('2026-11-28')] })];
  await syncs.sync(other.connection_id);
  const left = async () => {
    await retentionActivities(services).purgeExpiredAuth();
    const counts = await sql.many<{ accounts: number; rows: number; links: number; reads: number }>(
      `select count(*) as accounts, (select count(*) from bank_transactions t where t.owner_id = $1) as rows,
              (select count(*) from bank_account_links where connection_id = $2) as links,
              (select count(*) from bank_reads where owner_id = $1) as reads
         from bank_accounts where owner_id = $1`,
      [user_id, connection_id],
    );
    return Object.values(counts[0]!);
  };
  expect(await left()).toEqual([2, 2, 2, 2]);
  await sql.run(`update bank_reads set read_at = now() - interval '49 hours' where owner_id = $1`, [user_id]);
  await at('2026-12-05T00:00:00Z');
  expect(await left()).toEqual([2, 1, 2, 0]);
  await bank.disconnectBank({ connection_id, principal });
  expect(await left()).toEqual([2, 1, 2, 0]);
  await endedAgo(consent_id, 30);
  expect(await left()).toEqual([0, 0, 0, 0]);
  expect(await sql.many('select 1 from bank_transactions where owner_id = $1', [other.user_id])).toHaveLength(1);
});

/** As if the days had gone by. */
async function endedAgo(consent_id: string, days: number): Promise<void> {
  await ownerSql(
    services,
    `with gone as (delete from bank_consents where consent_id = $1 returning *)
     insert into bank_consents (consent_id, owner_id, bank_id, consent_ref, kind, created_at, end_requested_at, ended_at)
     select consent_id, owner_id, bank_id, consent_ref || ' ', kind, created_at, end_requested_at - $2 * interval '1 day', ended_at from gone`,
    [consent_id, days],
  );
}
