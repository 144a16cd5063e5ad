import { emailIdentity } from '../../domain/auth.ts';
import { checkRegistration } from '../../domain/registration.ts';
import { DomainError } from '../../domain/errors.ts';
import { isCommonPassword } from '../../infra/passwords/common.ts';
import { insertOwner, insertUser, userByEmail } from '../../infra/db/queries/auth.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import type { Account, RegistrationRequest } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { sealPii } from '../vault/own.ts';
import type { VaultServices } from '../vault/record.ts';
import { keepSealed, type SealedRecord } from '../vault/store.ts';
import { requireOpenRegistration, useInvitation } from './invitations.ts';
import { queueMail } from './mail.ts';

/** A new person, and the vault record of the email address. */
interface SealedAccount {
  userId: string;
  /** The normalised email address. */
  email: string;
  emailIndex: string;
  record: SealedRecord;
}

interface PreparedRegistration extends SealedAccount {
  passwordHash: string;
}

/** @throws DomainError `invalid-request` naming every fault, or `email-taken`. */
export async function prepareRegistration(
  services: VaultServices & Pick<Services, 'passwords' | 'config'>,
  given: RegistrationRequest,
): Promise<PreparedRegistration> {
  const { db, passwords } = services;
  await requireOpenRegistration(services, given);
  const email = checkRegistration(given, isCommonPassword);
  if (await db.maybe(userByEmail(emailIndexOf(services, email)))) throw emailTaken();
  const passwordHash = await passwords.hash(given.password);
  return { ...(await sealAccount(services, email)), passwordHash };
}

export async function sealAccount(services: VaultServices, email: string): Promise<SealedAccount> {
  const userId = services.newId('usr');
  const record = await sealPii(services, {
    pii_type: 'user_email',
    owner_id: userId,
    data: { email },
    purpose: 'registration',
    actor: userId,
  });
  return { userId, email, emailIndex: emailIndexOf(services, email), record };
}

/** @throws DomainError `registration-closed` or `email-taken`. */
export async function registerUser(
  tx: Tx,
  services: Pick<Services, 'clock' | 'newId' | 'config' | 'keys'>,
  { invitation }: Pick<RegistrationRequest, 'invitation'>,
  prepared: PreparedRegistration,
): Promise<Account> {
  const { userId, email, passwordHash } = prepared;
  const data = await useInvitation(tx, services, { invitation });
  const terms = { passwordHash, emailVerifiedAt: null, data };
  const createdAt = await insertAccount(tx, services, prepared, terms);
  await queueMail(tx, { kind: 'email-verification', userId, data: {} });
  return { user_id: userId, email, created_at: createdAt.toISOString() };
}

interface AccountTerms {
  /** Null if the user signs in only through identity providers. */
  passwordHash: string | null;
  emailVerifiedAt: Date | null;
  /** More data for the audit event. */
  data: Readonly<Record<string, string>>;
}

/** @returns when the account was created. @throws DomainError `email-taken`. */
export async function insertAccount(
  tx: Tx,
  services: Pick<Services, 'clock' | 'newId'>,
  { userId, emailIndex, record }: SealedAccount,
  { passwordHash, emailVerifiedAt, data }: AccountTerms,
): Promise<Date> {
  const createdAt = await services.clock.now(tx);
  const { vault_ref: emailRef } = await keepSealed(tx, record);
  const written = await tx.run(
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
  await tx.run(insertOwner(userId, createdAt));
  await audit(tx, services, { subject: userId, kind: 'user.registered', actor: userId, data });
  return createdAt;
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
