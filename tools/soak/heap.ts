import { readFileSync } from 'node:fs';
import { until } from '../../test/helpers/until.ts';

/** Measures a Node process's heap through its inspector, which opens on SIGUSR1. */
export interface HeapProbe {
  /** The bytes in use after a garbage collection. */
  liveBytes(): Promise<number>;
  close(): void;
}

/** The process must run with `--inspect-port=0` and log the inspector's address to `logFile`. */
export async function openHeapProbe(pid: number, logFile: string): Promise<HeapProbe> {
  const addresses = () =>
    [...readFileSync(logFile, 'utf8').matchAll(/Debugger listening on (ws:\/\/\S+)/g)].map(([, url]) => url!);
  const before = addresses().length;
  process.kill(pid, 'SIGUSR1');
  await until(() => addresses().length > before, `the inspector of ${pid}`, 20_000);
  const socket = new WebSocket(addresses().at(-1)!);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error(`the inspector of ${pid} cannot be reached`)), {
      once: true,
    });
  });
  let last = 0;
  const ask = (method: string) =>
    new Promise<{ usedSize?: number }>((resolve, reject) => {
      const id = (last += 1);
      const ended = () => reject(new Error(`process ${pid} has ended`));
      const answer = ({ data }: MessageEvent) => {
        const message = JSON.parse(String(data)) as { id: number; result?: object; error?: { message: string } };
        if (message.id !== id) return;
        socket.removeEventListener('message', answer);
        socket.removeEventListener('close', ended);
        if (message.error) reject(new Error(message.error.message));
        else resolve(message.result ?? {});
      };
      socket.addEventListener('message', answer);
      socket.addEventListener('close', ended);
      socket.send(JSON.stringify({ id, method }));
    });
  return {
    async liveBytes() {
      // The second collection frees objects that wait for finalisation.
      await ask('HeapProfiler.collectGarbage');
      await ask('HeapProfiler.collectGarbage');
      return (await ask('Runtime.getHeapUsage')).usedSize!;
    },
    close: () => socket.close(),
  };
}
