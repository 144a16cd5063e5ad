import type { Socket } from 'node:net';
import { addressGroup } from '../../../infra/limits/index.ts';
import type { Budget } from './budget.ts';
import type { Connection, Line } from './holdings.ts';

export type Connections = ReturnType<typeof createConnections>;

/** Counts the connections of servers, from their first moment. */
export function createConnections(budget: Pick<Budget, 'connect' | 'disconnect'>) {
  const known = new WeakMap<Socket, Connection>();
  const withoutTls = new Map<string, { connection: Connection; line: SocketLine }>();
  return {
    /** `isProxy` says that the connection carries the requests of many callers. Can close the connection. */
    opened(socket: Socket, isProxy: boolean): void {
      const { remoteAddress } = socket;
      if (remoteAddress === undefined) return;
      const line = lineOf(socket);
      const connection = budget.connect(line, isProxy ? undefined : addressGroup(remoteAddress));
      if (connection === undefined) return;
      const ends = endsOf(socket);
      known.set(socket, connection);
      withoutTls.set(ends, { connection, line });
      socket.once('close', () => {
        withoutTls.delete(ends);
        budget.disconnect(connection);
      });
    },
    /** TLS has a socket of its own, which counts what has passed. */
    secured(socket: Socket): void {
      const found = withoutTls.get(endsOf(socket));
      if (found === undefined) return;
      found.line.passTo(socket);
      known.set(socket, found.connection);
    },
    /** Undefined if the connection has been closed meanwhile. */
    of: (socket: Socket): Connection | undefined => known.get(socket),
  };
}

interface SocketLine extends Line {
  passTo(socket: Socket): void;
}

function lineOf(first: Socket): SocketLine {
  let socket = first;
  return {
    // `bytesWritten` also counts what still waits in this process.
    moved: () => socket.bytesRead + socket.bytesWritten - socket.writableLength,
    close: () => socket.destroy(),
    passTo: (next) => (socket = next),
  };
}

const endsOf = ({ remoteAddress, remotePort, localPort }: Socket) => `${remoteAddress} ${remotePort} ${localPort}`;
