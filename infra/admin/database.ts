import pg, { type QueryResultRow } from 'pg';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { askedAlone } from '../db/gathered.ts';
import { queriesBy, rowTypes, valuesOf, type Query } from '../db/sql.ts';
import { OperatorError } from './errors.ts';

/**
 * One connection and nothing else: a command is over before MikroORM would be loaded.
 * @throws OperatorError when the database cannot be reached, in a sentence that says what to do.
 */
export async function connect(config: Pick<Config['database'], 'url'>): Promise<Database> {
  const client = new pg.Client({ connectionString: config.url, connectionTimeoutMillis: 5_000 });
  // A connection that is lost while idle also fails the statement that comes next; that one is reported.
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => Promise.reject(asSentence(error as Error, config.url)));
  const types = rowTypes(pg.types);
  let inTransaction = false;

  const execute = <Row extends QueryResultRow>({ name, text }: Query<Row>, values: readonly unknown[] = []) =>
    client
      .query<Row>({ name, text, values: values as unknown[], types })
      .catch((error: unknown) => Promise.reject(asSentence(error as Error, config.url)));

  const queries = queriesBy(execute);
  return {
    ...queries,
    lookUp: queries.maybe,
    gathered: (statement, line) => askedAlone(queries, statement, line),
    open: async (statement, line) => (await askedAlone(queries, statement, line))[0]!,
    async runAhead(statement, values = []) {
      await execute(statement, valuesOf(statement, values));
    },
    sharedTransaction: () => notHere('shared transactions'),
    async transaction(work) {
      if (inTransaction) return work();
      await client.query('begin');
      inTransaction = true;
      try {
        const result = await work();
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch(() => undefined);
        throw error;
      } finally {
        inTransaction = false;
      }
    },
    runLast: () => notHere('last statements'),
    afterCommit: () => notHere('commit hooks'),
    entities: () => notHere('entities'),
    listen: () => notHere('notifications'),
    pool: () => notHere('pool'),
    close: () => client.end(),
  };
}

function notHere(what: string): never {
  throw new Error(`the connection of the command line has no ${what}`);
}

const NO_TABLES = 'it has no tables yet; start the stack, or run npm run db:migrate';

const REFUSED: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'nothing listens there; start the stack (npm start), or set DATABASE_URL or RINGFENCE_PORT_POSTGRES as it is set there',
  ENOTFOUND: 'there is no such host; correct DATABASE_URL',
  ETIMEDOUT: 'it does not answer; look at the network, or correct DATABASE_URL',
  '28P01': 'it refuses the password; correct DATABASE_URL',
  '28000': 'it refuses the user; correct DATABASE_URL',
  '3D000': 'there is no such database; correct DATABASE_URL',
  '42501':
    'its role may not do that; run npm run db:migrate with DATABASE_MIGRATION_URL set to the owner of the schema',
  '42P01': NO_TABLES,
  '42883': NO_TABLES,
  '57P03': 'it is starting or stopping; try again in a few seconds',
  '53300': 'it has no connection left; try again, or give it more',
};

function asSentence(error: Error & { code?: string }, url: string): Error {
  const { code, message } = error;
  const { host, pathname } = new URL(url);
  // PostgreSQL's own refusals have a code: a lock that nobody let go in time is none of a lost connection.
  const lost = code === undefined && /timeout|terminated/i.test(message);
  const reason = (code === undefined ? undefined : REFUSED[code]) ?? (lost ? REFUSED.ETIMEDOUT : undefined);
  return reason === undefined
    ? error
    : new OperatorError(`The database ${pathname.slice(1)} at ${host} cannot be used: ${reason}.`);
}
