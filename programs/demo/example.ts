import '../../infra/process/environment.ts';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createServer } from 'vite';
import type { listClients } from '../../activities/auth/clients.ts';
import { createClient, isProblem } from '../../client/src/index.ts';
import { tlsFetch } from '../../client/src/node.ts';
import { SCOPES } from '../../examples/web/src/scopes.ts';
import { OperatorError } from '../admin/errors.ts';
import { settingsHere } from '../admin/right-stack.ts';
import { readConfig, type Config } from '../../infra/config/index.ts';
import { sentenceOf } from './main.ts';
import { createTeller } from './print.ts';
import { command, must } from './stage.ts';

/* `npm run example` serves the page of examples/web, and registers the page as a client of the running stack. */

const PAGE = resolve(import.meta.dirname, '../../examples/web');
const NAME = 'Example page';
const PERSON = { email: 'example@example.org', password: 'correct horse battery' };
const USAGE = 'Usage: npm run example -- --port PORT';
const teller = createTeller(process.stdout);

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    teller.line(USAGE);
    return;
  }
  const port = portOf(args);
  const config = readConfig(await settingsHere(process.env, ['database']));
  must(config.environment === 'sandbox', 'The example is for the sandbox only: unset RINGFENCE_ENV.');
  const { publicUrl, tls } = config.api;
  await registerPerson(config);
  const envDir = join(config.dataDir, 'example');
  const clientId = await clientOf(`http://localhost:${port}`);
  mkdirSync(envDir, { recursive: true });
  writeFileSync(join(envDir, '.env'), `VITE_SERVICE=${publicUrl}\nVITE_CLIENT_ID=${clientId}\n`);
  const vite = await createServer({ root: PAGE, envDir, logLevel: 'warn', server: { port: Number(port) } });
  await vite.listen().catch((cause: unknown) => {
    throw new OperatorError(
      `Port ${port} cannot be used. Name another one: npm run example -- --port ${Number(port) + 1}`,
      { cause },
    );
  });
  teller.line(`
The example page runs; Ctrl-C stops it.
  Page        http://localhost:${port}/
  Sign in     ${PERSON.email}
  Password    ${PERSON.password}
  Payslip     programs/demo/payslip.pdf

Your browser must trust the certificate of the service. Open ${publicUrl}/docs once and accept it,
or add ${relative(process.cwd(), tls.ca)} to the authorities that your browser trusts.`);
}

function portOf(args: string[]): string {
  try {
    const { port } = parseArgs({ args, options: { port: { type: 'string', default: '5173' } } }).values;
    if (/^\d+$/.test(port) && Number(port) <= 65_535) return port;
  } catch {
    // The usage replaces the parser's error message.
  }
  throw new OperatorError(USAGE);
}

async function registerPerson({ api }: Config): Promise<void> {
  const client = createClient({ baseUrl: api.publicUrl, fetch: tlsFetch({ ca: readFileSync(api.tls.ca) }) });
  await client.registerUser({ body: PERSON }).catch((error: unknown) => {
    if (!isProblem(error, 'email-taken')) throw error;
  });
}

async function clientOf(origin: string): Promise<string> {
  const { items } = (await command({ teller }, 'client', 'list')) as Awaited<ReturnType<typeof listClients>>;
  const known = items.find(
    ({ name, origins, removed_at }) => name === NAME && origins.includes(origin) && removed_at === null,
  );
  if (known !== undefined) return known.client_id;
  const { app_id } = await command({ teller }, 'app', 'create', '--name', NAME);
  const pages = ['--redirect-uri', `${origin}/`, '--origin', origin];
  const client = ['--app', String(app_id), '--name', NAME, '--scopes', SCOPES, '--public'];
  return String((await command({ teller }, 'client', 'create', ...client, ...pages)).client_id);
}

await main().catch((error: unknown) => {
  process.stderr.write(`\n${sentenceOf(error)}\n`);
  process.exit(1);
});
