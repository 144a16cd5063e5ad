import { LOGIN_SCOPES } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { userByEmail } from '../../infra/db/statements/auth.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { emailIndexOf } from './register.ts';
import { beginFamily, type TokenSet } from './tokens.ts';

type Needs = Pick<Services, 'db' | 'keys' | 'passwords' | 'newId'>;

/**
 * Signs a user in. An unknown address and a wrong password take the same steps, so neither the answer nor its time tells
 * which it was. Not to be called inside a transaction: a failed sign-in stays on record.
 * @throws DomainError `invalid-credentials`.
 */
export async function login(
  services: Needs,
  { email, password }: { email: string; password: string },
): Promise<TokenSet> {
  const { db, passwords } = services;
  const emailIndex = emailIndexOf(services, email);
  const user = await db.maybe(userByEmail, [emailIndex]);
  const verified = user ? await passwords.verify(user.password_hash, password) : await passwords.verifyDummy(password);
  const at = new Date();
  if (!user || !verified) {
    // Of an unknown address only a stub of its index is kept: enough to see that it is tried again and again.
    const subject = user?.user_id ?? `email:${emailIndex.slice(0, 12)}`;
    await audit(services, { subject, kind: 'sign-in.failed', actor: 'anonymous', data: {}, at });
    throw new DomainError('invalid-credentials', 'The e-mail address or the password is wrong.');
  }
  const userId = user.user_id;
  return db.transaction(async () => {
    const { familyId, tokens } = await beginFamily(services, { userId, clientId: null, scopes: LOGIN_SCOPES }, at);
    await audit(services, {
      subject: userId,
      kind: 'sign-in.succeeded',
      actor: userId,
      data: { family_id: familyId },
      at,
    });
    return tokens;
  });
}
