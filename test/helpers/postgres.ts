import pg from 'pg';

export const TEMPLATE = 'ringfence_template';

export function urlOf(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}

export function serviceUrl(url: string): string {
  return urlAs(url, 'ringfence_service');
}

export function ownerUrl(url: string): string {
  return urlAs(url, 'ringfence');
}

function urlAs(url: string, role: string): string {
  const address = new URL(url);
  // In development each role's name is its password; elsewhere both roles share a password.
  if (address.password === address.username) address.password = role;
  address.username = role;
  return address.href;
}

/** Retries while PostgreSQL's own maintenance is using the database. */
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

/** Runs a statement outside any transaction, as `create database` requires. */
/** @returns the number of rows */
export async function administer(url: string, statement: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
