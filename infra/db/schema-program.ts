import pg from 'pg';
import type { MigrationObject } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import { migrations, type MigrationClass } from './migrations/index.ts';
import { checksumOf, REPEATABLE_FILES, type SqlFile } from './schema-files.ts';

/** The schema that a program needs. */
export interface SchemaProgram {
  readonly migrations: readonly MigrationClass[];
  readonly files: readonly SqlFile[];
}

export interface Checksum {
  readonly name: string;
  readonly checksum: string;
}

export const PROGRAM: SchemaProgram = { migrations, files: REPEATABLE_FILES };

export function checksumsOfFiles({ files }: SchemaProgram): Checksum[] {
  return files.map(({ name, text }) => ({ name, checksum: checksumOf(text) }));
}

export async function checksumsOfMigrations(program: SchemaProgram): Promise<Checksum[]> {
  return Promise.all(program.migrations.map(async (one) => ({ name: one.name, checksum: await checksumOfOne(one) })));
}

/** For MikroORM. Each migration also stores its checksum, in its own transaction. */
export async function recordingMigrations(program: SchemaProgram): Promise<MigrationObject[]> {
  const checksums = await checksumsOfMigrations(program);
  return program.migrations.map((one, index) => ({ name: one.name, class: recording(one, checksums[index]!) }));
}

/** A subclass cannot extend the abstract `up()` of MikroORM's type. */
interface Written extends Migration {
  up(): Promise<void> | void;
}

function recording(
  One: new (...parts: ConstructorParameters<MigrationClass>) => Written,
  { name, checksum }: Checksum,
): MigrationClass {
  return class extends One {
    override getQueries() {
      const record = `insert into schema_files (name, checksum, applied_at)
        values (${pg.escapeLiteral(name)}, ${pg.escapeLiteral(checksum)}, clock_timestamp())
        on conflict (name, checksum) do update set applied_at = excluded.applied_at`;
      return [...super.getQueries(), record];
    }
  };
}

async function checksumOfOne(One: MigrationClass): Promise<string> {
  const migration = new One(...NOTHING);
  await migration.up();
  return checksumOf(migration.getQueries().map(textOf).join(';\n'));
}

// `up()` uses neither the driver nor the configuration.
const NOTHING = [undefined, undefined] as unknown as ConstructorParameters<MigrationClass>;

function textOf(statement: unknown): string {
  if (typeof statement !== 'string') throw new Error('A migration must give its SQL as text.');
  return statement;
}
