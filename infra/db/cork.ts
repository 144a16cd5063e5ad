import type { Writable } from 'node:stream';
import type { PoolClient } from 'pg';

/** A connection, and whether something was asked of it that has not left yet. */
export interface Corked {
  client: PoolClient;
  held: boolean;
}

/** Keeps back what is asked from now on, until `letGo`, at the latest until the process next looks for events. */
export function hold(open: Corked): void {
  if (open.held) return;
  open.held = true;
  streamOf(open.client).cork();
  setImmediate(letGo, open);
}

/** Sends what was kept back, in one write: each costs a system call, which is dearer than the rest of it. */
export function letGo(open: Corked): void {
  if (!open.held) return;
  open.held = false;
  streamOf(open.client).uncork();
}

/** What is asked of one connection at once goes out in one write. */
export function together<T>(client: PoolClient, ask: () => T): T {
  const stream = streamOf(client);
  stream.cork();
  try {
    return ask();
  } finally {
    stream.uncork();
  }
}

function streamOf(client: PoolClient): Writable {
  return (client as PoolClient & { connection: { stream: Writable } }).connection.stream;
}
