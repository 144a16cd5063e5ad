import {
  Counter,
  type Histogram,
  type MetricObjectWithValues,
  type MetricValueWithName,
  type Registry,
} from 'prom-client';

/** How often each statement ran, and for how long. */
export interface StatementTotals {
  /** @param seconds how long this run of it took. */
  add(name: string, seconds: number): void;
}

interface Module {
  /** How many took up to each bound and longer than the one before it; the last one is without bound. */
  buckets: number[];
  seconds: number;
  runs: number;
}

interface Statement {
  runs: number;
  seconds: number;
  module: Module;
}

/** In seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];
const NAME = 'ringfence_database_statement_duration_seconds';

/** The word before the dot of a statement's name. */
export function moduleOf(statement: string): string {
  return /^\w+/.exec(statement)?.[0] ?? 'other';
}

/**
 * Adds up in memory, by statement and as a histogram by module, and hands the sums over when they are asked for: there are several
 * statements to each request, and prom-client's own cells would cost four times as much.
 */
export function statementTotals(registry: Registry): StatementTotals {
  const statements = new Map<string, Statement>();
  const modules = new Map<string, Module>();
  const begin = (name: string): Statement => {
    const word = moduleOf(name);
    const module = modules.get(word) ?? {
      buckets: Array.from({ length: BOUNDS.length + 1 }, () => 0),
      seconds: 0,
      runs: 0,
    };
    modules.set(word, module);
    const statement = { runs: 0, seconds: 0, module };
    statements.set(name, statement);
    return statement;
  };
  const expose = (name: string, help: string, value: (total: Statement) => number) =>
    new Counter({
      name,
      help,
      labelNames: ['statement'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [statement, total] of statements) this.inc({ statement }, value(total));
      },
    });
  expose('ringfence_database_statements_total', 'Runs of each prepared statement.', ({ runs }) => runs);
  expose('ringfence_database_statement_seconds_total', 'What each took in all.', ({ seconds }) => seconds);
  registry.registerMetric(asHistogram(modules));
  return {
    add(name, seconds) {
      const statement = statements.get(name) ?? begin(name);
      const { module } = statement;
      let place = 0;
      while (place < BOUNDS.length && seconds > BOUNDS[place]!) place += 1;
      module.buckets[place]! += 1;
      module.seconds += seconds;
      module.runs += 1;
      statement.runs += 1;
      statement.seconds += seconds;
    },
  };
}

/** What a registry asks of a metric. */
function asHistogram(modules: ReadonlyMap<string, Module>): Histogram {
  const metric = {
    name: NAME,
    help: 'Statements by module, with the wait for a connection.',
    type: 'histogram' as const,
  };
  const get = (): Promise<MetricObjectWithValues<MetricValueWithName<string>>> => {
    const values = [...modules].flatMap(([module, told]) => valuesOf(module, told));
    return Promise.resolve({ ...metric, aggregator: 'sum', values } as never);
  };
  return { ...metric, get, reset: () => undefined } as unknown as Histogram;
}

function valuesOf(module: string, { buckets, seconds, runs }: Module): MetricValueWithName<string>[] {
  let upTo = 0;
  const bounded = [...BOUNDS, '+Inf'].map((le, place) => {
    upTo += buckets[place]!;
    return { metricName: `${NAME}_bucket`, labels: { le, module }, value: upTo };
  });
  const labels = { module };
  return [
    ...bounded,
    { metricName: `${NAME}_sum`, labels, value: seconds },
    { metricName: `${NAME}_count`, labels, value: runs },
  ];
}
