import { openDatabase, type Database, type DatabaseAddress } from '../db/database.ts';
import { OperatorError } from './errors.ts';

/** @throws OperatorError with advice if the database cannot be used. */
export async function withDatabase<T>(
  { url }: Pick<DatabaseAddress, 'url'>,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const db = await openDatabase({ url, poolSize: 1 });
  try {
    return await work(db);
  } catch (error) {
    throw asSentence(error as Error, url);
  } finally {
    await db.close();
  }
}

const NO_TABLES = 'it has no tables yet; start the stack, or run npm run db:migrate';

const REFUSED: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'nothing listens at that address; start the stack (npm start), or set DATABASE_URL or RINGFENCE_PORT_POSTGRES to the value that the stack uses',
  ENOTFOUND: 'the host does not exist; correct DATABASE_URL',
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
};

function asSentence(error: Error, url: string): Error {
  if (error instanceof OperatorError) return error;
  // This error's message is for callers of the API. The cause is the error from PostgreSQL or Node.
  const { code, message } = (error.cause ?? error) as Error & { code?: string };
  const { host, pathname } = new URL(url);
  // PostgreSQL's own errors have a code, so a lock timeout does not count as a lost connection.
  const lost = code === undefined && /timeout|terminated/i.test(message);
  const reason = (code === undefined ? undefined : REFUSED[code]) ?? (lost ? REFUSED.ETIMEDOUT : undefined);
  return reason === undefined
    ? error
    : new OperatorError(`The database ${pathname.slice(1)} at ${host} cannot be used: ${reason}.`);
}
