import '../../infra/process/environment.ts';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfig } from '../../infra/config/index.ts';
import { exitCodeOf } from '../../infra/config/settings.ts';
import { outliveOutput } from '../../infra/process/output.ts';
import { startCalendar } from './calendar.ts';
import { sandboxBankServer } from './server.ts';
import { openStore } from './store.ts';

function main(): void {
  outliveOutput();
  const config = readConfig(process.env, 'sandbox-bank');
  const port = config.stack.bankPort;
  const publicUrl = config.bank.url;
  const pki = (file: string) => readFileSync(resolve(config.dataDir, 'pki', file));
  const folder = resolve(config.dataDir, 'sandbox-bank');
  mkdirSync(folder, { recursive: true });
  const store = openStore(resolve(folder, 'bank.sqlite'));
  const calendar = startCalendar(store);
  const closing = new AbortController();
  const server = sandboxBankServer({
    store,
    calendar,
    delays: config.sandboxBank,
    consentId: config.bank.consentId,
    clientId: config.bank.clientId,
    trusted: [new X509Certificate(pki('bank-signing.crt'))],
    signer: {
      keyId: 'sandbox-bank',
      issuer: 'sandbox-bank.local',
      key: createPrivateKey(pki('bank-server-signing.key')),
    },
    publicUrl,
    tls: { ca: pki('ca.crt'), cert: pki('server.crt'), key: pki('server.key') },
    closing: closing.signal,
  });

  function stop(): void {
    if (closing.signal.aborted) return;
    closing.abort();
    calendar.stop();
    server.close(() => {
      store.close();
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
  server.listen(port, config.sandboxBank.host, () => {
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
