import { createHash, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import { addExpress, addValidator } from './bare-express.ts';
import { open, seal, type BareSealed } from './bare-seal.ts';

const POOL = 20;

/**
 * The bench's baseline: Express and `pg` with prepared statements, without TLS, idempotency or audit.
 * Of its routes, one validates requests, and one checks a token.
 */
function main(): void {
  const pool = new pg.Pool({ connectionString: process.env.BARE_DATABASE_URL, max: POOL });
  const app = express().disable('x-powered-by').disable('etag').use(express.json());

  addExpress(app);
  app.post('/insert', async (request, response) => {
    const { note } = request.body as { note: string };
    await pool.query({
      name: 'insert',
      text: 'insert into notes (id, note) values ($1, $2)',
      values: [randomUUID(), note],
    });
    response.status(201).json({ note });
  });
  app.get('/note/:id', async (request, response) => {
    const text = 'select note from notes where id = $1';
    const { rows } = await pool.query({ name: 'note', text, values: [request.params.id] });
    response.status(rows.length === 1 ? 200 : 404).json(rows[0] ?? null);
  });
  app.post('/store', async (request, response) => {
    const id = randomUUID();
    const { sealed, iv, tag } = seal(JSON.stringify(request.body), id);
    await pool.query({
      name: 'store',
      text: `with kept as (insert into records (id, owner, sealed, iv, tag) values ($1, $2, $3, $4, $5))
             insert into audit (record, kind, at) values ($1, 'stored', now())`,
      values: [id, 'owner', sealed, iv, tag],
    });
    response.status(201).json({ id });
  });
  app.get('/get/:id', async (request, response) => {
    const { id } = request.params;
    const { rows } = await pool.query<BareSealed>({
      name: 'get',
      text: `with seen as (insert into audit (record, kind, at) values ($1, 'read', now()))
             select sealed, iv, tag from records where id = $1`,
      values: [id],
    });
    response.status(200).json(JSON.parse(open(rows[0]!, id)));
  });
  app.get('/token', async (request, response) => {
    const hash = createHash('sha256')
      .update(request.headers.authorization ?? '')
      .digest('hex');
    const { rows } = await pool.query({
      name: 'token',
      text: 'select owner, scopes from tokens where hash = $1',
      values: [hash],
    });
    response.status(rows.length === 1 ? 200 : 401).json(rows[0] ?? null);
  });
  app.post('/transfer', async (request, response) => {
    const { from, to, amount } = request.body as { from: number; to: number; amount: number };
    const client = await pool.connect();
    try {
      response.status(201).json({ id: await transfer(client, from, to, amount) });
    } finally {
      client.release();
    }
  });

  addValidator(app);

  const server = app.listen(Number(process.env.BARE_PORT), '127.0.0.1', () => {
    process.send?.({ ready: true, port: (server.address() as AddressInfo).port });
  });
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(event, () => process.exit(0));
}

async function transfer(client: pg.PoolClient, from: number, to: number, amount: number): Promise<string> {
  const id = randomUUID();
  const move = 'update accounts set balance = balance + $2 where account = $1';
  try {
    await client.query('begin');
    await client.query({ name: 'move', text: move, values: [from, -amount] });
    await client.query({ name: 'move', text: move, values: [to, amount] });
    await client.query({
      name: 'entries',
      text: 'insert into entries (transfer, account, amount) values ($1, $2, $4), ($1, $3, $5)',
      values: [id, from, to, -amount, amount],
    });
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
  return id;
}

main();
