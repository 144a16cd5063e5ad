import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { resolve } from 'node:path';
import type { Config } from '../../infra/config/index.ts';
import { common } from '../../infra/config/groups/process.ts';
import { settingsIn } from '../../infra/config/reading.ts';
import type { OwnParts } from './own-parts.ts';
import { StackError } from './processes.ts';

interface WantedPort {
  port: number;
  part: string;
  setting: string;
}

const DEFAULTS = new Map(settingsIn(common).map(({ variable, fallback }) => [variable, fallback]));
const FIRST_PORT = 1_024;
const LAST_PORT = 65_535;

/** If a port is in use, the StackError suggests a command that uses free ports. */
export async function assertPortsFree(config: Config, own: OwnParts, command = 'npm start'): Promise<void> {
  const wanted = wantedPorts(config, own);
  for (const [index, { port, part, setting }] of wanted.entries()) {
    const twin = wanted.slice(0, index).find((other) => other.port === port);
    if (twin !== undefined)
      throw new StackError(`${twin.setting} and ${setting} are both ${port}. Give ${part} a port of its own.`);
  }
  const areTaken = await Promise.all(wanted.map(({ port }) => isTaken(port)));
  const taken = wanted.filter((_, index) => areTaken[index]);
  if (taken.length === 0) return;
  const listed = taken.map(({ port, part }) => `${port} (${part})`).join(', ');
  const settings = await settingsWithFreePorts(config, wanted, taken);
  throw new StackError(
    [
      `In use by other programs, perhaps by the stack of a different checkout, or closed to this user: port ${listed}.`,
      'Stop those programs, or move this stack to free ports:',
      `  ${[...settings, command].join(' ')}`,
    ].join('\n'),
  );
}

function wantedPorts({ api, stack }: Config, own: OwnParts): WantedPort[] {
  const wanted = (is: boolean, port: number, part: string, name: string) =>
    is ? [{ port, part, setting: `RINGFENCE_PORT_${name}` }] : [];
  return [
    ...wanted(true, api.port, 'the API', 'API'),
    ...wanted(own.postgres, stack.postgresPort, 'PostgreSQL', 'POSTGRES'),
    ...wanted(own.temporal, stack.temporalPort, 'Temporal', 'TEMPORAL'),
    ...wanted(own.temporal, stack.temporalUiPort, "Temporal's Web UI", 'TEMPORAL_UI'),
    ...wanted(own.bank, stack.bankPort, 'the sandbox bank', 'BANK'),
  ];
}

/** For a second stack, beside one on the default ports. */
export async function settingsOnFreePorts(): Promise<Record<string, string>> {
  const used = new Set<number>();
  const settings: Record<string, string> = {};
  for (const name of ['API', 'POSTGRES', 'TEMPORAL', 'TEMPORAL_UI', 'BANK'].map((part) => `RINGFENCE_PORT_${part}`))
    settings[name] = String(await freePortAfter(Number(DEFAULTS.get(name)), used));
  return settings;
}

/** Omits default values. */
async function settingsWithFreePorts(
  { dataDir }: Config,
  wanted: readonly WantedPort[],
  taken: readonly WantedPort[],
): Promise<string[]> {
  const settings = dataDir === resolve(DEFAULTS.get('RINGFENCE_DATA')!) ? [] : [`RINGFENCE_DATA=${inShell(dataDir)}`];
  const used = new Set(wanted.map(({ port }) => port));
  for (const each of wanted) {
    const port = taken.includes(each) ? await freePortAfter(each.port, used) : each.port;
    if (String(port) !== DEFAULTS.get(each.setting)) settings.push(`${each.setting}=${port}`);
  }
  return settings;
}

export const inShell = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Tries ports in steps of 100, so that users recognise the new port. */
async function freePortAfter(port: number, used: Set<number>): Promise<number> {
  let candidate = port;
  do {
    candidate += 100;
    if (candidate > LAST_PORT) candidate = FIRST_PORT + (candidate % 100);
  } while (used.has(candidate) || (await isTaken(candidate)));
  used.add(candidate);
  return candidate;
}

/** The parts of the stack listen at 127.0.0.1, and find each other by the name `localhost`. */
export async function requireLocalhost(): Promise<void> {
  const found = await lookup('localhost', { all: true }).catch(() => []);
  if (found.some(({ address }) => address === '127.0.0.1')) return;
  const is = found.length === 0 ? 'has no address' : `is only ${found.map(({ address }) => address).join(' and ')}`;
  throw new StackError(
    `On this machine localhost ${is}, but the stack listens at 127.0.0.1. Add the line "127.0.0.1 localhost" to /etc/hosts, and run the command again.`,
  );
}

/** `host` may be an IPv6 address in brackets, as in a URL. */
export async function isOpen(host: string, port: number): Promise<boolean> {
  const socket = connect({ host: host.replace(/^\[(.*)\]$/, '$1'), port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(3_000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function isTaken(port: number): Promise<boolean> {
  return (await isTakenAt('127.0.0.1', port)) || (await isTakenAt('::1', port));
}

async function isTakenAt(host: string, port: number): Promise<boolean> {
  await using server = createServer().listen({ host, port, exclusive: true });
  try {
    await once(server, 'listening');
    return false;
  } catch (error) {
    // EACCES: this user is not allowed to use the port. Other errors mean that this machine lacks the address.
    return ['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
