import type { CalendarDate } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { isPersonId } from '../../domain/owners.ts';
import type { Banks } from '../../infra/bank/interface.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/payers.ts';
import type { PayingConnection } from '../../infra/db/queries/payers.ts';
import type { PaymentRow } from '../../infra/db/queries/payments.ts';
import type { Services } from '../../infra/services.ts';

/** The account that pays: that of a connection, or the house account. */
export interface Payer {
  connection: PayingConnection | null;
  bankId: string;
}

/** What a payment stores of its payer. */
export type PaidWith = Pick<PaymentRow, 'connection_id' | 'counts_on'>;

export function paidWith({ connection }: Payer, countsOn: CalendarDate): PaidWith {
  if (connection === null) return { connection_id: null, counts_on: null };
  return { connection_id: connection.connection_id, counts_on: countsOn };
}

interface Wanted {
  provider_id: string;
  /** The connection of a payment that is to be retried, which the house account never pays. */
  connection_id?: string | null;
}

type Needs = Pick<Services, 'banks' | 'config'>;

/**
 * Until the transaction ends, the connection cannot end.
 * @throws DomainError `bank-consent-ended` or `bank-not-connected` before anything moves.
 */
export async function choosePayer(owner: LockedOwner, services: Needs, wanted: Wanted): Promise<Payer> {
  const { provider_id: providerId, connection_id = null } = wanted;
  const ownerId = owner.id;
  const connection = isPersonId(ownerId)
    ? await owner.tx.maybe(queries.firstChoice({ ownerId, providerId }))
    : undefined;
  if (connection?.status === 'authorised') return { connection, bankId: requireBankOf(connection, services) };
  if (connection?.authorised_at) throw consentEnded(connection);
  const house = connection_id === null ? await houseFor(owner, services, connection) : null;
  if (house !== null) return { connection: null, bankId: house.bank.bankId };
  throw notConnected(connection);
}

/** Whether the house account may still pay this payee for the owner. */
export async function mayHousePay(owner: LockedOwner, services: Needs, providerId: string): Promise<boolean> {
  // Without a house account, the payment waits until an operator has put it back.
  if (services.banks.house === null || !isPersonId(owner.id)) return true;
  const connection = await owner.tx.maybe(queries.firstChoice({ ownerId: owner.id, providerId }));
  return (await houseFor(owner, services, connection)) !== null;
}

/** A person who pays by own connections keeps to them: a payment is never moved to the house account. */
async function houseFor(
  owner: LockedOwner,
  { banks: { house }, config }: Needs,
  connection: PayingConnection | undefined,
): Promise<Banks['house']> {
  if (house === null || !isPersonId(owner.id)) return house;
  if (config.environment === 'sandbox') return connection === undefined ? house : null;
  return (await owner.tx.one(queries.everPaysByConnection(owner.id))).ever ? null : house;
}

/** Without its bank, a payment would wait without end. */
function requireBankOf(connection: PayingConnection, { banks }: Pick<Services, 'banks'>): string {
  if (banks.find(connection.bank_id)) return connection.bank_id;
  throw notConnected(connection);
}

function notConnected(connection: PayingConnection | undefined): DomainError {
  const detail = 'The person has authorised no connection that can pay this payee.';
  return new DomainError(
    'bank-not-connected',
    detail,
    connection === undefined ? {} : { connection_status: connection.status },
  );
}

function consentEnded({ connection_id, status: connection_status }: PayingConnection): DomainError {
  const again =
    connection_status === 'reauthorisation_needed'
      ? `Send the person to the bank again with POST /api/v1/bank/connections/${connection_id}/reauthorise.`
      : 'Make another connection to this payee with POST /api/v1/bank/connections.';
  return new DomainError(
    'bank-consent-ended',
    `The person's connection to this payee is ${connection_status}. ${again}`,
    {
      connection_id,
      connection_status,
    },
  );
}
