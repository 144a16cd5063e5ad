// The container's health check. Exit code 0 means that the process is ready.
import { readFileSync } from 'node:fs';
import { request as http } from 'node:http';
import { request as https } from 'node:https';
import { hostname } from 'node:os';
import { join } from 'node:path';

const WITHIN_MS = 4_000;

// The command line of process 1 is `node`, its options and the program. Tests pass another file.
const [, ...words] = readFileSync(process.argv[2] ?? '/proc/1/cmdline', 'utf8').split('\0');
const program = words.find((word) => !word.startsWith('-')) ?? '';
const asked = urlOf(program);
// Other commands run and exit, so a running command is healthy.
if (asked !== undefined) ask(asked);

function urlOf(name) {
  if (name.endsWith('programs/readers.ts')) return 'http://reader/';
  if (name.endsWith('programs/api.ts')) return `https://127.0.0.1:${process.env.RINGFENCE_PORT_API || 8443}/readyz`;
  const metrics = process.env.METRICS_PORT_WORKER || '9484';
  return name.endsWith('programs/worker.ts') && metrics !== '0' ? `http://127.0.0.1:${metrics}/ready` : undefined;
}

function ask(url) {
  // The certificate is not for 127.0.0.1, but the request stays in this container.
  const options = { rejectUnauthorized: false, timeout: WITHIN_MS, ...socketFor(url) };
  const request = (url.startsWith('https:') ? https : http)(url, options, (response) => {
    response.resume();
    process.exit(response.statusCode === 200 ? 0 : 1);
  });
  request
    .on('timeout', () => process.exit(1))
    .on('error', () => process.exit(1))
    .end();
}

// As in infra/documents/service.ts.
function socketFor(url) {
  return url === 'http://reader/' ? { socketPath: join(process.env.DOCUMENT_READERS, `${hostname()}.sock`) } : {};
}
