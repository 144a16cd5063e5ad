import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** How much of a refused body is read and thrown away, so that the connection can serve the next request. */
const DRAIN_BYTES = 67_108_864;
const DRAIN_MS = 10_000;
const DRAIN_CHECK_MS = 250;
/** How long a connection that was ended on our side may still send, in all and without a byte. */
const LINGER_MS = 30_000;
const LINGER_IDLE_MS = 5_000;

const lingering = new WeakSet<Socket>();

/** Whether a request announces a body. */
export function carriesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Makes sure that an answer reaches a client that is still sending its body. The rest of the body is read and thrown away.
 * If it is too long or too slow, the connection is closed without losing the answer.
 * Call it before a request with a body is handled.
 */
export function drainAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  // No operation takes so large a body, so its answer is always early.
  if (Number(request.headers['content-length']) > DRAIN_BYTES) response.setHeader('Connection', 'close');
  const { socket } = request;
  response.once('prefinish', () => {
    if (request.complete) return;
    // Node calls this after an answer with `Connection: close`. Its own would reset the connection, and the answer may be lost.
    socket.destroySoon = () => {
      if (request.complete) Socket.prototype.destroySoon.call(socket);
      else lingerAndClose(socket);
    };
  });
  response.once('finish', () => {
    if (!request.readableEnded) drain(request);
  });
}

function drain(request: IncomingMessage): void {
  const { socket } = request;
  const until = performance.now() + DRAIN_MS;
  const most = socket.bytesRead + DRAIN_BYTES;
  // Node discards without a `data` event what nobody began to read, so the bytes are counted at the socket.
  const watching = setInterval(() => {
    if (performance.now() >= until || socket.bytesRead > most) lingerAndClose(socket);
  }, DRAIN_CHECK_MS);
  const over = () => {
    clearInterval(watching);
    socket.off('close', over);
  };
  request.once('end', over);
  // Node does not tell an answered request that its connection is gone.
  socket.once('close', over);
  request.on('error', () => undefined);
  request.resume();
}

/** Ends our side of a connection, and goes on reading for a while: closing it now would reset it, and the answer may be lost. */
export function lingerAndClose(socket: Socket): void {
  if (lingering.has(socket)) return;
  lingering.add(socket);
  socket.end();
  const patience = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.setTimeout(LINGER_IDLE_MS, () => socket.destroy());
  socket.once('close', () => clearTimeout(patience));
}

/** Whether our side of a connection is ended, and the client may still be sending. */
export function isLingering(socket: Socket): boolean {
  return lingering.has(socket);
}
