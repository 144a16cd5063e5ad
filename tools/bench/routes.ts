import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { ownerUrlOf } from '../../infra/db/migrate.ts';
import type { Running } from '../../programs/local/processes.ts';
import { openServices } from '../../infra/services.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { inOwnProcess, loadAccepted } from './load.ts';
import { CONNECTIONS, ROUTES, type Cast, type RouteJob, type RouteName } from './load-routes.ts';
import { type RouteLoad } from './statistics.ts';
import { middle, progress, told, type Figures, type Part, type Row } from './report.ts';
import { seal } from './bare-seal.ts';
import { seedKey, seedOauthClient, seedOwners, seedTokens, seedVault } from './seed.ts';
import { cpuSeconds, residentMb, withStack, type BenchStack } from './stack.ts';
import { median } from './statistics.ts';

const OWNERS = 1_000;
const TOKENS = 20;
const ROUNDS = 5;
const SECONDS = 2;
const LARGEST_MB = 420;
const LEAST_CPU_MS = 0.005;

/** The required ratio of a route's speed to the speed of its baseline. */
const TARGETS: Partial<Record<RouteName, { against: RouteName; ratio: number }>> = {
  'auth/me by key': { against: 'bare token check', ratio: 0.4 },
  'token introspection': { against: 'bare token check', ratio: 0.4 },
  // The service decrypts the user's email address and writes an audit event.
  'auth/me of a user': { against: 'bare get', ratio: 0.3 },
  calculate: { against: 'bare transfer', ratio: 0.3 },
  allocate: { against: 'bare transfer', ratio: 0.6 },
  transfer: { against: 'bare transfer', ratio: 0.5 },
  'hot allocate': { against: 'bare hot transfer', ratio: 0.6 },
  'vault store': { against: 'bare store', ratio: 0.35 },
  'vault get': { against: 'bare get', ratio: 0.3 },
};

/** The notes compare each route of `TARGETS` with these baselines too. */
const LIMITS = ['bare Express', 'bare validator', 'bare insert', 'bare select'] as const;

export interface RoutesBench {
  job: (route: RouteName, seconds: number, rate?: number) => RouteJob;
  api: Running;
  parts: BenchStack['parts'];
  bare: { databaseUrl: string; noteId: string };
}

/** `cpuMs` is the CPU time of one request, by process. */
export interface Measured extends RouteLoad {
  cpuMsOf: Readonly<Record<string, number>>;
  /** The memory of the server (API or bare server) after the requests. */
  memoryMb: number;
}

/** The baseline is a minimal server of Express and PostgreSQL. */
export async function benchRoutes(profileDir?: string): Promise<Part> {
  return withStack({ temporal: false, profileDir }, async (stack) => measure(await prepare(stack)));
}

export async function prepare(stack: BenchStack, ownerCount = OWNERS): Promise<RoutesBench> {
  const services = await openServices({ ...stack.config, logLevel: 'silent' }, 'bench');
  const cast = join(stack.config.dataDir, 'cast.json');
  const port = await freePort();
  try {
    const [hot, ...owners] = await seedOwners(services, ownerCount + 1);
    const key = await seedKey(services);
    const vaultRefs = await seedVault(services, ownerCount, key);
    const tokens = await seedTokens(services, TOKENS);
    const oauthClient = await seedOauthClient(services, TOKENS);
    const seeded = { owners, hot: hot!, key, vaultRefs, tokens, oauthClient };
    const bare = await bareDatabase(ownerUrlOf(stack.config.database));
    await writeFile(cast, JSON.stringify({ ...seeded, bareTokens: bare.tokens, bareRefs: bare.refs } satisfies Cast));
    const env = { BARE_DATABASE_URL: bare.url, BARE_PORT: String(port) };
    const [api] = await Promise.all([stack.start('api'), stack.start('bareServer', env)]);
    const { publicUrl, tls } = stack.config.api;
    const pki = (file: string) => join(stack.config.dataDir, 'pki', file);
    const client = { cert: pki('vault-client.crt'), key: pki('vault-client.key') };
    const urlOf = (route: RouteName) => (route.startsWith('bare') ? `http://127.0.0.1:${port}` : publicUrl);
    const job: RoutesBench['job'] = (route, seconds, rate) => {
      return {
        kind: 'route',
        route,
        url: urlOf(route),
        ca: tls.ca,
        client,
        cast,
        seconds,
        ...(rate !== undefined && { rate }),
      };
    };
    return { job, api, parts: stack.parts, bare: { databaseUrl: bare.url, noteId: bare.refs[0]! } };
  } finally {
    await services.close();
  }
}

async function bareDatabase(ownerUrl: string): Promise<{ url: string; tokens: string[]; refs: string[] }> {
  const url = new URL(ownerUrl);
  url.pathname = '/bare';
  await withClient(ownerUrl, (client) => client.query('create database bare'));
  const [tokens, refs] = [newIds(), newIds()];
  await withClient(url.href, async (client) => {
    await client.query(`
      create table notes (id uuid primary key, note text not null, at timestamptz not null default now());
      create table records (id uuid primary key, owner text not null, sealed bytea not null, iv bytea not null,
        tag bytea not null, at timestamptz not null default now());
      create table audit (id bigserial primary key, record uuid not null, kind text not null, at timestamptz not null);
      create table tokens (hash text primary key, owner text not null, scopes text[] not null);
      create table accounts (account int primary key, balance bigint not null);
      create table entries (id bigserial primary key, transfer uuid not null, account int not null references accounts,
        amount bigint not null, at timestamptz not null default now())`);
    await client.query('insert into accounts select account, 1000000000 from generate_series(0, $1) as account', [
      2 * OWNERS,
    ]);
    await client.query(
      `insert into tokens select encode(sha256(convert_to('Bearer ' || token, 'UTF8')), 'hex'), token, '{read,write}'
         from unnest($1::text[]) as token`,
      [tokens],
    );
    await client.query('insert into notes (id, note) select id, $2 from unnest($1::uuid[]) as id', [refs, 'a note']);
    for (const id of refs) {
      const { sealed, iv, tag } = seal('{"account_number":"12345678"}', id);
      const values = [id, 'owner', sealed, iv, tag];
      await client.query('insert into records (id, owner, sealed, iv, tag) values ($1, $2, $3, $4, $5)', values);
    }
  });
  return { url: url.href, tokens, refs };
}

function newIds(): string[] {
  return Array.from({ length: OWNERS }, () => crypto.randomUUID());
}

async function withClient(connectionString: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Nothing warms the service up: a new deployment starts with empty tables and without statistics of them. */
async function measure(bench: RoutesBench): Promise<Part> {
  const { job, api } = bench;
  const loadsOf = await inTurns(
    bench,
    ROUTES.map((route) => job(route, SECONDS)),
  );
  const memoryMb = residentMb(api);
  const perSecondOf = (route: RouteName) => middle(loadsOf(route)).perSecond;
  const rows: Row[] = ROUTES.map((route) => {
    const figures = { what: route, ...middleOf(loadsOf(route)) };
    const target = TARGETS[route];
    if (!target) return figures;
    const ratios = ratiosOf(loadsOf(route), loadsOf(target.against));
    const ratio = median(ratios);
    return {
      ...figures,
      value: `${figures.value}, first round ${ratios[0]!.toFixed(2)}`,
      ratio,
      against: target.against,
      target: `>= ${target.ratio.toFixed(2)}`,
      met: ratio >= target.ratio,
    };
  });
  rows.unshift(...(await aloneRows(bench)));
  const memory = { what: 'memory of the API under load', value: `${memoryMb.toFixed(0)} MB` };
  rows.push({ ...memory, target: `<= ${LARGEST_MB} MB`, met: memoryMb <= LARGEST_MB });
  const names = Object.keys(TARGETS) as RouteName[];
  return {
    name: 'routes',
    setting: `16 connections, ${OWNERS} owners in a new database that nobody has analysed, medians of ${ROUNDS} rounds of ${SECONDS} s in turns, of the ratio too; each round after a second for the sender to get warm, and the first round is the first work of the service; bare = Express and pg alone, without TLS; bare validator = Express with express-openapi-validator in both directions; processor time of each process a request; memory of the server that was asked.`,
    rows,
    notes: names.map((route) => noteOf(route, perSecondOf(route), perSecondOf)),
  };
}

/** Runs the jobs in turns, so that a slow minute of the machine affects all of them. */
async function inTurns(bench: RoutesBench, jobs: readonly RouteJob[]): Promise<(route: RouteName) => Measured[]> {
  const loads: { route: RouteName; load: Measured }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`round ${round + 1} of ${ROUNDS}`);
    for (const job of jobs) loads.push({ route: job.route, load: await accepted(bench, job) });
  }
  return (route) => loads.filter((measured) => measured.route === route).map(({ load }) => load);
}

/** Through `pg`, without a server. */
async function aloneRows({ bare }: RoutesBench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const what of ['pg insert', 'pg select'] as const) {
    const load = await inOwnProcess({
      kind: 'alone',
      what,
      atOnce: CONNECTIONS,
      seconds: SECONDS,
      ...bare,
    });
    rows.push({ what: `${what} alone`, ...told(load) });
  }
  return rows;
}

function ratiosOf(loads: readonly Measured[], against: readonly Measured[]): number[] {
  return loads.map(({ perSecond }, round) => perSecond / against[round]!.perSecond);
}

export function middleOf(loads: readonly Measured[]): Figures & { value: string } {
  const processes = Object.keys(loads[0]!.cpuMsOf);
  const cpu = processes
    .map((name) => ({ name, ms: median(loads.map(({ cpuMsOf }) => cpuMsOf[name]!)) }))
    .filter(({ ms }) => ms >= LEAST_CPU_MS)
    .map(({ name, ms }) => `${name} ${ms.toFixed(2)}`);
  const memory = median(loads.map((load) => load.memoryMb));
  return { ...middle(loads), value: `CPU ms: ${cpu.join(', ')}; ${memory.toFixed(0)} MB` };
}

/** In all processes together. */
export function cpuMsIn({ cpuMsOf }: Measured): number {
  return Object.values(cpuMsOf).reduce((sum, ms) => sum + ms, 0);
}

function noteOf(route: RouteName, perSecond: number, limit: (route: RouteName) => number): string {
  const ratios = LIMITS.map((bare) => `${(perSecond / limit(bare)).toFixed(2)} of ${bare}`);
  return `${route}: ${ratios.join(', ')}`;
}

/** @throws if a request was refused, which would distort the results */
export async function accepted({ parts }: RoutesBench, job: RouteJob): Promise<Measured> {
  const before = cpuSeconds(parts);
  const load = await loadAccepted(job);
  const memoryMb = residentMb(parts.get(job.route.startsWith('bare') ? 'bareServer' : 'api')!);
  const cpuMsOf = [...(cpuSeconds(parts) ?? [])].map(([part, seconds]) => {
    return [part, ((seconds - (before?.get(part) ?? 0)) * 1_000) / load.count] as const;
  });
  return { ...load, memoryMb, cpuMsOf: Object.fromEntries(cpuMsOf) };
}
