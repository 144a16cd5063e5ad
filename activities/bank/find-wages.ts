import { recognise, type Credit, type Recognised } from '../../domain/bank/wages.ts';
import * as queries from '../../infra/db/queries/bank-wages.ts';
import { connectionById } from '../../infra/db/queries/bank.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { auditAll, type AuditEntry } from '../audit.ts';
import { startPaydays } from '../payday/start.ts';
import { requireConnection } from './record.ts';
import { boundsOf, knownOf } from './wage-rows.ts';
import { readCredits, sealWagePayer, type ReadCredits } from './wage-texts.ts';

type Needs = Pick<Services, 'clock' | 'db' | 'keys' | 'metrics' | 'newId' | 'outbox' | 'tracing'>;

/** A step of the workflow. Asks no bank, and does no more if it is repeated. */
export async function findWages(services: Needs, { connection_id }: { connection_id: string }): Promise<void> {
  const { owner_id } = requireConnection(await services.db.maybe(connectionById(connection_id)));
  await findWagesOf(services, owner_id);
}

/** Recognises the wages among what banks have reported of this owner. */
export async function findWagesOf(services: Needs, ownerId: string): Promise<void> {
  const rows = await services.db.many(queries.otherCredits(boundsOf(ownerId)));
  const read = await readCredits(services, rows, await services.db.many(queries.payersOf(ownerId)));
  await services.db.transaction(async (tx) => {
    await tx.run(queries.lockWagesOf(ownerId));
    const recognised = recognise(await knownOf(tx, ownerId, read.naming));
    await store(tx, services, ownerId, readable(recognised, read));
  });
}

/** A credit that arrived after the texts were read is left to the sync that stored it. */
function readable(recognised: Recognised, { secrets, payers }: ReadCredits) {
  const isRead = ({ credit }: { credit: Credit }) => payers.has(credit.transactionId);
  const sealed = async (wageId: string, { accountId, transactionId }: Credit) =>
    sealWagePayer(secrets.get(accountId)!, wageId, payers.get(transactionId)!);
  return {
    ...recognised,
    found: recognised.found.filter(isRead),
    relinked: recognised.relinked.filter(isRead),
    sealed,
  };
}

async function store(
  tx: Tx,
  services: Needs,
  ownerId: string,
  { found, relinked, dropped, reversed, sealed }: ReturnType<typeof readable>,
): Promise<void> {
  const at = await services.clock.now(tx);
  const added = await Promise.all(
    found.map(async ({ credit, matchedBy: matched_by, status }): Promise<queries.NewWage> => {
      const wage_id = services.newId('wage');
      const { accountId: account_id, transactionId: transaction_id, amount, bookedOn: received_on } = credit;
      const { payerHash: payer_hash, counterpartyHash: counterparty_hash } = credit;
      const confirmed_at = status === 'confirmed' ? at.toISOString() : null;
      const payer_sealed = await sealed(wage_id, credit);
      const parties = { payer_hash, counterparty_hash, payer_sealed };
      const of = { wage_id, owner_id: ownerId, account_id, transaction_id, amount, received_on };
      return { ...of, ...parties, matched_by, status, confirmed_at, created_at: at.toISOString() };
    }),
  );
  const again = await Promise.all(
    relinked.map(async ({ wageId: wage_id, credit }): Promise<queries.Relinked> => {
      const { accountId: account_id, transactionId: transaction_id, payerHash: payer_hash } = credit;
      return { wage_id, account_id, transaction_id, payer_hash, payer_sealed: await sealed(wage_id, credit) };
    }),
  );
  // First: a wage can get the transaction of one that is dropped.
  if (dropped.length > 0) await tx.run(queries.deleteWages(dropped));
  if (again.length > 0) await tx.run(queries.relinkWages(again));
  if (added.length > 0) await tx.run(queries.insertWages(added));
  if (reversed.length > 0) await tx.run(queries.reverseWages(reversed));
  const confirmed = added.filter(({ status }) => status === 'confirmed');
  const wageIds = confirmed.map(({ wage_id }) => wage_id);
  await startPaydays(tx, services, { ownerId, wageIds, at });
  const event = (subject: string, kind: AuditEntry['kind'], data = {}) => ({
    subject,
    kind,
    actor: 'service',
    data,
    at,
  });
  await auditAll(tx, services, [
    ...confirmed.map(({ wage_id, matched_by }) => event(wage_id, 'wage.confirmed', { matched_by })),
    ...added.filter(({ status }) => status === 'reversed').map(({ wage_id }) => event(wage_id, 'wage.reversed')),
    ...reversed.map((wageId) => event(wageId, 'wage.reversed')),
  ]);
  tx.afterCommit(() => {
    for (const { status } of added) services.metrics.bankWages.inc({ status });
    services.metrics.bankWages.inc({ status: 'reversed' }, reversed.length);
  });
}
