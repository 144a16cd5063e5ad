import pg from 'pg';
import { cloneDatabase, type TestDatabase } from './database.ts';

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
    connectAsService: () => connect(open!.database.url),
  };
}
