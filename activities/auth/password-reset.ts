import { isEmail, normaliseEmail } from '../../domain/auth.ts';
import { checkNewPassword } from '../../domain/registration.ts';
import { DomainError, invalidInput } from '../../domain/errors.ts';
import { isCommonPassword } from '../../infra/passwords/common.ts';
import { userByEmail } from '../../infra/db/queries/auth.ts';
import { useLink } from '../../infra/db/queries/proof.ts';
import * as queries from '../../infra/db/queries/sign-in.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { hashOf } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import type { PasswordResetRequest } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { emailOf } from './address.ts';
import { proveWithoutPassword } from './claim.ts';
import { pauseSplit } from '../payday/pause.ts';
import { cancelPendingPayments } from '../payments/pending.ts';
import type { ChangeServices } from '../payments/record.ts';
import type { VaultServices } from '../vault/record.ts';
import { endAllElse } from './sessions.ts';
import { queueMail } from './mail.ts';
import { emailIndexOf } from './register.ts';

/** Runs the same statements for known and unknown addresses, so that response times do not reveal accounts. */
export async function requestPasswordReset(
  tx: Tx,
  services: Pick<Services, 'keys'>,
  { email }: { email: string },
): Promise<{ status: 'accepted' }> {
  if (!isEmail(normaliseEmail(email))) throw invalidInput('/email', 'is not an email address');
  const user = await tx.maybe(userByEmail(emailIndexOf(services, email)));
  await queueMail(tx, { kind: 'password-reset', userId: user?.user_id ?? null, data: {} });
  return { status: 'accepted' };
}

export async function describeReset(services: VaultServices, { token }: { token: string }) {
  const { user_id: userId, proved } = await resetOf(services, token);
  const email = await emailOf(services, { userId, purpose: 'reset-page' });
  if (email === undefined) throw badLink();
  return { email, proved };
}

export interface PreparedReset {
  userId: string;
  passwordHash: string;
}

/** An invalid password leaves the link usable. */
export async function prepareReset(
  services: VaultServices & Pick<Services, 'passwords'>,
  { token, password }: PasswordResetRequest,
): Promise<PreparedReset> {
  const { user_id: userId } = await resetOf(services, token);
  const email = await emailOf(services, { userId, purpose: 'password-rules' });
  if (email === undefined) throw badLink();
  checkNewPassword(password, email, isCommonPassword);
  return { userId, passwordHash: await services.passwords.hash(password) };
}

/**
 * Also confirms the email address (see `proveWithoutPassword`). Signs nobody in, so it also works for a disabled account.
 * After a theft, the person needs a new password before the operator enables the account.
 */
export async function resetPassword(
  tx: Tx,
  services: ChangeServices & Pick<Services, 'clock' | 'keys'>,
  { token }: Pick<PasswordResetRequest, 'token'>,
  { userId, passwordHash }: PreparedReset,
): Promise<void> {
  const at = new Date();
  await tx.run(queries.setPassword(userId, passwordHash));
  if ((await tx.run(useLink('password_resets', hashOf(services, token), at))) === 0) throw badLink();
  const reason = 'password-reset';
  const claim = { userId, passwordHash, reason, data: { by: 'reset' }, at };
  if (!(await proveWithoutPassword(tx, services, claim))) {
    const familyIds = await endAllElse(tx, { userId, familyId: null, reason, at });
    const detail = 'Cancelled, because a password reset ended the sign-in that scheduled the payment.';
    await cancelPendingPayments(tx, services, { ownerId: userId, familyIds, actor: userId, detail });
    await pauseSplit(tx, services, { ownerId: userId, actor: userId, reason });
  }
  await audit(tx, services, { subject: userId, kind: 'password.reset', actor: userId, data: {} });
  await queueMail(tx, { kind: 'password-changed', userId, data: {} });
}

async function resetOf(services: Pick<Services, 'db' | 'keys'>, token: string) {
  const row = /^rf_pr_[\w-]{43}$/.test(token)
    ? await services.db.maybe(queries.resetByToken(hashOf(services, token)))
    : undefined;
  if (row) return row;
  throw badLink();
}

function badLink(): DomainError {
  return new DomainError(
    'invalid-reset-token',
    'This link is not valid. It was already used, is incomplete or older than 30 minutes, or the password was changed after the link was sent. Request a new link.',
  );
}
