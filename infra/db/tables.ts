import { UnderscoreNamingStrategy, type InferKyselyDB } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect, type Insertable, type Selectable } from 'kysely';
import * as definitions from './entities/index.ts';

export const entities = Object.values(definitions);

export type Tables = InferKyselyDB<(typeof entities)[number]>;
export type Table = keyof Tables;
/** A row as read: instants as ISO 8601, dates as `YYYY-MM-DD`, money in pence. */
export type Row<T extends Table> = Selectable<Tables[T]>;
export type NewRow<T extends Table> = Insertable<Tables[T]>;

/** Builds queries without a connection. `Database` runs the queries. */
export const tables = new Kysely<Tables>({
  dialect: new PostgresDialect({ pool: () => Promise.reject(new Error('Give the query to `Database`.')) }),
});

const naming = new UnderscoreNamingStrategy();
const columns = new Map(
  entities.map(({ meta }) => [
    meta.tableName,
    Object.keys(meta.properties).map((name) => naming.propertyToColumnName(name)),
  ]),
);

/** For prepared statements, because a prepared `select *` fails after a migration adds a column. */
export function columnsOf<T extends Table>(table: T) {
  return columns.get(table) as (keyof Tables[T] & string)[];
}
