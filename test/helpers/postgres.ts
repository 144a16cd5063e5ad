import pg from 'pg';

/** The migrated database that every test's own is cloned from. */
export const TEMPLATE = 'ringfence_template';

/** The address of another database of the same server. */
export function urlOf(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}

/** The same database as the service comes to it. */
export function serviceUrl(url: string): string {
  return urlAs(url, 'ringfence_service');
}

/** The same database as the owner of the schema comes to it. */
export function ownerUrl(url: string): string {
  return urlAs(url, 'ringfence');
}

function urlAs(url: string, role: string): string {
  const address = new URL(url);
  // In a database for development each role's name is its password; else both have one password.
  if (address.password === address.username) address.password = role;
  address.username = role;
  return address.href;
}

/** Drops a database; while PostgreSQL's own housekeeping is at work in it, it cannot be dropped. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await administer(url, `drop database if exists ${name} with (force)`);
      return;
    } catch (error) {
      if (tries === 50 || !(error instanceof Error && error.message.startsWith('permission denied to terminate')))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
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
