import { remindersDue } from '../../domain/bank/connections.ts';
import { HOUR_MS, londonDateOf, longDate, MINUTE_MS } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { connectionById } from '../../infra/db/queries/bank.ts';
import * as queries from '../../infra/db/queries/mail.ts';
import type { MailKind } from '../../infra/db/entities/mail.ts';
import type { MailRow } from '../../infra/db/queries/mail.ts';
import { setMailToken } from '../../infra/db/queries/identity-providers.ts';
import { insertVerification, isProved } from '../../infra/db/queries/proof.ts';
import { insertReset } from '../../infra/db/queries/sign-in.ts';
import { hashOf, newLinkToken, newResetToken, newVerificationToken } from '../../infra/keys/credentials.ts';
import type { LimitName } from '../../infra/limits/index.ts';
import type { Services } from '../../infra/services.ts';
import { emailOf } from './address.ts';
import { LETTERS, type Letter } from './letters.ts';

/** What the database stores of an email: neither the address nor the token. */
interface MailData {
  'password-reset': Record<string, never>;
  'password-changed': Record<string, never>;
  'sign-in-linked': { provider_name: string };
  'email-verification': Record<string, never>;
  'provider-link': { request_hash: string };
  'bank-reconfirmation': { connection_id: string };
}

const RESET_MINUTES = 30;
const VERIFICATION_HOURS = 24;

/** How long a person has to confirm an account after signing in through an identity provider. */
export const LINK_MINUTES = 30;

const GIVE_UP_AFTER_MS = 30 * MINUTE_MS;
const BATCH = 10;
/** In seconds. A reservation outlasts the mailer's timeouts, so that no second process sends the same email. */
const LEASE_S = 120;
const FIRST_WAIT_S = 5;
const LONGEST_WAIT_S = 300;

type SendNeeds = Pick<
  Services,
  'banks' | 'db' | 'keys' | 'clock' | 'config' | 'limits' | 'mailer' | 'log' | 'metrics' | 'newId'
>;

/**
 * For an unknown address, `userId` is null. Queueing an email that nobody sends hides from timing whether an account
 * exists.
 */
export async function queueMail<Kind extends MailKind>(
  db: Queries,
  { kind, userId, data }: { kind: Kind; userId: string | null; data: MailData[Kind] },
): Promise<void> {
  await db.run(queries.insertMail(kind, userId, data));
}

export async function sendDueMail(services: SendNeeds): Promise<{ due: number; sent: number }> {
  const rows = await services.db.many(queries.claimMail({ most: BATCH, holdS: LEASE_S }));
  const outcomes = await Promise.all(rows.map((row) => handle(services, row)));
  return { due: rows.length, sent: outcomes.filter((outcome) => outcome === 'sent').length };
}

async function handle(services: SendNeeds, row: MailRow): Promise<'sent' | 'dropped' | 'postponed'> {
  const { db, log } = services;
  const { mail_id: mailId, kind, attempts } = row;
  try {
    const outcome = await sendOne(services, row);
    await db.run(queries.deleteMail(mailId));
    return outcome;
  } catch (error) {
    const fields = { mail_id: mailId, kind, attempts, reason: reasonOf(error) };
    if (Date.now() - Date.parse(row.created_at) < GIVE_UP_AFTER_MS) {
      await db.run(queries.postponeMail(mailId, Math.min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (attempts - 1))));
      log.info(fields, 'an email could not be sent yet; trying again');
      return 'postponed';
    }
    await db.run(queries.deleteMail(mailId));
    log.warn(fields, 'an email could not be sent for 30 minutes; dropped');
    return 'dropped';
  }
}

async function sendOne(services: SendNeeds, row: MailRow): Promise<'sent' | 'dropped'> {
  const { user_id: userId } = row;
  if (userId === null) return 'dropped';
  // Anyone can register a stranger's address, so only the owner of an address hears about later changes.
  if (row.kind === 'password-changed' && !(await isConfirmed(services, userId))) return 'dropped';
  if (row.kind === 'bank-reconfirmation' && !(await mayHearOfBank(services, userId))) return 'dropped';
  const limit = LIMITED[row.kind];
  if (limit !== undefined && row.attempts === 1 && !(await mayHaveAnother(services, limit, userId))) return 'dropped';
  const to = await emailOf(services, { userId, purpose: 'mail' });
  if (to === undefined) return 'dropped';
  const letter = await letterOf(services, row, userId);
  if (letter === undefined) return 'dropped';
  await services.mailer.send({ to, ...letter });
  return 'sent';
}

const LIMITED: Partial<Record<MailKind, LimitName>> = {
  'password-reset': 'reset-mails',
  'password-changed': 'change-mails',
};

/** In a sandbox, nobody needs to confirm an address. */
async function mayHearOfBank(services: SendNeeds, userId: string): Promise<boolean> {
  return services.config.environment === 'sandbox' || isConfirmed(services, userId);
}

async function isConfirmed({ db }: SendNeeds, userId: string): Promise<boolean> {
  return (await db.maybe(isProved(userId)))?.proved === true;
}

async function mayHaveAnother({ limits }: SendNeeds, limit: LimitName, userId: string): Promise<boolean> {
  try {
    await limits.take(limit, userId);
    return true;
  } catch (refused) {
    if (refused instanceof DomainError && refused.code === 'rate-limited') return false;
    throw refused;
  }
}

async function letterOf(services: SendNeeds, { kind, data }: MailRow, userId: string): Promise<Letter | undefined> {
  const { publicUrl } = services.config.api;
  switch (kind) {
    case 'password-reset':
      return LETTERS[kind]({ link: await newResetLink(services, userId), minutes: RESET_MINUTES });
    case 'password-changed':
      return LETTERS[kind]({ publicUrl });
    case 'sign-in-linked':
      return LETTERS[kind]({ publicUrl, identityProviderName: data.provider_name ?? 'another provider' });
    case 'email-verification': {
      const link = await newVerificationLink(services, userId);
      return link === undefined ? undefined : LETTERS[kind]({ link, hours: VERIFICATION_HOURS });
    }
    case 'provider-link': {
      const link = await newIdentityProviderLink(services, data.request_hash ?? '');
      return link === undefined ? undefined : LETTERS[kind]({ ...link, minutes: LINK_MINUTES });
    }
    case 'bank-reconfirmation': {
      const facts = await reconfirmationOf(services, data.connection_id ?? '');
      return facts === undefined ? undefined : LETTERS[kind](facts);
    }
  }
}

async function newResetLink(services: SendNeeds, userId: string): Promise<string> {
  const token = newResetToken();
  await services.db.run(insertReset(storedLink(services, token, userId, RESET_MINUTES * MINUTE_MS)));
  return `${services.config.api.publicUrl}/api/v1/auth/reset-password?token=${token}`;
}

async function newVerificationLink(services: SendNeeds, userId: string): Promise<string | undefined> {
  const { db, config } = services;
  if ((await db.maybe(isProved(userId)))?.proved !== false) return undefined;
  const token = newVerificationToken();
  await db.run(insertVerification(storedLink(services, token, userId, VERIFICATION_HOURS * HOUR_MS)));
  return `${config.api.publicUrl}/api/v1/auth/verify-email?token=${token}`;
}

function storedLink(services: SendNeeds, token: string, userId: string, lifetimeMs: number) {
  const now = Date.now();
  return {
    token_hash: hashOf(services, token),
    user_id: userId,
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + lifetimeMs).toISOString(),
  };
}

async function newIdentityProviderLink(services: SendNeeds, requestHash: string) {
  const token = newLinkToken();
  const row = await services.db.maybe(setMailToken(requestHash, hashOf(services, token)));
  if (row === undefined) return undefined;
  return {
    link: `${services.config.api.publicUrl}/api/v1/auth/link-provider?token=${token}`,
    identityProviderName: row.provider_name,
  };
}

/** Undefined if the connection needs no confirmation any more. */
async function reconfirmationOf({ db, clock, config }: SendNeeds, connectionId: string) {
  const connection = await db.maybe(connectionById(connectionId));
  if (connection?.status !== 'authorised' || connection.reconfirm_by === null) return undefined;
  if (remindersDue(connection.reconfirm_by, londonDateOf(await clock.now(db))) === 0) return undefined;
  return {
    link: `${config.api.publicUrl}/api/v1/bank/connections/${connectionId}/reconfirm`,
    lastDay: longDate(connection.reconfirm_by),
  };
}

/** Leaves out the error's message, which can contain the address. */
function reasonOf(error: unknown): string {
  const { code, responseCode, name } = error as { code?: unknown; responseCode?: unknown; name?: unknown };
  return [name, code, responseCode].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ');
}
