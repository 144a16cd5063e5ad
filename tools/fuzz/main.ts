import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SCOPES } from '../../domain/auth.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { commandLine } from '../../test/helpers/command-line.ts';
import { findingsOf } from '../../test/helpers/faults-checks.ts';
import { openFaultClient } from '../../test/helpers/faults-client.ts';
import { bodyFor, caOf, fundOwners } from '../../test/helpers/faults-load.ts';
import { openStack, type FaultStack } from '../../test/helpers/faults.ts';
import { makeDocument, SETS } from '../payslips/index.ts';
import { pythonWith } from '../../test/helpers/python.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { slowBodies } from './bodies.ts';
import { delayInMetrics } from './worst-delays.ts';
import { configOf, contractFor, PASSES, type Pass } from './config.ts';

const SCHEMATHESIS = { library: 'schemathesis', version: '4.32.5' };
const BUNDLE = resolve(import.meta.dirname, '..', '..', 'openapi', 'bundle.json');
const BODIES = 'bodies';
const PARTS = [...Object.keys(PASSES), BODIES];
const USAGE = `npm run fuzz -- [--seed N] [--cases N] [--minutes N] [--operations REGEX] [--pass ${PARTS.join('|')}]

Schemathesis makes requests from the contract, valid and invalid, alone and in chains, with every kind of credential. They go to the
whole service, as npm start runs it. At the end every operation gets its worst bodies, and none may block the API for half a second.
It fails on an answer of 500 or more, an answer that the contract does not have, a fault in the service's log, and a damaged ledger or
audit log.

--cases is the most for each operation and phase (default 25). --seed repeats a run. --minutes ends the run after that time.
--pass runs one part only.`;

const say = (line: string) => process.stderr.write(`${line}\n`);

interface Wanted {
  seed: number;
  cases: number;
  /** The time limit of each pass in seconds. */
  seconds: number | undefined;
  operations: string | undefined;
  passes: Pass[];
  bodies: boolean;
}

/** Exits with 0 without findings, 1 with findings, and 2 for a wrong seed, number of cases or pass. */
async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const options = {
    seed: text,
    cases: text,
    minutes: text,
    operations: text,
    pass: text,
    help: { type: 'boolean' },
  } as const;
  const { values } = commandLine(USAGE, { options });
  const passes = Object.entries(PASSES).flatMap(([name, pass]) =>
    values.pass === undefined || values.pass === name ? [pass] : [],
  );
  const wanted: Wanted = {
    seconds: values.minutes === undefined ? undefined : Math.ceil((Number(values.minutes) * 60) / passes.length),
    seed: Number(values.seed ?? process.env.FUZZ_SEED ?? Date.now() % 1_000_000),
    cases: Number(values.cases ?? process.env.FUZZ_CASES ?? 25),
    operations: values.operations,
    passes,
    bodies: values.pass === undefined || values.pass === BODIES,
  };
  const isNothing = wanted.passes.length === 0 && !wanted.bodies;
  const wrong = !Number.isInteger(wanted.seed) || !(wanted.cases >= 1) || isNothing;
  if (values.help || wrong) {
    say(USAGE);
    process.exitCode = wrong ? 2 : 0;
    return;
  }
  say(
    `fuzz: seed ${wanted.seed}, ${wanted.cases} cases; the same again: npm run fuzz -- --seed ${wanted.seed} --cases ${wanted.cases}`,
  );
  const python = wanted.passes.length > 0 ? await pythonWith(SCHEMATHESIS) : {};
  const metricsPort = await freePort();
  const limits = { LIMIT_VAULT_WRONG_ANSWERS: '1000', LIMIT_FAILED_LOGINS: '1000' };
  const stack = await openStack({ ...limits, METRICS_PORT_API: String(metricsPort) });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stack.stop().then(() => process.exit(130)));
  try {
    const faults = await fuzz({ stack, python, metricsPort, wanted });
    for (const fault of faults) say(`FAILED: ${fault}`);
    say(faults.length === 0 ? 'fuzz: nothing was found' : `fuzz: ${faults.length} faults, seed ${wanted.seed}`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    await stack.stop();
  }
}

interface Fuzzed {
  stack: FaultStack;
  python: NodeJS.ProcessEnv;
  metricsPort: number;
  wanted: Wanted;
}

async function fuzz({ stack, python, metricsPort, wanted }: Fuzzed): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ringfence-fuzz-'));
  try {
    const facts = await factsOf(stack, folder);
    const pids = await pidsOf(stack);
    const faults: string[] = [];
    for (const pass of wanted.passes) {
      say(`\nfuzz: ${pass.says}`);
      const code = await run({ stack, python, folder, facts, pass, wanted });
      if (code !== 0) faults.push(`Schemathesis found something, ${pass.says}`);
    }
    const { url, key, token } = facts;
    const longestDelay = () => delayInMetrics(metricsPort);
    const target = { url, key, token, longestDelay, pki: (file: string) => pkiOf(stack, file) };
    if (wanted.bodies) faults.push(...(await slowBodies(target, { operations: wanted.operations, say })));
    if ((await pidsOf(stack)) !== pids) faults.push('a part of the service ended and was started again');
    return [...faults, ...(await faultsInLogs(stack)), ...(await findingsOf(stack))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function pkiOf({ env }: FaultStack, file: string): string {
  return join(env.RINGFENCE_DATA!, 'pki', file);
}

async function pidsOf(stack: FaultStack): Promise<string> {
  return [await stack.pid('API'), await stack.pid('worker'), await stack.pid('PostgreSQL')].join();
}

async function factsOf(stack: FaultStack, folder: string) {
  const admin = async (...argv: string[]) =>
    JSON.parse((await runCommand(argv, stack.env)).stdout) as Record<string, string>;
  const { app_id } = await admin('app', 'create', '--name', 'Fuzz');
  const { key } = await admin('key', 'create', '--app', app_id!, '--scopes', SCOPES.join(' '));
  const redirect = 'https://app.example.test/back';
  const named = [
    '--app',
    app_id!,
    '--name',
    'Fuzz',
    '--redirect-uri',
    redirect,
    '--scopes',
    'read:profile read:paycheck',
  ];
  const oauth = await admin('client', 'create', ...named);
  const client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  try {
    const throwaway = { email: 'throwaway@example.test', password: 'a long enough passphrase' };
    await bodyFor(201, client.call('POST', '/api/v1/auth/register', { body: throwaway }));
    const owners = await fundOwners(client, 3);
    const user_id = owners.map(({ userId }) => userId);
    const pools = {
      user_id,
      allocation_id: owners.map(({ allocationId }) => allocationId),
      provider_id: ['prov_sandbox_instant', 'prov_sandbox_reject', 'prov_sandbox_slow'],
      client_id: [oauth.client_id],
      client_secret: [oauth.client_secret],
      redirect_uri: [redirect],
      code: ['invalid-request', 'not-found'],
    };
    const documents: string[] = [];
    for (const [seed, { name: layout }] of SETS.development.slice(0, 3).entries()) {
      const file = join(folder, `${seed}.pdf`);
      await writeFile(file, (await makeDocument({ layout, seed, form: 'text' })).bytes);
      documents.push(file);
    }
    return { url: stack.url, ca: caOf(stack), key: key!, token: owners[0]!.token, throwaway, pools, documents };
  } finally {
    await client.close();
  }
}

interface Running {
  stack: FaultStack;
  python: NodeJS.ProcessEnv;
  folder: string;
  facts: Awaited<ReturnType<typeof factsOf>>;
  pass: Pass;
  wanted: Wanted;
}

async function run({ stack, python, folder, facts, pass, wanted }: Running): Promise<number> {
  const pki = (file: string) => pkiOf(stack, file);
  const config = join(folder, 'schemathesis.toml');
  const contract = join(folder, 'contract.json');
  await writeFile(contract, contractFor(await readFile(BUNDLE, 'utf8')));
  const hooks = join(import.meta.dirname, 'hooks.py');
  await writeFile(config, configOf({ hooks, url: stack.url, ca: facts.ca, pki, ...wanted }));
  const only = wanted.operations === undefined ? [] : ['--include-operation-id-regex', wanted.operations];
  const excluded = pass.without.flatMap((id) => ['--exclude-operation-id', id]);
  const included = pass.only.flatMap((id) => ['--include-operation-id', id]);
  const args = ['-m', 'schemathesis.cli', '--config-file', config, 'run', contract, ...only, ...included, ...excluded];
  const credentials = { FUZZ_FACTS: JSON.stringify({ ...facts, as: pass.as }) };
  const child = spawn('python3', args, {
    env: { ...python, ...credentials, COLUMNS: '160' },
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code) => done(code ?? 1));
  });
}

/** For each log that contains errors, their number and the first one. */
async function faultsInLogs({ env }: FaultStack): Promise<string[]> {
  const found: string[] = [];
  for (const part of ['api', 'worker', 'bank']) {
    const lines = (await readFile(join(env.RINGFENCE_DATA!, 'logs', `${part}.log`), 'utf8')).split('\n');
    const bad = lines.filter((line) => /"level":"?(?:50|60|error|fatal)/.test(line));
    if (bad.length > 0)
      found.push(`${bad.length} lines of ${part}.log tell of faults, such as ${bad[0]!.slice(0, 1_500)}`);
  }
  return found;
}

await main();
