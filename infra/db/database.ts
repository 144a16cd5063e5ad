import type { EntityManager } from '@mikro-orm/postgresql';
import type { Config } from '../config/index.ts';
import type { PoolClient } from 'pg';
import { queriesBy, runBy, type Queries, type QueryWatch, type Result, type Run } from './connection.ts';
import { asUnavailable, isTransient } from './errors.ts';
import { groupCommit } from './group-commit/index.ts';
import { listenerOn, type Listener } from './listen.ts';
import { loaderOf } from './loader.ts';
import { createOrm } from './orm.ts';
import { serverIdentity } from './queries/witness.ts';
import type { Query } from './query.ts';
import { inTransaction, type InTransaction } from './transaction.ts';

/** Each query of its own commits alone. Entries that are read at the same time share one query. */
export interface Database extends Queries {
  /** After a deadlock or a serialisation failure, `work` runs again, so `work` must do only database work. */
  transaction: InTransaction;
  /** Like `transaction`, but concurrent calls can commit together, and `work` can run again (docs/decisions.md). */
  groupTransaction: InTransaction;
  /** For plain records. MikroORM writes values into the SQL text, so no secrets, personal data or owners' data here. */
  entities(): EntityManager;
  /** Calls `tell` for each new connection, with its server and database, before the connection's first query ends. */
  onConnection(tell: (server: string) => void): void;
  listener(channel: string, notify: (payload: string) => void): Listener;
  pool(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/** Without `timeoutMs`, queries have no time limit. */
export type DatabaseAddress = Pick<Config['database'], 'url' | 'poolSize'> &
  Partial<Pick<Config['database'], 'timeoutMs' | 'groupCommit'>>;

const MOST_RUNS = 4;

export async function openDatabase(config: DatabaseAddress, watch?: QueryWatch): Promise<Database> {
  const orm = createOrm(config);
  const pool = await orm.em.getDriver().getConnection().getNativeClient();
  const run = runBy(watch);
  const execute = async <Row>(query: Query<Row>): Promise<Result<Row>> => {
    try {
      return await run(query, pool);
    } catch (error) {
      throw asUnavailable(error);
    }
  };
  const load = loaderOf(execute);
  const transaction: InTransaction = async (work) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await inTransaction({ pool, run }, work);
      } catch (error) {
        if (tries === MOST_RUNS || !isTransient(error)) throw asUnavailable(error);
      }
    }
  };
  const queries = queriesBy(execute, async (statement) =>
    'batch' in statement ? load(statement) : (await execute(statement)).rows[0],
  );
  return {
    ...queries,
    transaction,
    groupTransaction: config.groupCommit === 'on' ? groupCommit({ pool, run, load, alone: transaction }) : transaction,
    entities: () => orm.em.fork(),
    onConnection: (tell) => void pool.on('connect', (client) => void tellServer(run, client, tell)),
    listener: (channel, notify) => listenerOn(pool, channel, notify),
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await orm.close(true);
      // MikroORM closes the pool only if MikroORM itself has used it.
      if (!pool.ending) await pool.end();
    },
  };
}

/** If the query fails, the connection's own queries fail too. */
async function tellServer(run: Run, client: PoolClient, tell: (server: string) => void): Promise<void> {
  const found = await run(serverIdentity(), client).catch(() => undefined);
  const [row] = found?.rows ?? [];
  if (row !== undefined) tell(row.server);
}
