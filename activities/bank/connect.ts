import { callerOf, type Principal } from '../../domain/auth.ts';
import { AUTHORISE_WITHIN_MIN, checkLimits, vrpTypeFor, type Limits } from '../../domain/bank/connections.ts';
import { DomainError, requireNoFaults } from '../../domain/errors.ts';
import { isPersonId } from '../../domain/owners.ts';
import type { ConfiguredBank } from '../../infra/bank/interface.ts';
import * as queries from '../../infra/db/queries/bank.ts';
import type { ConnectionRow } from '../../infra/db/queries/bank.ts';
import { isOwnAccountOf } from '../../infra/db/queries/own-accounts.ts';
import { payeeToPay } from '../../infra/db/queries/payees.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import type { Connection, ConnectionRequest } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { holdSignIn, requireProvedAddress } from '../auth/proof.ts';
import type { Authentic } from '../macs.ts';
import { requireGenuine } from '../payments/payee-macs.ts';
import { requirePayee, unknownPayee } from '../payments/payees.ts';
import { requireBank, requireInstitution } from './banks.ts';
import { connectionView } from './read.ts';

type NewConnection = ConnectionRequest & { principal: Principal };

type Needs = Pick<Services, 'clock' | 'config' | 'newId'> & Authentic;

/** Checks what needs no transaction, because the bank's list of institutions may be slow. */
export async function prepareConnection(
  services: Pick<Services, 'banks'>,
  request: NewConnection,
): Promise<ConfiguredBank> {
  const { user_id, bank_id, kind, institution_id, provider_id, limits } = request;
  const isPayments = kind === 'payments';
  const misplaced = (name: string, value: unknown) => {
    if ((value !== undefined) === isPayments) return [];
    const detail = isPayments ? 'is required with the kind payments' : 'goes with the kind payments only';
    return [{ pointer: `/${name}`, detail }];
  };
  requireNoFaults([...misplaced('provider_id', provider_id), ...misplaced('limits', limits)]);
  const bank = requireBank(services, bank_id);
  if (!isPersonId(user_id)) {
    throw new DomainError('owner-without-account', 'Only a registered person can connect a bank.');
  }
  if (institution_id !== undefined) await requireInstitution(bank, institution_id);
  if (!isPayments && !bank.port.traits.reads) {
    throw new DomainError('bank-cannot-read', 'This bank shows the service no accounts. Choose a different bank.');
  }
  return bank;
}

/** Nothing happens at the bank: the person grants the connection there. */
export async function connectBank(
  tx: Tx,
  services: Needs,
  request: NewConnection,
  bank: ConfiguredBank,
): Promise<Connection> {
  const { principal, user_id, kind, institution_id = null, return_url = null } = request;
  await holdSignIn(tx, principal);
  if (return_url !== null) await requireReturnUrl(tx, principal, return_url);
  const now = await services.clock.now(tx);
  const connection_id = services.newId('conn');
  const row = {
    ...{ connection_id, owner_id: user_id, bank_id: bank.bankId, kind, institution_id, return_url },
    ...(kind === 'payments' ? await paymentsOf(tx, services, { request, bank, now }) : READS_ACCOUNTS),
    created_at: now.toISOString(),
  };
  const { authorise_until } = await tx.one(queries.insertConnection(row, AUTHORISE_WITHIN_MIN));
  const event = { subject: connection_id, kind: 'connection.created', actor: callerOf(principal) } as const;
  await audit(tx, services, { ...event, data: { kind }, at: now });
  return connectionView(services, { ...row, authorise_until, status: 'awaiting_authorisation', offered: true });
}

type Payments = Limits & Pick<ConnectionRow, 'provider_id' | 'vrp_type'>;

const READS_ACCOUNTS = { provider_id: null, vrp_type: null, per_payment: null, per_month: null, valid_until: null };

/** The payee cannot be removed before the transaction ends. */
async function paymentsOf(
  tx: Tx,
  services: Pick<Services, 'config'> & Authentic,
  { request, bank, now }: { request: NewConnection; bank: ConfiguredBank; now: Date },
): Promise<Payments> {
  const { principal, user_id: ownerId, provider_id = '', limits } = request;
  const checked = checkLimits(limits!, { at: '/limits', now });
  await requireProvedAddress(tx, services, ownerId);
  const payee = requirePayee(await tx.maybe(payeeToPay(provider_id)), { principal, ownerId });
  if (payee.removed_at !== null) throw unknownPayee();
  await requireGenuine(services, payee);
  const { is_own: isOwn } = await tx.one(isOwnAccountOf(ownerId, payee));
  return { ...checked, provider_id, vrp_type: vrpTypeFor(bank.port.traits.pays, payee.category, { isOwn }) };
}

async function requireReturnUrl(tx: Tx, principal: Principal, url: string): Promise<void> {
  const caller =
    principal.kind === 'api_key'
      ? { app_id: principal.appId }
      : principal.clientId === null
        ? undefined
        : { client_id: principal.clientId };
  if (caller !== undefined && (await tx.maybe(queries.isRedirectUri({ url, ...caller })))) return;
  throw new DomainError(
    'unregistered-return-url',
    'The return_url is no redirect URI of an OAuth client of your application. It must be equal, character by character.',
  );
}
