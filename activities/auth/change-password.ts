import type { Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { checkNewPassword } from '../../domain/registration.ts';
import { isCommonPassword } from '../../infra/passwords/common.ts';
import { replacePassword } from '../../infra/db/queries/sign-in.ts';
import type { Services } from '../../infra/services.ts';
import type { PasswordChangeRequest } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { pauseSplit } from '../payday/pause.ts';
import { cancelPendingPayments } from '../payments/pending.ts';
import { emailOf } from './address.ts';
import { verifyPassword, type PasswordGiven, type Verified } from './login.ts';
import { queueMail } from './mail.ts';
import { endAllElse } from './sessions.ts';
import type { SignInOrigin } from './known-origins.ts';
import { userOf } from './profile.ts';

export async function changePassword(
  services: Services,
  given: PasswordChangeRequest & { principal: Principal; from: SignInOrigin },
): Promise<void> {
  const { db, passwords } = services;
  const { principal, password } = given;
  const { userId, familyId } = userOf(
    principal,
    'An API key has no password. Sign in as the user whose password you want to change.',
  );
  const email = await emailOf(services, { userId, purpose: 'password-rules' });
  if (email === undefined) throw new DomainError('pii-erased', 'The account no longer has an email address.');
  const current = await verifyCurrent(services, { email, password: given.current_password, from: given.from });
  checkNewPassword(password, email, isCommonPassword);
  const passwordHash = await passwords.hash(password);
  const at = new Date();
  await db.transaction(async (tx) => {
    const change = { password_hash: passwordHash, before: current.passwordHash };
    if ((await tx.run(replacePassword(userId, change))) === 0) throw wrongPassword();
    const familyIds = await endAllElse(tx, { userId, familyId, reason: 'password-changed', at });
    const detail = 'Cancelled, because a change of password ended the sign-in that scheduled the payment.';
    await cancelPendingPayments(tx, services, { ownerId: userId, familyIds, actor: userId, detail });
    await pauseSplit(tx, services, { ownerId: userId, actor: userId, reason: 'password-changed' });
    await audit(tx, services, {
      subject: userId,
      kind: 'password.changed',
      actor: userId,
      data: { family_id: familyId },
    });
    await queueMail(tx, { kind: 'password-changed', userId, data: {} });
  });
}

async function verifyCurrent(services: Services, given: PasswordGiven): Promise<Verified> {
  try {
    return await verifyPassword(services, given);
  } catch (error) {
    throw error instanceof DomainError && error.code === 'invalid-credentials' ? wrongPassword() : error;
  }
}

function wrongPassword(): DomainError {
  return new DomainError('invalid-credentials', 'The current password is wrong.');
}
