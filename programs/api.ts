import '../infra/process/environment.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { readInstitutions } from '../activities/bank/banks.ts';
import { checkReady } from '../activities/readiness.ts';
import { compareChains } from '../activities/restore/chains.ts';
import { ConfigError, readConfig, type ApiConfig } from '../infra/config/index.ts';
import { outliveOutput } from '../infra/process/output.ts';
import { sentenceOf } from '../infra/process/foreseen.ts';
import { requireDatabase } from '../infra/process/require-database.ts';
import { requireFolder, requireWitness } from '../infra/process/require-witness.ts';
import { startBackgroundTask } from '../infra/background/task.ts';
import { startKeyUse } from '../infra/background/key-use.ts';
import { openServices, type Services } from '../infra/services.ts';
import { exitCodeOf } from '../infra/config/settings.ts';
import { started } from '../infra/process/starting.ts';
import { openTemporal } from '../infra/temporal/client.ts';
import { requireSameTls } from '../infra/temporal/tls-check.ts';
import { startRelay } from '../infra/temporal/relay.ts';
import { clientInterceptors } from '../infra/temporal/client-tracing.ts';
import { startWatching } from '../infra/telemetry/process.ts';
import { createApp, type App } from '../api/app.ts';
import { startServer } from '../api/http/server/server.ts';

const FINISH_WITHIN_MS = 10_000;
const SCHEMA_WITHIN_MS = 3_000;
const INSTITUTIONS_EVERY_MS = 60_000;

async function main(): Promise<void> {
  outliveOutput();
  const config = readConfig(process.env, 'api');
  const services = await openServices(config, 'api');
  await requireFolder(services);
  const temporal = openTemporal(config.temporal, clientInterceptors(services.tracing));
  // A Temporal that cannot be reached now is not checked.
  void requireSameTls(config.temporal).catch(giveUp);
  // A worker's relay usually comes first. If no worker runs, operators still see the waiting workflow in Temporal.
  const relay = startRelay(services, temporal, { headStartS: 3 });
  const keyUse = startKeyUse(services);
  const restoreWatch = services.restoring.start();
  // The API starts and reports its state even if the database is down. The schema check runs once the database is back.
  services.restoring.alsoBy(compareChains(services));
  const usable = requireDatabase(services).then(() => requireWitness(services));
  await Promise.race([usable.catch(giveUp), sleep(SCHEMA_WITHIN_MS, undefined, { ref: false })]);
  const app = await createApp(services as Services & typeof services);
  const institutions = startBackgroundTask(
    { name: 'institutions of banks', log: services.log, pauseMs: INSTITUTIONS_EVERY_MS },
    () => readInstitutions(services),
  );
  const servers = await startServers(config.api, app);
  let isStopping = false;
  const ready = () => {
    if (isStopping) throw new Error('this process is stopping');
    return checkReady(services);
  };
  const watching = await startWatching(services, { port: config.metrics.apiPort, ready });
  services.log.info({ ports: servers.map(({ port }) => port), environment: config.environment }, 'serving');

  const stop = async () => {
    services.log.info({}, 'stopping');
    isStopping = true;
    app.stopping();
    await Promise.all(servers.map((server) => server.stop(FINISH_WITHIN_MS)));
    await Promise.all([relay.stop(), keyUse.stop(), institutions.stop(), restoreWatch.stop()]);
    await temporal.connection.close();
    await watching?.close();
    await services.close();
    process.exit(0);
  };
  let stopped: Promise<void> | undefined;
  started();
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) {
    process.on(event, () => {
      stopped ??= stop().catch(giveUp);
    });
  }
  process.send?.({ ready: true });
}

async function startServers({ host, port, tls, publicUrl, vaultClientCa, proxied }: ApiConfig, app: App) {
  const servers = [await startServer({ host, port, publicUrl, tls: { ...tls, ca: vaultClientCa } }, app)];
  if (proxied.port === 0) return servers;
  const plain = startServer({ host: proxied.host, port: proxied.port }, app).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new ConfigError(
      `RINGFENCE_PORT_PROXIED is ${proxied.port}, but another program uses this port. Set a different port.`,
    );
  });
  return [...servers, await plain];
}

function giveUp(error: unknown): never {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    process.stderr.write(
      `Another program uses port ${port}. Stop that program, or set RINGFENCE_PORT_API to a different port.\n`,
    );
  else process.stderr.write(`${sentenceOf(error) ?? inspect(error)}\n`);
  process.exit(exitCodeOf(error));
}

if (import.meta.main) await main().catch(giveUp);
