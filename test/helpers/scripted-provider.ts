import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import type { Bank } from '../../infra/bank/interface.ts';
import { openBank } from '../../infra/bank/truelayer-v1/index.ts';
import type { BankEntryOf } from '../../infra/config/index.ts';
import { aggregatorEntry } from './production.ts';

/** `lost`: the connection breaks before an answer. Text is sent as it is. */
export type Reply = 'lost' | { status?: number; headers?: Record<string, string>; body?: object | string };

export interface SeenByProvider {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  form: URLSearchParams;
}

/** What the provider answers to a request, by its method and path. A list answers one after another, the last one again. */
export type Script = Record<string, Reply | Reply[]>;

export const TOKEN = 'POST /auth/connect/token';
export const succeeded = (...results: unknown[]) => ({ body: { results, status: 'Succeeded' } });
export const tokens = (number: number, changes: object = {}): Reply => ({
  body: {
    ...{ access_token: `access-${number}`, refresh_token: `refresh-${number}` },
    ...{ token_type: 'Bearer', expires_in: 3_600, ...changes },
  },
});

const NOT_SCRIPTED: Reply = { status: 404, body: { error: 'not_scripted' } };

/** `dataDir` must contain `pki/`. */
export async function startScriptedProvider(dataDir: string) {
  const pki = (file: string) => readFileSync(join(dataDir, 'pki', file));
  const provider = { script: {} as Script, seen: [] as SeenByProvider[], port: 0, open, close };
  const server = createServer({ cert: pki('server.crt'), key: pki('server.key') }, (req, res) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
      const { method = '', url: path = '', headers } = req;
      provider.seen.push({ method, path, headers, form: new URLSearchParams(Buffer.concat(chunks).toString('utf8')) });
      const asked = `${method} ${path.split('?')[0]!}`;
      const scripted = provider.script[asked] ?? NOT_SCRIPTED;
      const reply = Array.isArray(scripted) ? (scripted.length > 1 ? scripted.shift()! : scripted[0]!) : scripted;
      if (reply === 'lost') return void req.socket.destroy();
      const { status = 200, headers: fields = {}, body = '' } = reply;
      res.writeHead(status, { 'content-type': 'application/json', ...fields });
      res.end(typeof body === 'string' ? body : JSON.stringify(body));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  provider.port = (server.address() as { port: number }).port;

  /** The file of the secret is written, too. */
  function open(changes: object = {}): Promise<Bank> {
    const client_secret_file = join(dataDir, 'client-secret');
    writeFileSync(client_secret_file, 'the-secret\n');
    const base = `https://localhost:${provider.port}`;
    const addresses = { auth_url: `${base}/auth`, api_url: `${base}/api`, ca_file: join(dataDir, 'pki', 'ca.crt') };
    const defaults = { providers: 'uk-ob-all', cards: false };
    const entry = aggregatorEntry({ ...defaults, ...addresses, client_secret_file, ...changes });
    return openBank(entry as BankEntryOf<'truelayer-v1'>, { timeoutMs: 10_000, unattendedPerDay: 4 });
  }
  function close(): void {
    server.close();
    server.closeAllConnections();
  }
  return provider;
}
