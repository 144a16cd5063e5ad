import pg from 'pg';

/** The migrated database that every test's own is cloned from. */
export const TEMPLATE = 'ringfence_template';

/** The address of another database of the same server. */
export function urlOf(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}

/** Runs a statement that needs a connection of its own, such as `create database`. */
export async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
