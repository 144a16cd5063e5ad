import { connect, createServer } from 'node:net';
import { StackError } from './processes.ts';

/** A port that a part of the stack will listen on. */
export interface WantedPort {
  port: number;
  part: string;
  setting: string;
}

/** @throws StackError naming the first port that is taken, or that two parts would share. */
export async function assertPortsFree(wanted: readonly WantedPort[]): Promise<void> {
  for (const [index, { port, part, setting }] of wanted.entries()) {
    const twin = wanted.slice(0, index).find((other) => other.port === port);
    if (twin !== undefined)
      throw new StackError(`${twin.setting} and ${setting} are both ${port}; give ${part} a port of its own.`);
  }
  const obstacles = await Promise.all(wanted.map(({ port }) => obstacleAt(port)));
  for (const [index, { part, port, setting }] of wanted.entries()) {
    const obstacle = obstacles[index];
    if (obstacle === undefined) continue;
    const why =
      obstacle === 'taken' ? 'is in use by another program; stop that, or set' : 'is not allowed to this user; set';
    throw new StackError(`Port ${port}, where ${part} would listen, ${why} ${setting} to a free port.`);
  }
}

/** Whether something accepts connections there. */
export function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 3_000 });
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
      // Anything else means that this machine lacks the address, as without IPv6.
      resolve(error.code === 'EADDRINUSE' ? 'taken' : error.code === 'EACCES' ? 'forbidden' : undefined);
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
