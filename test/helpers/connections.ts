import { connectBank, prepareConnection } from '../../activities/bank/connect.ts';
import { bankActivities } from '../../activities/bank/index.ts';
import { authoriseConnection, lockConnection, sealGrant } from '../../activities/bank/record.ts';
import { reauthoriseConnection, reconfirmConnection } from '../../activities/bank/renew.ts';
import { bankJourneyActivities } from '../../activities/bank/settle.ts';
import { pence } from '../../domain/money.ts';
import type { BeginOrder } from '../../infra/bank/interface.ts';
import { connectionById } from '../../infra/db/queries/bank.ts';
import type { Services } from '../../infra/services.ts';
import { afterPreparing, inTransactions } from './in-transactions.ts';
import { sqlOf } from './oauth.ts';
import type { PlayedBanks } from './played-banks.ts';

/** The activities of the module. An activity of a transaction runs in a transaction of its own. */
export const connectionsOf = (services: Services) => ({
  ...bankActivities(services),
  ...inTransactions(services, { reauthoriseConnection, reconfirmConnection }),
  connectBank: afterPreparing(services, prepareConnection, connectBank),
});

const STARTS_ON = '2026-11-29';

/** Goes to the played bank and back, as a person does. `order` changes what is asked there. */
export async function authorise(
  services: Services,
  banks: PlayedBanks,
  connection_id: string,
  order: Partial<BeginOrder> = {},
): Promise<void> {
  const row = await services.db.one(connectionById(connection_id));
  const { port, redirectUri } = banks.all.find(({ bankId }) => bankId === row.bank_id)!;
  const limits = { perPayment: pence(row.per_payment ?? 1), perMonth: pence(row.per_month ?? 1), validUntil: null };
  const payee = { name: 'Energy', sortCode: '401276', accountNumber: '12345678' };
  const pays = {
    payee,
    limits: { ...limits, validUntil: row.valid_until },
    vrpType: 'other',
    from: STARTS_ON,
  } as const;
  const asked: BeginOrder = {
    ...{ kind: row.kind, institutionId: row.institution_id, redirectUri, state: `state-${row.version}` },
    payments: row.kind === 'payments' ? pays : null,
    ...order,
  };
  const { sendTo, secret } = await port.begin(asked);
  const finished = await port.finish({ order: asked, answer: port.answerOf(sendTo), secret });
  if (finished.kind !== 'authorised') throw new Error(`the played bank says ${JSON.stringify(finished)}`);
  const grant = await sealGrant(services, row, finished);
  await services.db.transaction(async (tx) => {
    const locked = await lockConnection(tx, connection_id);
    await authoriseConnection(locked, services, { grant, startsOn: STARTS_ON, actor: row.owner_id });
  });
}

/** Does the work of the workflows of all journeys, and of all consents that are to end. */
export async function settleJourneys(services: Services): Promise<void> {
  const sql = sqlOf(services);
  const { settleJourney } = bankJourneyActivities(services);
  for (const journey of await sql.many<{ journey_id: string }>('select journey_id from bank_journeys'))
    await settleJourney(journey);
  const ends = 'select consent_id from bank_consents where end_requested_at is not null';
  for (const consent of await sql.many<{ consent_id: string }>(ends))
    await bankActivities(services).endConsent(consent);
}
