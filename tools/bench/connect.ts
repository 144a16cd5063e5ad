import { readFileSync } from 'node:fs';
import { authoriseConnection, lockConnection, sealGrant } from '../../activities/bank/record.ts';
import { AUTHORISE_WITHIN_MIN, vrpTypeFor } from '../../domain/bank/connections.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { MAX_AMOUNT, pence } from '../../domain/money.ts';
import { SANDBOX_PAYEES } from '../../domain/sandbox-payees.ts';
import type { BeginOrder, ConfiguredBank } from '../../infra/bank/interface.ts';
import { insertConnection } from '../../infra/db/queries/bank.ts';
import type { Services } from '../../infra/services.ts';
import { decideAtBank } from '../../test/helpers/bank-customer.ts';
import { progress } from './report.ts';

const JOURNEYS_AT_ONCE = 8;
const TENTHS = 10;
const READS = { provider_id: null, vrp_type: null, per_payment: null, per_month: null, valid_until: null };

export type PaidPayee = (typeof SANDBOX_PAYEES)[number]['providerId'];

/**
 * Each person goes to the sandbox bank, and approves there.
 * @param toPay the payee that the connections pay. Null makes connections that read accounts.
 * @returns the connections.
 */
export async function connectPersons(
  services: Services,
  persons: readonly string[],
  toPay: PaidPayee | null,
): Promise<string[]> {
  const bank = services.banks.all[0]!;
  const ca = readFileSync(services.config.bank.tls.ca, 'utf8');
  const connections: string[] = [];
  const left = persons.values();
  const connectNext = async () => {
    for (const ownerId of left) {
      connections.push(await connect(services, { bank, ca, ownerId, toPay }));
      if (connections.length % Math.ceil(persons.length / TENTHS) === 0)
        progress(`${connections.length} persons are connected`);
    }
  };
  await Promise.all(Array.from({ length: JOURNEYS_AT_ONCE }, connectNext));
  return connections;
}

interface Journey {
  bank: ConfiguredBank;
  ca: string;
  ownerId: string;
  toPay: PaidPayee | null;
}

async function connect(services: Services, { bank, ca, ownerId: owner_id, toPay }: Journey): Promise<string> {
  const connection_id = services.newId('conn');
  const { bankId: bank_id, port, redirectUri } = bank;
  const now = await services.clock.now(services.db);
  const payments = toPay === null ? null : paymentsTo(toPay, { bank, now });
  const kind = payments === null ? ('accounts' as const) : ('payments' as const);
  const order: BeginOrder = { kind, institutionId: null, payments, redirectUri, state: connection_id };
  const { sendTo, secret } = await port.begin(order);
  const back = await decideAtBank(new URL(sendTo), { customer: owner_id, ca });
  const text = back instanceof URL ? back.hash.slice(1) : await back.text();
  const finished = await port.finish({ order, answer: Object.fromEntries(new URLSearchParams(text)), secret });
  if (finished.kind !== 'authorised') throw new Error(`The bank says ${JSON.stringify(finished)}.`);
  const grant = await sealGrant(services, { connection_id, bank_id }, finished);
  await services.db.transaction(async (tx) => {
    const pays = payments === null ? READS : rowOf(toPay!, payments);
    const row = { connection_id, owner_id, bank_id, institution_id: null, return_url: null, kind, ...pays };
    await tx.one(insertConnection({ ...row, created_at: now.toISOString() }, AUTHORISE_WITHIN_MIN));
    const connection = await lockConnection(tx, connection_id);
    await authoriseConnection(connection, services, { grant, startsOn: londonDateOf(now), actor: owner_id });
  });
  return connection_id;
}

type Payments = NonNullable<BeginOrder['payments']>;

function paymentsTo(payee: PaidPayee, { bank, now }: { bank: ConfiguredBank; now: Date }): Payments {
  const { name, sortCode, accountNumber, category } = SANDBOX_PAYEES.find(({ providerId }) => providerId === payee)!;
  return {
    payee: { name, sortCode, accountNumber },
    limits: { perPayment: pence(MAX_AMOUNT), perMonth: pence(MAX_AMOUNT), validUntil: null },
    vrpType: vrpTypeFor(bank.port.traits.pays, category, { isOwn: false }),
    from: londonDateOf(now),
  };
}

function rowOf(provider_id: PaidPayee, { vrpType: vrp_type, limits: { perPayment, perMonth } }: Payments) {
  return { provider_id, vrp_type, per_payment: perPayment, per_month: perMonth, valid_until: null };
}
