import { Counter, type Registry } from 'prom-client';

/** How often each statement ran, and for how long in all. */
export interface StatementTotals {
  /** @param seconds how long this run of it took. */
  add(name: string, seconds: number): void;
}

interface Total {
  runs: number;
  seconds: number;
}

/** Adds up in memory and hands the sums over when they are asked for: there are several statements to each request. */
export function statementTotals(registry: Registry): StatementTotals {
  const totals = new Map<string, Total>();
  const expose = (name: string, help: string, value: (total: Total) => number) =>
    new Counter({
      name,
      help,
      labelNames: ['statement'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [statement, total] of totals) this.inc({ statement }, value(total));
      },
    });
  expose('ringfence_database_statements_total', 'Runs of each prepared statement.', ({ runs }) => runs);
  expose(
    'ringfence_database_statement_seconds_total',
    'What each prepared statement took in all.',
    ({ seconds }) => seconds,
  );
  return {
    add(name, seconds) {
      const total = totals.get(name);
      if (total === undefined) totals.set(name, { runs: 1, seconds });
      else {
        total.runs += 1;
        total.seconds += seconds;
      }
    },
  };
}
