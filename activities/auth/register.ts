import { emailIdentity } from '../../domain/auth.ts';
import { checkRegistration } from '../../domain/registration.ts';
import { DomainError } from '../../domain/errors.ts';
import { isCommonPassword } from '../../infra/passwords/common.ts';
import { insertOwner, insertUser, userByEmail } from '../../infra/db/statements/auth.ts';
import type { Services } from '../../infra/services.ts';
import type { Account, RegistrationRequest } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { storePii } from '../vault/own.ts';
import { requireOpenRegistration, useInvitation } from './invitations.ts';
import { queueMail } from './mail.ts';

type Needs = Pick<Services, 'db' | 'keys' | 'passwords' | 'clock' | 'newId' | 'log' | 'config'>;

/**
 * Do not call inside a transaction, because hashes wait for each other.
 * @throws DomainError `invalid-request` naming every fault, or `email-taken`.
 */
export async function prepareRegistration(services: Needs, given: RegistrationRequest) {
  const { db, passwords } = services;
  await requireOpenRegistration(services, given);
  const email = checkRegistration(given, isCommonPassword);
  const emailIndex = emailIndexOf(services, email);
  if (await db.maybe(userByEmail(emailIndex))) throw emailTaken();
  return { email, emailIndex, passwordHash: await passwords.hash(given.password) };
}

/** @throws the errors of `prepareRegistration`. */
export async function registerUser(
  services: Needs,
  given: RegistrationRequest,
  prepared = prepareRegistration(services, given),
): Promise<Account> {
  const account = await prepared;
  const { userId, createdAt } = await services.db.transaction(async () => {
    const data = await useInvitation(services, given);
    const written = await insertAccount(services, { ...account, emailVerifiedAt: null, data });
    await queueMail(services, { kind: 'email-verification', userId: written.userId, data: {} });
    return written;
  });
  return { user_id: userId, email: account.email, created_at: createdAt.toISOString() };
}

interface NewAccount {
  /** The normalised email address. */
  email: string;
  emailIndex: string;
  /** Null if the user signs in only through sign-in providers. */
  passwordHash: string | null;
  emailVerifiedAt: Date | null;
  /** More data for the audit event. */
  data: Readonly<Record<string, string>>;
}

/** Call in the open transaction. @throws DomainError `email-taken`, and then the caller must roll back. */
export async function insertAccount(
  services: Omit<Needs, 'passwords' | 'config'>,
  { email, emailIndex, passwordHash, emailVerifiedAt, data }: NewAccount,
): Promise<{ userId: string; createdAt: Date }> {
  const { db, clock, newId } = services;
  const createdAt = await clock.now();
  const userId = newId('usr');
  const emailRef = await storePii(services, {
    pii_type: 'user_email',
    owner_id: userId,
    data: { email },
    purpose: 'registration',
    actor: userId,
  });
  const written = await db.run(
    insertUser({
      user_id: userId,
      email_ref: emailRef,
      email_index: emailIndex,
      password_hash: passwordHash,
      email_verified_at: emailVerifiedAt?.toISOString() ?? null,
      created_at: createdAt.toISOString(),
    }),
  );
  if (written === 0) throw emailTaken();
  await db.run(insertOwner(userId, createdAt));
  await audit(services, { subject: userId, kind: 'user.registered', actor: userId, data });
  return { userId, createdAt };
}

export function emailIndexOf({ keys }: Pick<Services, 'keys'>, email: string): string {
  return keys.blindIndex('user_email', emailIdentity(email));
}

function emailTaken(): DomainError {
  return new DomainError(
    'email-taken',
    'An account with this email address already exists. Sign in, or reset the password.',
  );
}
