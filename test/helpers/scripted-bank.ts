import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { signMessage, type Signer } from '../../infra/bank/obie-4.0/message-signing.ts';

export interface Seen {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface ScriptedBank {
  port: number;
  signer: Signer;
  /** What `/jwks` serves. */
  keys: JsonWebKey[];
  keysRead: number;
  /** Joins the discovery document. */
  metadata: Record<string, unknown>;
  /** Requests, except those for tokens, keys and the discovery document. */
  seen: Seen[];
  tokensIssued: number;
  /** Responds to the requests that `seen` lists. */
  onRequest: (request: Seen, res: ServerResponse) => void | Promise<void>;
  /** Responds to requests for tokens. If null, the bank issues tokens. */
  onToken: ((res: ServerResponse, form: URLSearchParams) => void | Promise<void>) | null;
  signed(res: ServerResponse, status: number, body: string, headers?: Record<string, string>): Promise<void>;
  close(): void;
}

/** Fails as no real bank does on demand. */
export async function startScriptedBank(dataDir: string): Promise<ScriptedBank> {
  const pki = (file: string) => readFileSync(join(dataDir, 'pki', file));
  const server = createServer({
    ca: pki('ca.crt'),
    cert: pki('server.crt'),
    key: pki('server.key'),
    requestCert: true,
    rejectUnauthorized: true,
  });
  const key = createPrivateKey(pki('bank-server-signing.key'));
  const bank: ScriptedBank = {
    port: 0,
    signer: { keyId: 'bank', issuer: 'bank.example', tan: 'openbanking.org.uk', key },
    keys: [publicKeyOf(key, 'bank')],
    keysRead: 0,
    metadata: {},
    seen: [],
    tokensIssued: 0,
    onRequest: (_request, res) => void res.writeHead(404).end(),
    onToken: null,
    async signed(res, status, body, headers = {}) {
      res.writeHead(status, { ...headers, 'x-jws-signature': await signMessage(body, bank.signer) }).end(body);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  server.on('request', (req, res) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString('utf8');
      if (req.url === '/.well-known/openid-configuration') {
        json(res, discoveryOf(bank));
        return;
      }
      if (req.url === '/jwks') {
        bank.keysRead += 1;
        json(res, { keys: bank.keys });
        return;
      }
      if (req.url === '/token') {
        if (bank.onToken) return bank.onToken(res, new URLSearchParams(body));
        const access_token = `token-${++bank.tokensIssued}`;
        json(res, { access_token, token_type: 'Bearer', expires_in: 300 });
        return;
      }
      const path = (req.url ?? '').replace(/^\/open-banking\/v4\.0(?:\/(?:aisp|pisp))?(?=\/)/, '');
      const request = { method: req.method ?? '', path, headers: req.headers, body };
      bank.seen.push(request);
      await bank.onRequest(request, res);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  bank.port = address.port;
  return bank;
}

export function publicKeyOf(key: KeyObject, kid: string): JsonWebKey {
  return { ...createPublicKey(key).export({ format: 'jwk' }), kid, use: 'sig', alg: 'PS256' };
}

function discoveryOf({ port, metadata }: ScriptedBank) {
  const issuer = `https://localhost:${port}`;
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['PS256'],
    ...metadata,
  };
}

export function json(res: ServerResponse, body: object, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
