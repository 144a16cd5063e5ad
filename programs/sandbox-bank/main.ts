import '../../infra/process/environment.ts';
import { createPrivateKey, X509Certificate, type JsonWebKey } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createLocalJWKSet } from 'jose';
import { readConfig } from '../../infra/config/index.ts';
import { exitCodeOf } from '../../infra/config/settings.ts';
import { outliveOutput } from '../../infra/process/output.ts';
import { openAccounts } from './accounts.ts';
import { openAuthorization, subjectOf } from './authorization.ts';
import { startCalendar } from './calendar.ts';
import { openCalls } from './calls.ts';
import { openClock } from './clock.ts';
import { openConsents } from './consents.ts';
import { openDatabase } from './database.ts';
import { openEventStore } from './event-store.ts';
import { sandboxBankServer } from './server.ts';
import type { Signer } from './signing.ts';
import { openStore } from './store.ts';
import { openTrueLayer } from './truelayer/index.ts';
import { HOUSE_TERMS } from './vrp-consents.ts';

type BankSettings = ReturnType<typeof readBankConfig>;

function readBankConfig() {
  return readConfig(process.env, 'sandbox-bank');
}

/** Everything that the bank keeps, in one file. */
function openBooks({ dataDir }: BankSettings) {
  const folder = resolve(dataDir, 'sandbox-bank');
  mkdirSync(folder, { recursive: true });
  const db = openDatabase(resolve(folder, 'bank.sqlite'));
  const clock = openClock(db);
  const events = openEventStore(db, clock);
  const accounts = openAccounts(db, clock);
  const store = openStore(db, { accounts, events, clock });
  return { db, clock, events, accounts, store, consents: openConsents(db, clock, events), calls: openCalls(db) };
}

function keysOf({ bank, dataDir }: BankSettings) {
  const pki = (file: string) => readFileSync(resolve(dataDir, 'pki', file));
  const key = createPrivateKey(pki('bank-server-signing.key'));
  const signer: Signer = { keyId: 'sandbox-bank', issuer: 'sandbox-bank.local', key };
  const jwk = (from: JsonWebKey, kid: string) => ({ ...from, kid, use: 'sig', alg: 'PS256' });
  const client = new X509Certificate(pki('bank-signing.crt')).publicKey;
  return {
    signer,
    signingKey: jwk(key.export({ format: 'jwk' }), signer.keyId),
    clientKeys: [jwk(client.export({ format: 'jwk' }), bank.signingKeyId)],
    clientCertificate: new X509Certificate(readFileSync(bank.tls.cert)),
    clientSecret: readFileSync(bank.truelayerSecret, 'utf8').trim(),
    tls: { ca: pki('ca.crt'), cert: pki('server.crt'), key: pki('server.key') },
  };
}

type Books = ReturnType<typeof openBooks>;
type Keys = ReturnType<typeof keysOf>;

/** Two authorization servers over the same books: the bank's own, and that of the simulator of TrueLayer. */
function openServers({ api, bank, sandboxBank }: BankSettings, { db, ...books }: Books, keys: Keys) {
  const { signingKey, clientKeys, clientCertificate, clientSecret } = keys;
  const redirectUri = `${api.publicUrl}/api/v1/bank/callback`;
  const client = { clientId: bank.clientId, redirectUri };
  const certificateSubject = subjectOf(clientCertificate);
  const provider = openAuthorization(db, books.consents, {
    issuer: bank.url,
    signingKey,
    client: { ...client, keys: clientKeys, certificateSubject },
  });
  const { unattendedReadsPerDay } = sandboxBank;
  const truelayer = openTrueLayer(
    { db, ...books },
    { publicUrl: bank.url, signingKey, client: { ...client, secret: clientSecret }, unattendedReadsPerDay },
  );
  return { provider, truelayer };
}

function main(): void {
  outliveOutput();
  const config = readBankConfig();
  const { bank, sandboxBank } = config;
  const port = config.stack.bankPort;
  const publicUrl = bank.url;
  const keys = keysOf(config);
  const { signer, clientKeys, tls } = keys;
  const { db, ...books } = openBooks(config);
  books.consents.ensureHouse(bank.consentId, { clientId: bank.clientId, request: HOUSE_TERMS });
  const calendar = startCalendar(books.store);
  const { provider, truelayer } = openServers(config, { db, ...books }, keys);
  const closing = new AbortController();
  const server = sandboxBankServer({
    ...books,
    calendar,
    provider,
    truelayer,
    signer,
    tls,
    publicUrl,
    delays: sandboxBank,
    requestsPerMinute: sandboxBank.requestsPerMinute,
    consentId: bank.consentId,
    clientId: bank.clientId,
    clientKeys: createLocalJWKSet({ keys: clientKeys }),
    closing: closing.signal,
  });

  function stop(): void {
    if (closing.signal.aborted) return;
    closing.abort();
    calendar.stop();
    server.close(() => {
      db.close();
      process.exit(0);
    });
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 2000).unref();
  }
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (process.send) process.on('disconnect', stop);

  server.on('error', (error: NodeJS.ErrnoException) => {
    fail(
      error.code === 'EADDRINUSE'
        ? `Another program uses port ${port}. Stop that program, or set RINGFENCE_PORT_BANK to a different port.`
        : String(error),
    );
  });
  server.listen(port, sandboxBank.host, () => {
    const ready = { ready: true, part: 'sandbox-bank', url: publicUrl };
    process.stdout.write(`${JSON.stringify(ready)}\n`);
    // If the parent has already exited, this process stops, so a failed send is no error.
    process.send?.(ready, undefined, undefined, () => undefined);
    if (process.send && !process.connected) stop();
  });
}

function fail(sentence: string, code = 1): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(code);
}

try {
  main();
} catch (error) {
  fail(error instanceof Error ? error.message : String(error), exitCodeOf(error));
}
