import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** As long as a TLS handshake may take. */
const FIRST_BYTE_WITHIN_MS = 10_000;

/**
 * Passes plain HTTP connections to `plain`. HTTP begins with a letter, TLS does not. The server itself must listen,
 * because Node times out slow requests only on a server that listens. The returned function closes the connections that
 * Node's server does not track: plain HTTP, and those without a first byte.
 */
export function splitPlainHttp(server: Server, plain: (socket: Socket) => void): () => void {
  const outside = new Set<Socket>();
  const handshake = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const patience = setTimeout(() => socket.destroy(), FIRST_BYTE_WITHIN_MS);
    const over = () => {
      outside.delete(socket);
      clearTimeout(patience);
    };
    const look = () => {
      const bytes = socket.read() as Buffer | null;
      if (bytes === null) return;
      clearTimeout(patience);
      socket.off('readable', look).off('end', gone);
      socket.unshift(bytes);
      if (/[a-z]/i.test(bytes.toString('latin1', 0, 1))) {
        plain(socket);
        return;
      }
      outside.delete(socket);
      socket.off('close', over);
      for (const listener of handshake) listener.call(server, socket);
    };
    const gone = () => socket.destroy();
    outside.add(socket);
    socket.on('readable', look).once('end', gone).once('close', over);
    socket.on('error', gone);
  });
  return () => {
    for (const socket of outside) socket.destroy();
  };
}
