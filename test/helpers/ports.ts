import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Test servers use ports below the range for outgoing connections, which begins at 32768 on Linux and at 49152
 * elsewhere. Otherwise an outgoing connection could take a port before the server starts.
 */
const FIRST = 10_240;
const LAST = 32_000;

const given = new Set<number>();

/** Finds a port that is free at all addresses. Never returns the same port twice in this process. */
export async function freePort(): Promise<number> {
  for (;;) {
    // Chooses a random port, because other test processes look for free ports at the same time.
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

export async function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, freePort));
}

/** Checks a port at all addresses, because another server can listen at only one of them. */
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
