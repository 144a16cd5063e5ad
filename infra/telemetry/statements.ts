import { Counter, Histogram, type Registry } from 'prom-client';

/** How often each statement ran, and for how long. */
export interface StatementTotals {
  /** @param seconds how long this run of it took. */
  add(name: string, seconds: number): void;
}

/** In seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];

/** The word before the dot of a statement's name. */
export function moduleOf(statement: string): string {
  return /^\w+/.exec(statement)?.[0] ?? 'other';
}

/** Counts statements by name, and their durations by module: a histogram for each statement would be too many series. */
export function statementTotals(registry: Registry): StatementTotals {
  const registers = [registry];
  const labelNames = ['statement'];
  const runs = new Counter({
    name: 'ringfence_database_statements_total',
    help: 'Runs of each prepared statement.',
    labelNames,
    registers,
  });
  const seconds = new Counter({
    name: 'ringfence_database_statement_seconds_total',
    help: 'What each took in all.',
    labelNames,
    registers,
  });
  const durations = new Histogram({
    name: 'ringfence_database_statement_duration_seconds',
    help: 'Statements by module, with the wait for a connection.',
    labelNames: ['module'],
    buckets: BOUNDS,
    registers,
  });
  const cellsOf = (name: string) => ({
    runs: runs.labels(name),
    seconds: seconds.labels(name),
    durations: durations.labels(moduleOf(name)),
  });
  const known = new Map<string, ReturnType<typeof cellsOf>>();
  return {
    add(name, took) {
      const cells = known.get(name) ?? cellsOf(name);
      known.set(name, cells);
      cells.runs.inc();
      cells.seconds.inc(took);
      cells.durations.observe(took);
    },
  };
}
