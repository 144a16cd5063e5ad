import { openDatabase, type Database, type DatabaseAddress } from '../../infra/db/database.ts';
import { unusable } from '../../infra/db/unusable.ts';
import { OperatorError } from './errors.ts';

/** @throws OperatorError with advice if the database cannot be used. */
export async function withDatabase<T>(
  { url }: Pick<DatabaseAddress, 'url'>,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  let db: Database | undefined;
  try {
    db = await openDatabase({ url, poolSize: 1 });
    return await work(db);
  } catch (error) {
    const sentence = unusable(error, url);
    throw sentence === undefined ? error : new OperatorError(sentence);
  } finally {
    await db?.close();
  }
}
