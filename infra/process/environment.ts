import { setGlobalProxyFromEnv } from 'node:http';
import { GROUPS } from '../config/groups/index.ts';
import { settingsIn } from '../config/reading.ts';

/*
 * Libraries read the environment by themselves. So a variable that was set for another program, such as PGHOST, could
 * change where this process connects. Each program imports this file first, before a library reads a variable.
 */

/** What the user set. For programs that download: they use the user's proxy. */
export const asGiven: Readonly<NodeJS.ProcessEnv> = { ...process.env };

const OURS = new Set(Object.values(GROUPS).flatMap((group) => settingsIn(group).map(({ variable }) => variable)));
// The paths of programs; the second one is for tests.
for (const name of ['TEMPORAL_CLI', 'TEMPORAL_TEST_SERVER']) OURS.add(name);

const OF_LIBRARIES = [
  // The clients of PostgreSQL.
  /^PG[A-Z_]+$/,
  /^NODE_PG_/,
  /^MIKRO_ORM_/,
  // The SDK and the CLI of Temporal, and the SDK's gRPC client.
  /^TEMPORAL_/,
  /^GRPC_/,
  // Only some of the libraries use a proxy, and the parts on this machine would be unreachable through it.
  /^\w*_proxy$/i,
  /^NODE_USE_ENV_PROXY$/,
  // Native modules, threads, HTTP and debugging output.
  /^NAPI_RS_/,
  /^PISCINA_/,
  /^UNDICI_/,
  /^DEBUG$/,
];

export function isOfLibrary(name: string): boolean {
  return OF_LIBRARIES.some((pattern) => pattern.test(name)) && !OURS.has(name.replace(/_FILE$/, ''));
}

const removed = Object.keys(process.env).filter(isOfLibrary);
for (const name of removed) Reflect.deleteProperty(process.env, name);

// Node reads the proxy's variables before this file. Its `fetch` uses no proxy for any host (`*`) from here on.
if (removed.some((name) => /proxy$/i.test(name)))
  setGlobalProxyFromEnv({ http_proxy: 'http://localhost', https_proxy: 'http://localhost', no_proxy: '*' });
