import { isEmail, normaliseEmail } from '../../domain/auth.ts';
import { checkNewPassword } from '../../domain/registration.ts';
import { DomainError, invalidInput } from '../../domain/errors.ts';
import { isCommonPassword } from '../../infra/passwords/common.ts';
import { userByEmail } from '../../infra/db/statements/auth.ts';
import * as statements from '../../infra/db/statements/sign-in.ts';
import { hashOf } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import type { PasswordResetRequest } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { emailOf } from './address.ts';
import { proveWithoutPassword } from './claim.ts';
import { cancelPendingPayments } from '../payments/pending.ts';
import type { VaultServices } from '../vault/record.ts';
import { endAllElse } from './end-access.ts';
import { queueMail } from './mail.ts';
import { emailIndexOf } from './register.ts';

/** Runs the same statements for known and unknown addresses, so that response times do not reveal accounts. */
export async function requestPasswordReset(
  services: Pick<Services, 'db' | 'keys'>,
  { email }: { email: string },
): Promise<{ status: 'accepted' }> {
  if (!isEmail(normaliseEmail(email))) throw invalidInput('/email', 'is not an email address');
  const user = await services.db.maybe(userByEmail(emailIndexOf(services, email)));
  await queueMail(services, { kind: 'password-reset', userId: user?.user_id ?? null, data: {} });
  return { status: 'accepted' };
}

export async function describeReset(services: VaultServices, { token }: { token: string }) {
  const { user_id: userId, proved } = await resetOf(services, token);
  const email = await emailOf(services, { userId, purpose: 'reset-page' });
  if (email === undefined) throw badLink();
  return { email, proved };
}

/** Do not call inside a transaction, because hashes wait for each other. An invalid password leaves the link usable. */
export async function prepareReset(services: Services, { token, password }: PasswordResetRequest) {
  const { user_id: userId } = await resetOf(services, token);
  const email = await emailOf(services, { userId, purpose: 'password-rules' });
  if (email === undefined) throw badLink();
  checkNewPassword(password, email, isCommonPassword);
  return { userId, passwordHash: await services.passwords.hash(password) };
}

/** Also confirms the email address (see `proveWithoutPassword`). Signs nobody in. */
export async function resetPassword(
  services: Services,
  { token, password }: PasswordResetRequest,
  prepared = prepareReset(services, { token, password }),
): Promise<void> {
  const { db } = services;
  const { userId, passwordHash } = await prepared;
  const at = new Date();
  await db.transaction(async () => {
    await db.run(statements.setPassword(userId, passwordHash));
    if ((await db.run(statements.useReset(hashOf(token), at))) === 0) throw badLink();
    const reason = 'password-reset';
    const first = await proveWithoutPassword(services, { userId, reason, data: { by: 'reset' }, at });
    if (!first) {
      const familyIds = await endAllElse(services, { userId, familyId: null, reason, at });
      const detail = 'Cancelled, because a password reset ended the sign-in that scheduled the payment.';
      await cancelPendingPayments(services, { ownerId: userId, familyIds, actor: userId, detail });
    }
    await audit(services, { subject: userId, kind: 'password.reset', actor: userId, data: {} });
    await queueMail(services, { kind: 'password-changed', userId, data: {} });
  });
}

async function resetOf({ db }: Pick<Services, 'db'>, token: string) {
  const row = /^rf_pr_[\w-]{43}$/.test(token) ? await db.maybe(statements.resetByToken(hashOf(token))) : undefined;
  if (row) return row;
  throw badLink();
}

function badLink(): DomainError {
  return new DomainError(
    'invalid-reset-token',
    'This link is not valid. It was already used, is incomplete or older than 30 minutes, or the password was changed after the link was sent. Request a new link.',
  );
}
