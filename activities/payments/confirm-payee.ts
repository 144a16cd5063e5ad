import { DomainError } from '../../domain/errors.ts';
import { isPersonId } from '../../domain/owners.ts';
import { accountState } from '../../infra/db/queries/accounts.ts';
import { addOwnNumbers, ownNumber } from '../../infra/db/queries/own-accounts.ts';
import * as payees from '../../infra/db/queries/payees.ts';
import type { PayeeRow } from '../../infra/db/queries/payees.ts';
import { confirmPayeeOf } from '../../infra/db/queries/restore-steps.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import type { Payee } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { macColumns, type Authentic } from '../macs.ts';
import { PAYEE_MACS, requireGenuine } from './payee-macs.ts';
import { payeeViews } from './payees.ts';

/* What operators say about payees. */

/** Newest first, without names and bank details. */
export async function listAllPayees(
  { db }: Pick<Services, 'db'>,
  { unconfirmed, limit }: { unconfirmed: boolean; limit: number },
) {
  return { items: await db.many(payees.allPayees({ unconfirmed, most: limit })) };
}

interface Confirmation {
  provider_id: string;
  /** The person whose own account it is. Without it, the operator vouches for the payee. */
  own_account_of?: string | undefined;
  actor: string;
}

/**
 * Changes nothing if that was said before.
 * @throws DomainError `not-found`, `payee-may-be-own`, `other-owner`
 */
export async function confirmPayee(services: Services, confirmation: Confirmation): Promise<Payee> {
  const { db } = services;
  const { provider_id, own_account_of, actor } = confirmation;
  await db.transaction(async (tx) => {
    const payee = await tx.maybe(payees.lockPayee(provider_id));
    if (!payee || payee.removed_at !== null) throw noSuchPayee();
    await requireGenuine(services, payee);
    if (own_account_of === undefined) await vouch(tx, services, payee, actor);
    else await sayOwn(tx, services, payee, { ownerId: own_account_of, actor });
  });
  const [payee] = await payeeViews(services, [await db.one(payees.payeeById(provider_id))], actor);
  if (!payee) throw noSuchPayee();
  return payee;
}

type Needs = Pick<Services, 'clock' | 'newId'> & Authentic;

async function vouch(tx: Tx, services: Needs, payee: PayeeRow, actor: string): Promise<void> {
  const { provider_id, held_by, account_fingerprint } = payee;
  const isKnown = held_by !== null && (await tx.maybe(ownNumber(held_by, account_fingerprint)));
  if (isKnown || payee.own_account_of !== null) {
    throw new DomainError(
      'payee-may-be-own',
      'The account may be the person’s own, so nobody can vouch for the payee.',
    );
  }
  const at = await services.clock.now(tx);
  if ((await tx.run(confirmPayeeOf(provider_id))) > 0)
    await audit(tx, services, { subject: provider_id, kind: 'payee.kept', actor, data: {}, at });
  if (payee.vouched_by !== null) return;
  const data = { vouched_by: 'operator' } as const;
  await tx.run(
    payees.changePayee(provider_id, {
      ...data,
      ...(await macColumns(services.keys, PAYEE_MACS, { ...payee, ...data })),
    }),
  );
  await audit(tx, services, { subject: provider_id, kind: 'payee.confirmed', actor, data, at });
}

async function sayOwn(
  tx: Tx,
  services: Needs,
  payee: PayeeRow,
  { ownerId, actor }: { ownerId: string; actor: string },
): Promise<void> {
  const { provider_id, held_by, own_account_of, account_fingerprint } = payee;
  if (!(await tx.maybe(accountState(ownerId)))) {
    throw new DomainError('not-found', 'There is no such user. The command "user list" shows all users.');
  }
  if (held_by === null || (isPersonId(held_by) && held_by !== ownerId)) {
    throw new DomainError('other-owner', 'Somebody else added this payee, so its account is not the person’s own.');
  }
  if (own_account_of === ownerId) return;
  const said = { own_account_of: ownerId };
  await tx.run(
    payees.changePayee(provider_id, {
      ...said,
      ...(await macColumns(services.keys, PAYEE_MACS, { ...payee, ...said })),
    }),
  );
  await tx.run(addOwnNumbers(ownerId, [account_fingerprint]));
  const data = { owner_id: ownerId };
  const at = await services.clock.now(tx);
  await audit(tx, services, { subject: provider_id, kind: 'payee.own-account', actor, data, at });
}

function noSuchPayee(): DomainError {
  return new DomainError('not-found', 'There is no payee with this id.');
}
