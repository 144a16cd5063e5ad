import { connect, createServer } from 'node:net';
import { StackError } from './processes.ts';

export interface WantedPort {
  port: number;
  part: string;
  setting: string;
  /** Whether the user set the port. */
  isGiven?: boolean;
}

/** `settings` are environment variables other than ports. */
export interface StartLine {
  settings: readonly string[];
  command: string;
}

const FIRST_PORT = 1_024;
const PORTS = 65_536 - FIRST_PORT;

/** If a port is in use or not allowed, the StackError suggests a command that uses free ports. */
export async function assertPortsFree(wanted: readonly WantedPort[], start: StartLine): Promise<void> {
  for (const [index, { port, part, setting }] of wanted.entries()) {
    const twin = wanted.slice(0, index).find((other) => other.port === port);
    if (twin !== undefined)
      throw new StackError(`${twin.setting} and ${setting} are both ${port}. Give ${part} a port of its own.`);
  }
  const obstacles = await Promise.all(wanted.map(({ port }) => obstacleAt(port)));
  const refused = (kind: Obstacle) => wanted.filter((_, index) => obstacles[index] === kind);
  const [taken, forbidden] = [refused('taken'), refused('forbidden')];
  if (taken.length + forbidden.length === 0) return;
  throw new StackError(
    [
      ...(taken.length === 0
        ? []
        : [`In use by other programs, perhaps by the stack of a different checkout: ${listed(taken)}.`]),
      ...(forbidden.length === 0 ? [] : [`This user is not allowed to use: ${listed(forbidden)}.`]),
      `${taken.length === 0 ? 'Move' : 'Stop those programs, or move'} this stack to free ports:`,
      `  ${await lineOf(wanted, [...taken, ...forbidden], start)}`,
    ].join('\n'),
  );
}

const listed = (ports: readonly WantedPort[]) =>
  ports.map(({ port, part }, index) => `${index === 0 ? 'port ' : ''}${port} (${part})`).join(', ');

async function lineOf(
  wanted: readonly WantedPort[],
  refused: readonly WantedPort[],
  start: StartLine,
): Promise<string> {
  const used = new Set(wanted.map(({ port }) => port));
  const ports: string[] = [];
  for (const { port, setting, isGiven } of wanted) {
    const isRefused = refused.some((other) => other.setting === setting);
    if (isRefused || isGiven) ports.push(`${setting}=${isRefused ? await freePortAfter(port, used) : port}`);
  }
  return [...start.settings, ...ports, start.command].join(' ');
}

/** Tries ports in steps of 100, so that users recognise the new port. */
async function freePortAfter(port: number, used: Set<number>): Promise<number> {
  for (let step = 1; ; step += 1) {
    const candidate = FIRST_PORT + ((port - FIRST_PORT + 100 * step + Math.floor(step / 600)) % PORTS);
    if (candidate < FIRST_PORT || used.has(candidate) || (await obstacleAt(candidate)) !== undefined) continue;
    used.add(candidate);
    return candidate;
  }
}

/** `host` may be an IPv6 address in brackets, as in a URL. */
export function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: host.replace(/^\[(.*)\]$/, '$1'), port, timeout: 3_000 });
    const done = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket
      .once('connect', () => done(true))
      .once('error', () => done(false))
      .once('timeout', () => done(false));
  });
}

type Obstacle = 'taken' | 'forbidden' | undefined;

async function obstacleAt(port: number): Promise<Obstacle> {
  return (await listenObstacle('127.0.0.1', port)) ?? (await listenObstacle('::1', port));
}

function listenObstacle(host: string, port: number): Promise<Obstacle> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      // Other errors mean that this machine lacks the address, for example without IPv6.
      resolve(error.code === 'EADDRINUSE' ? 'taken' : error.code === 'EACCES' ? 'forbidden' : undefined);
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
