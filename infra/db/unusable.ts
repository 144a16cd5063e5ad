import { DomainError } from '../../domain/errors.ts';
import { Foreseen } from '../process/foreseen.ts';

const NO_TABLES = 'it has no tables yet; start the stack, or run npm run db:migrate';

const REFUSED: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'nothing listens at that address; start the stack (npm start), or set DATABASE_URL or RINGFENCE_PORT_POSTGRES to the value that the stack uses',
  ENOTFOUND: 'the host does not exist; correct DATABASE_URL',
  EAI_AGAIN: 'the name of its host cannot be looked up; check the network, or correct DATABASE_URL',
  EHOSTUNREACH: 'the network has no way to its host; check the network, or correct DATABASE_URL',
  ENETUNREACH: 'the network has no way to its host; check the network, or correct DATABASE_URL',
  ECONNRESET: 'it closes each connection; check that DATABASE_URL names a PostgreSQL, and what sslmode it needs',
  ETIMEDOUT: 'it does not respond; check the network, or correct DATABASE_URL',
  '28P01': 'it rejects the password; correct DATABASE_URL',
  '28000': 'it rejects the user; correct DATABASE_URL',
  '3D000': 'the database does not exist; correct DATABASE_URL',
  '42501':
    'its role lacks a permission; run npm run db:migrate with DATABASE_MIGRATION_URL set to the owner of the schema',
  '42P01': NO_TABLES,
  '42883': NO_TABLES,
  '57P03': 'it is starting or stopping; try again in a few seconds',
  '53300': 'it has no free connection; try again, or raise its limit of connections',
  '55P03': 'a migration waited too long for a lock; run the command again when the service has less to do',
};

/** Errors without a code, or with one of many codes for the same reason. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [
    /does not support SSL/,
    'it has no TLS; remove sslmode from DATABASE_URL, or set DATABASE_URL to a PostgreSQL with TLS',
  ],
  [
    /certificate|altnames/i,
    'its certificate is not trusted; name its CA with sslrootcert in DATABASE_URL, or correct the host',
  ],
  [/password must be a (?:non-empty )?string/, 'it asks for a password; add the password to DATABASE_URL'],
  // PostgreSQL's own errors have a code, so a lock timeout does not count as a lost connection.
  [/timeout|terminated/i, REFUSED.ETIMEDOUT!],
];

/** Returns one sentence if the database at `url` cannot be used, and undefined for any other error. */
export function unusable(error: unknown, url: string): string | undefined {
  if (!(error instanceof Error) || error instanceof Foreseen) return undefined;
  if (error instanceof DomainError && error.cause === undefined) return undefined;
  // This error's message is for callers of the API. The cause is the error from PostgreSQL or Node.
  const { code, message } = (error.cause ?? error) as Error & { code?: string };
  const { host, pathname } = new URL(url);
  const ofNode = code === undefined || !/^[0-9A-Z]{5}$/.test(code);
  const reason = REFUSED[code ?? ''] ?? (ofNode ? SAID.find(([pattern]) => pattern.test(message))?.[1] : undefined);
  return reason === undefined ? undefined : `The database ${pathname.slice(1)} at ${host} cannot be used: ${reason}.`;
}
