import { createPrivateKey } from 'node:crypto';
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
  /** Requests, except those for tokens. */
  seen: Seen[];
  tokensIssued: number;
  /** Responds to requests, except those for tokens. */
  onRequest: (request: Seen, res: ServerResponse) => void | Promise<void>;
  /** Responds to requests for tokens. If null, the bank issues tokens. */
  onToken: ((res: ServerResponse) => void) | null;
  signed(res: ServerResponse, status: number, body: string): Promise<void>;
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
  const bank: ScriptedBank = {
    port: 0,
    signer: { keyId: 'bank', issuer: 'bank.example', key: createPrivateKey(pki('bank-server-signing.key')) },
    seen: [],
    tokensIssued: 0,
    onRequest: (_request, res) => void res.writeHead(404).end(),
    onToken: null,
    async signed(res, status, body) {
      res.writeHead(status, { 'x-jws-signature': await signMessage(body, bank.signer) }).end(body);
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
      if (req.url === '/token') {
        if (bank.onToken) {
          bank.onToken(res);
          return;
        }
        const access_token = `token-${++bank.tokensIssued}`;
        res.writeHead(200).end(JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 300 }));
        return;
      }
      const body = Buffer.concat(chunks).toString('utf8');
      const request = { method: req.method ?? '', path: req.url ?? '', headers: req.headers, body };
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
