import { callerOf, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import * as queries from '../../infra/db/queries/payees.ts';
import type { PayeeRow, ShownPayee } from '../../infra/db/queries/payees.ts';
import { confirmPayeeOf } from '../../infra/db/queries/restore-steps.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import type { Payee, PayeeChange } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { holdSignIn } from '../auth/proof.ts';
import { endConnections, type RecordServices } from '../bank/record.ts';
import { macColumns } from '../macs.ts';
import { erasePii } from '../vault/own.ts';
import { keepSealed } from '../vault/store.ts';
import { PAYEE_MACS, requireGenuine } from './payee-macs.ts';
import { bankDetailsOf, countOfPerson, holderOf, payeeView, sealDetails } from './payees.ts';

interface PayeeRequest {
  principal: Principal;
  provider_id: string;
}

/** Payments that the bank does not have yet are sent with the new name. Also the present name confirms a payee after a restore. */
export async function renameProvider(
  services: Services,
  { principal, provider_id, name }: PayeeRequest & PayeeChange,
): Promise<Payee> {
  const actor = callerOf(principal);
  const known = ownPayee(await services.db.maybe(queries.payeeById(provider_id)), principal);
  if (known.removed_at !== null) throw noSuchPayee();
  if (known.confirm_before_pay) await keepPayee(services, { principal, provider_id, actor });
  const before = await bankDetailsOf(services, known, actor);
  if (before === null) throw noSuchPayee();
  if (before.account_holder_name === name) return payeeView(known, before);
  const details = { ...before, account_holder_name: name };
  const record = await sealDetails(services, details, { holder: holderOf(principal), actor });
  await services.db.transaction(async (tx) => {
    const payee = await requireGenuine(services, await lockPayee(tx, provider_id));
    if (payee.removed_at !== null) throw noSuchPayee();
    // The bank refuses an order that is sent again with another name.
    if ((await tx.one(queries.paymentsTo(provider_id))).unclear > 0) throw payeeInUse('might be at the bank');
    await countOfPerson(tx, services, principal, { kind: 'payees' });
    const { vault_ref: bank_ref } = await keepSealed(tx, record);
    const mac = await macColumns(services.keys, PAYEE_MACS, { ...payee, bank_ref });
    await tx.run(queries.changePayee(provider_id, { bank_ref, ...mac }));
    await erasePii(tx, services, payee.bank_ref, { purpose: 'payee', actor });
    await auditChange(tx, services, { actor, provider_id, kind: 'payee.renamed' });
  });
  return payeeView(known, details);
}

/** After a restore, the person says that they did not remove the payee. An operator says it of the payees of applications. */
async function keepPayee(
  services: Services,
  { principal, provider_id, actor }: PayeeRequest & { actor: string },
): Promise<void> {
  if (principal.kind !== 'user') return;
  await services.db.transaction(async (tx) => {
    await holdSignIn(tx, principal);
    if ((await tx.run(confirmPayeeOf(provider_id))) > 0)
      await auditChange(tx, services, { actor, provider_id, kind: 'payee.kept' });
  });
}

/** Also erases the bank details. Changes nothing if the payee is removed already. */
export async function removeProvider(services: Services, { principal, provider_id }: PayeeRequest): Promise<void> {
  const actor = callerOf(principal);
  ownPayee(await services.db.maybe(queries.payeeById(provider_id)), principal);
  await services.db.transaction(async (tx) => {
    const { bank_ref, removed_at } = await lockPayee(tx, provider_id);
    if (removed_at !== null) return;
    if ((await tx.one(queries.paymentsTo(provider_id))).open > 0) throw payeeInUse('is pending or processing');
    await takeAway(tx, services, { provider_id, bank_ref, actor });
  });
}

/** The payee had been removed before a backup was restored that still has it. Payments to it that were not sent fail. */
export async function removeAgain(
  services: RecordServices & Pick<Services, 'db'>,
  { provider_id, actor }: { provider_id: string; actor: string },
): Promise<void> {
  await services.db.transaction(async (tx) => {
    const { bank_ref, removed_at } = await lockPayee(tx, provider_id);
    if (removed_at === null) await takeAway(tx, services, { provider_id, bank_ref, actor });
  });
}

async function takeAway(
  tx: Tx,
  services: RecordServices,
  { provider_id, bank_ref, actor }: { provider_id: string; bank_ref: string; actor: string },
): Promise<void> {
  const at = await services.clock.now(tx);
  await tx.run(queries.changePayee(provider_id, { removed_at: at.toISOString() }));
  await endConnections(tx, services, { of: { providerId: provider_id }, reason: 'payee-removed', actor });
  await erasePii(tx, services, bank_ref, { purpose: 'payee', actor });
  await auditChange(tx, services, { actor, provider_id, kind: 'payee.removed' });
}

/** Payments to the payee wait until the transaction ends, and so does sending them. */
function lockPayee(tx: Tx, providerId: string): Promise<PayeeRow> {
  return tx.one(queries.lockPayee(providerId));
}

function ownPayee(payee: ShownPayee | undefined, principal: Principal): ShownPayee {
  if (payee && payee.held_by === holderOf(principal)) return payee;
  throw noSuchPayee();
}

function noSuchPayee(): DomainError {
  return new DomainError('not-found', 'You have added no payee with this id.');
}

function payeeInUse(how: string): DomainError {
  return new DomainError('payee-in-use', `A payment to the payee ${how}.`);
}

async function auditChange(
  tx: Tx,
  services: Pick<Services, 'clock' | 'newId'>,
  {
    actor,
    provider_id,
    kind,
  }: { actor: string; provider_id: string; kind: 'payee.kept' | 'payee.removed' | 'payee.renamed' },
): Promise<void> {
  await audit(tx, services, { subject: provider_id, kind, actor, data: {}, at: await services.clock.now(tx) });
}
