import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections (Linux from 32768, others from 49152). Between the moment
 * such a port is found free and its server's start, any connection could take it.
 */
const FIRST = 10_240;
const LAST = 32_000;

const given = new Set<number>();

/** A free port of loopback, which this process gives out only once. */
export async function freePort(): Promise<number> {
  for (;;) {
    // At random, because other test processes look for ports at the same time.
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

export async function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, freePort));
}

/** Tried on every address of the machine: another server may listen on only one of them. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
