import pg from 'pg';
import { cloneDatabase, type TestDatabase } from './database.ts';

/** Gives the tests of this file a database, a connection of the schema's owner, and PostgreSQL's type names by oid. */
export function withDescribedDatabase() {
  let open: { database: TestDatabase; client: pg.Client } | undefined;
  const clients: pg.Client[] = [];
  const connect = async (connectionString: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    clients.push(client);
    return client;
  };
  const typeNames = new Map<number, string>();
  beforeAll(async () => {
    const database = await cloneDatabase();
    const client = await connect(database.ownerUrl);
    open = { database, client };
    const { rows } = await client.query<{ oid: number; typname: string }>('select oid::int, typname from pg_type');
    for (const { oid, typname } of rows) typeNames.set(oid, typname);
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await open?.database.drop();
  });
  return {
    typeNames,
    get client() {
      return open!.client;
    },
    /** Connects as the service's role. The connection is closed after the tests. */
    connectAsService: () => connect(open!.database.url),
  };
}
