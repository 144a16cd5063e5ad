import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** As long as a handshake may take. */
const FIRST_BYTE_WITHIN_MS = 10_000;

export interface FirstBytes {
  /** Lets go of the connections that are not TLS, or have sent nothing yet: the server does not count them as its own. */
  drop(): void;
}

/**
 * Hands connections whose first byte is a letter, as that of an HTTP request is and of a TLS record never, to `plain`. All others go to
 * the server's own handshake with every byte that they sent. The server stays the one that listens, because its checks of slow
 * requests begin with that.
 */
export function splitPlainHttp(server: Server, plain: (socket: Socket) => void): FirstBytes {
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
      if (isLetter(bytes[0]!)) {
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
  return {
    drop() {
      for (const socket of outside) socket.destroy();
    },
  };
}

/** Of ASCII, in capitals or not. */
function isLetter(byte: number): boolean {
  const small = byte | 0x20;
  return small >= 0x61 && small <= 0x7a;
}
