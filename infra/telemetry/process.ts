import type { Gauge } from 'prom-client';
import type { ConfigOf } from '../config/index.ts';
import type { Services } from '../services.ts';
import { startListener } from './listener.ts';
import { watchProcess } from './metrics.ts';
import { watchStanding } from './standing.ts';

type Watched = Pick<Services, 'metrics' | 'db' | 'clock' | 'log'> & { config: ConfigOf<'database' | 'metrics'> };

interface WatchOptions {
  /** 0 means no listener. */
  port: number;
  /** @throws if this process cannot do its work. */
  ready: () => Promise<unknown>;
  /** In Prometheus' text format. */
  more?: () => Promise<string>;
}

export async function startWatching(services: Watched, options: WatchOptions) {
  const { metrics, db, clock, log, config } = services;
  const { port, ready, more = () => Promise.resolve('') } = options;
  if (port === 0) return undefined;
  watchProcess(metrics);
  watchPool(services);
  const standing = watchStanding(metrics, db, clock);
  return startListener({
    host: config.metrics.host,
    port,
    log,
    async metrics() {
      const [others] = await Promise.all([more().catch(() => ''), standing.refresh()]);
      return `${await metrics.registry.metrics()}${others}`;
    },
    ready,
  });
}

function watchPool({ metrics, db, config }: Watched): void {
  const size = metrics.gauge('database_pool_size', 'The maximum number of database connections of this process.');
  size.set(config.database.poolSize);
  const waiting: Gauge = metrics.gauge(
    'database_pool_waiting',
    'Statements and transactions that wait for a database connection.',
    [],
    () => waiting.set(db.pool().waiting),
  );
  const help = 'Database connections of this process, by state.';
  const connections: Gauge<'state'> = metrics.gauge('database_pool_connections', help, ['state'], () => {
    const { total, idle } = db.pool();
    connections.set({ state: 'idle' }, idle);
    connections.set({ state: 'busy' }, total - idle);
  });
}
