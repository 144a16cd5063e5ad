import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';
import { ConfigError } from '../config/settings.ts';

interface ListenerParts {
  host: string;
  /** The first of 20 ports to try. */
  port: number;
  /** In Prometheus' text format. */
  metrics: () => Promise<string>;
  /** @throws if the process cannot do its work. */
  ready: () => Promise<unknown>;
  log: Log;
}

const PORTS = 20;
const READY_WITHIN_MS = 3_000;
const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8';

/** Serves /metrics, /live and /ready in plain HTTP. */
export async function startListener(parts: ListenerParts) {
  const { host, port, log } = parts;
  const server = createServer((request, response) => {
    answer(parts, request.url ?? '/', response).catch((error: unknown) => {
      log.error({ reason: String(error) }, 'the metrics could not be read');
      reply(response, 500, 'failed\n');
    });
  });
  log.info({ port: await listen(server, host, port) }, 'metrics and health');
  return {
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => undefined);
    },
  };
}

async function listen(server: Server, host: string, first: number): Promise<number> {
  for (let port = first; port < first + PORTS; port += 1) {
    try {
      server.listen({ host, port, exclusive: true });
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE')
        throw new ConfigError(
          `METRICS_HOST is ${host}, but this process cannot listen on port ${port} of that address (${code}).`,
        );
    }
  }
  throw new ConfigError(
    `The ports ${first} to ${first + PORTS - 1} are all used by other programs. Set METRICS_PORT_API or METRICS_PORT_WORKER to a different port, or to 0 to turn the listener off.`,
  );
}

async function answer({ metrics, ready }: ListenerParts, target: string, response: ServerResponse): Promise<void> {
  const path = target.split('?', 1)[0];
  if (path === '/metrics') reply(response, 200, await metrics(), TEXT_FORMAT);
  else if (path === '/live') reply(response, 200, 'live\n');
  else if (path === '/ready') {
    const late = sleep(READY_WITHIN_MS, false, { ref: false });
    const isReady = await Promise.race([ready().then(() => true), late]).catch(() => false);
    reply(response, isReady ? 200 : 503, isReady ? 'ready\n' : 'not ready\n');
  } else reply(response, 404, 'The paths are /metrics, /live and /ready.\n');
}

function reply(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text);
}
