import { chmod, mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILE_CACHE } from '../../infra/process/compile-cache.ts';
import { createCheckpointKey } from '../../infra/witness/checkpoint-key.ts';
import { createKeyFile } from '../../infra/keys/key-file.ts';
import { ensurePki } from '../../infra/keys/pki.ts';
import { prepareDatabase } from '../../programs/admin/prepare-database.ts';
import { startPostgres, startTemporal } from './embedded.ts';
import { RATES } from './environment.ts';
import { administer, TEMPLATE, urlOf } from './postgres.ts';
import { freePort } from './ports.ts';
import { newPassword, OWN_AUTHORITY, withPassword } from './production.ts';

type Stop = () => Promise<void>;

declare global {
  var stopTestServers: Stop | undefined;
}

const FASTER_THAN_SAFE = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  shared_buffers: '128MB',
  max_connections: '400',
};

export default async function globalSetup(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'ringfence-test-'));
  await chmod(dir, 0o711);
  const temporal = lazyTemporal(dir);
  const [postgres, door] = await Promise.all([
    startTemplate(dir),
    openDoor(temporal.start),
    ensurePki(join(dir, 'pki'), { authority: OWN_AUTHORITY }),
    createKeyFile(join(dir, 'keys', 'master.json')),
    createCheckpointKey(join(dir, 'keys', 'checkpoint.key')),
  ]);

  // Programs that tests start read this variable too.
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  process.env.RINGFENCE_TEST_DIR = dir;
  process.env.RINGFENCE_TEST_DATABASE_URL = postgres.url;
  process.env.RINGFENCE_TEST_DOOR = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  globalThis.stopTestServers = async () => {
    door.closeAllConnections();
    door.close();
    await Promise.all([temporal.stop(), postgres.stop()]);
  };
}

async function startTemplate(dir: string) {
  const postgres = await startPostgres({
    dir: join(dir, 'postgres'),
    port: await freePort(),
    settings: FASTER_THAN_SAFE,
  });
  try {
    const password = newPassword();
    await administer(postgres.serviceUrl, `alter role ringfence_service password '${password}'`);
    await administer(postgres.url, `alter role ringfence password '${password}'`);
    const [url, serviceUrl] = [withPassword(postgres.url, password), withPassword(postgres.serviceUrl, password)];
    await administer(url, `create database ${TEMPLATE}`);
    const database = { url: urlOf(serviceUrl, TEMPLATE), migrationUrl: urlOf(url, TEMPLATE) };
    await prepareDatabase({ database, ...RATES }, 'sandbox');
    return { ...postgres, url, serviceUrl };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

// Jest's workers are separate processes that share one Temporal server.
function lazyTemporal(dir: string) {
  let running: ReturnType<typeof startTemporal> | undefined;
  const start = async () => {
    const [port, uiPort] = [await freePort(), await freePort()];
    const databaseFile = join(dir, 'temporal', 'temporal.db');
    return startTemporal({ databaseFile, port, uiPort, namespace: 'default', logLevel: 'error' });
  };
  return {
    start: () => (running ??= start()),
    stop: async () => (await running?.catch(() => undefined))?.stop(),
  };
}

function openDoor(startTemporalOnce: () => Promise<{ address: string }>): Promise<Server> {
  const server = createServer((_request, response) => {
    startTemporalOnce().then(
      ({ address }) => response.end(JSON.stringify({ address })),
      (error: unknown) => response.writeHead(500).end(JSON.stringify({ error: String(error) })),
    );
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
