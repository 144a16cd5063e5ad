import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections (Linux from 32768, others from 49152): a port of those could be
 * taken by any connection between the moment it is found free and the moment its server starts.
 */
const FIRST = 10_240;
const LAST = 32_000;

const given = new Set<number>();

/** A port of loopback that is free, and that this process gives only once. */
export async function freePort(): Promise<number> {
  for (;;) {
    // At random, as other test processes look for theirs at the same time.
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

export async function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, freePort));
}

/** Tried on every address of the machine: a server of another kind may listen on one of them only. */
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
