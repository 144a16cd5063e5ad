import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export interface SqlFile {
  /** The path below `schema/`, without `.sql`. */
  readonly name: string;
  readonly text: string;
}

const SCHEMA = resolve(import.meta.dirname, 'schema');

export const TABLES = filesIn('tables');

/** What PostgreSQL says of each constraint and unique index that `TABLES` make. */
export const CONSTRAINTS = JSON.parse(readFileSync(resolve(SCHEMA, 'constraints.json'), 'utf8')) as Readonly<
  Record<string, string>
>;

/** Applied again when their text changes. A trigger needs its function, so functions come first. */
export const REPEATABLE_FILES = [...filesIn('functions'), ...filesIn('triggers')];

export function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function filesIn(folder: string): SqlFile[] {
  const names = readdirSync(resolve(SCHEMA, folder)).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => ({
    name: `${folder}/${name.slice(0, -'.sql'.length)}`,
    text: readFileSync(resolve(SCHEMA, folder, name), 'utf8'),
  }));
}
