import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';

export interface Address {
  host: string;
  port: number;
  ca: Buffer;
}

export interface RawRequest {
  method: 'GET' | 'POST';
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
}

/** The statuses of the answers by their number. `closed` are connections that ended without an answer. */
export type Outcomes = Readonly<Record<string, number>>;

/** A connection from an address of this machine, such as 127.0.0.2, that keeps what it does not read in the kernel. */
export async function open({ host, port, ca }: Address, from: string): Promise<TLSSocket> {
  const plain = connectTcp({ host, port, localAddress: from });
  const socket = connect({ socket: plain, ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => undefined);
  plain.on('error', (error) => socket.destroy(error));
  await Promise.race([
    once(socket, 'secureConnect'),
    once(socket, 'close').then(() => Promise.reject(new Error('closed'))),
  ]);
  return socket;
}

export function headOf({ method, path, headers = {}, body }: RawRequest, length = body?.length ?? 0): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  const size = method === 'POST' ? [`content-length: ${length}`] : [];
  return [`${method} ${path} HTTP/1.1`, ...lines, ...size, '', ''].join('\r\n');
}

interface Held {
  count: number;
  from: (place: number) => string;
  /** The connections end together, this long after the first. */
  holdMs: number;
  /** The time between two connections. */
  apartMs?: number;
}

/** Sends a request without its last byte on each of `count` connections, and waits `holdMs`. */
export async function leaveUnfinished(
  address: Address,
  { request, ...held }: Held & { request: RawRequest },
): Promise<Outcomes> {
  return withConnections(address, { ...held, reading: true }, (socket) => {
    const body = Buffer.from(request.body ?? '');
    socket.write(headOf(request, body.length));
    socket.write(body.subarray(0, -1));
  });
}

/** Sends a request on each of `count` connections, and reads nothing for `holdMs`. Then counts what had arrived. */
export async function leaveUnread(
  address: Address,
  { request, ...held }: Held & { request: RawRequest },
): Promise<Outcomes> {
  return withConnections(address, { ...held, reading: false }, (socket) => {
    socket.write(headOf(request) + String(request.body ?? ''));
  });
}

async function withConnections(
  address: Address,
  { count, from, holdMs, reading, apartMs = 0 }: Held & { reading: boolean },
  begin: (socket: TLSSocket) => void,
): Promise<Outcomes> {
  const outcomes: Record<string, number> = {};
  const until = performance.now() + holdMs;
  const one = async (place: number) => {
    let outcome: string;
    await new Promise((resolve) => setTimeout(resolve, place * apartMs));
    try {
      const socket = await open(address, from(place));
      if (reading) socket.pause();
      begin(socket);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, until - performance.now())));
      outcome = socket.destroyed ? 'closed' : statusIn(socket.read() as Buffer | null, socket.readableEnded);
      socket.destroy();
    } catch {
      outcome = 'refused';
    }
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: count }, (_, place) => one(place)));
  return outcomes;
}

function statusIn(bytes: Buffer | null, ended: boolean): string {
  const found = /^HTTP\/1\.1 (\d{3})/.exec(bytes?.toString('latin1', 0, 12) ?? '')?.[1];
  return found ?? (ended ? 'closed' : 'held open');
}

/** Sends a request again and again on each of `count` connections for `forMs`. */
export async function repeat(
  address: Address,
  {
    count,
    from,
    request,
    forMs,
    pauseMs = 0,
  }: {
    count: number;
    from: (place: number) => string;
    request: RawRequest;
    forMs: number;
    pauseMs?: number;
  },
): Promise<Outcomes> {
  const outcomes: Record<string, number> = {};
  const until = performance.now() + forMs;
  const text = headOf(request) + String(request.body ?? '');
  const one = async (place: number) => {
    while (performance.now() < until) {
      const outcome = await exchange(address, from(place), text, until).catch(() => 'refused');
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  await Promise.all(Array.from({ length: count }, (_, place) => one(place)));
  return outcomes;
}

/** @returns the status, or `unanswered` at the end */
async function exchange(address: Address, from: string, text: string, until: number): Promise<string> {
  const socket = await open(address, from);
  try {
    return await new Promise((resolve) => {
      const timer = setTimeout(() => resolve('unanswered'), Math.max(0, until - performance.now()));
      let first = '';
      let left: number | undefined;
      const over = () => {
        clearTimeout(timer);
        resolve(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 'closed');
      };
      socket.on('close', over).on('data', (chunk: Buffer) => {
        if (left !== undefined) left -= chunk.length;
        else {
          first += chunk.toString('latin1');
          const end = first.indexOf('\r\n\r\n');
          const length = /content-length: (\d+)/i.exec(first)?.[1];
          if (end !== -1 && length !== undefined) left = Number(length) - (first.length - end - 4);
        }
        if (left !== undefined && left <= 0) over();
      });
      socket.write(text);
    });
  } finally {
    socket.destroy();
  }
}
