import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range for outgoing connections (from 32768 on Linux), which could take a port before its server starts. */
const FIRST = 10_240;
const LAST = 32_000;

const given = new Set<number>();

/** Never returns the same port twice in this process. */
export async function freePort(): Promise<number> {
  for (;;) {
    // Other test processes look for free ports at the same time.
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

export async function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, freePort));
}

// Another server can listen at only one of the addresses.
async function isFree(port: number): Promise<boolean> {
  // Somebody who looks for an earlier server of this port would keep this one open.
  const server = createServer((socket) => socket.destroy()).listen(port);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
