import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CuttingProxy {
  url: string;
  /** Closes the connection instead of forwarding the next responses. */
  cutNext(answers: number): void;
  readonly cut: number;
  stop(): Promise<void>;
}

export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  let left = 0;
  let cut = 0;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    const end = () => {
      for (const socket of [near, far]) open.delete(socket.destroy());
    };
    for (const socket of [near, far]) open.add(socket.on('error', end).on('close', end));
    near.on('data', (sent) => far.write(sent));
    far.on('data', (answered) => {
      if (left === 0) {
        near.write(answered);
        return;
      }
      left -= 1;
      cut += 1;
      end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutNext: (answers) => void (left = answers),
    get cut() {
      return cut;
    },
    async stop() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
