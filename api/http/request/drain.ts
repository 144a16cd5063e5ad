import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** The most bytes of a rejected body that we discard, so that the connection can serve the next request. */
const DRAIN_BYTES = 67_108_864;
const DRAIN_MS = 10_000;
const DRAIN_CHECK_MS = 250;
/** How long a client can still send after we half-close its connection. */
const LINGER_MS = 30_000;
const LINGER_IDLE_MS = 5_000;

const lingering = new WeakSet<Socket>();

export function carriesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Delivers a response even if the client is still sending its body. Call before handling a request with a body. */
export function drainAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  // No operation accepts so large a body.
  if (Number(request.headers['content-length']) > DRAIN_BYTES) response.setHeader('Connection', 'close');
  const { socket } = request;
  response.once('prefinish', () => {
    if (request.complete) return;
    // Node calls `destroySoon` after a response with `Connection: close`. Node's own version resets the connection, which
    // can lose the response.
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
  // Node discards an unread body without `data` events, so we count bytes at the socket.
  const watching = setInterval(() => {
    if (performance.now() >= until || socket.bytesRead > most) lingerAndClose(socket);
  }, DRAIN_CHECK_MS);
  const over = () => {
    clearInterval(watching);
    socket.off('close', over);
  };
  request.once('end', over);
  // After the response, Node emits no event on the request when the connection closes.
  socket.once('close', over);
  request.on('error', () => undefined);
  request.resume();
}

/** Closing the connection at once would reset the connection and could lose the response. */
export function lingerAndClose(socket: Socket): void {
  if (lingering.has(socket)) return;
  lingering.add(socket);
  socket.end();
  const patience = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.setTimeout(LINGER_IDLE_MS, () => socket.destroy());
  socket.once('close', () => clearTimeout(patience));
}

export function isLingering(socket: Socket): boolean {
  return lingering.has(socket);
}
