import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * When a connection closes, Node closes only the response that is being sent. With the returned function, those of
 * pipelined requests behind it close too, so that what they hold is released.
 */
export function closeQueued(): (socket: Socket, response: ServerResponse) => void {
  const queues = new WeakMap<Socket, Set<ServerResponse>>();
  const queueOf = (socket: Socket) => {
    const queued = new Set<ServerResponse>();
    queues.set(socket, queued);
    socket.once('close', () => {
      for (const response of queued) if (response.socket === null) response.destroy().emit('close');
    });
    return queued;
  };
  return (socket, response) => {
    // Otherwise, it is the first in the queue.
    if (response.socket !== null) return;
    const queued = queues.get(socket) ?? queueOf(socket);
    queued.add(response);
    response.once('close', () => queued.delete(response));
  };
}
