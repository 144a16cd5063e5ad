import { DomainError } from '../../domain/errors.ts';
import type { Bank } from '../bank/interface.ts';
import type { Keys } from '../keys/index.ts';
import type { Limits, LimitsWithin } from '../limits/index.ts';
import type { Quotas } from '../limits/quotas.ts';
import type { Mailer } from '../mail/index.ts';
import type { DocumentReader } from '../documents/index.ts';
import type { QueryWatch } from '../db/connection.ts';
import type { Metrics } from './metrics.ts';
import type { Tracing } from './tracing.ts';

export interface Telemetry {
  metrics: Metrics;
  tracing: Tracing;
}

async function timed<T>(
  seconds: { observe(labels: { call: string; outcome: string }, value: number): void },
  call: string,
  work: () => Promise<T>,
  outcomeOf: (result: T) => string = () => 'ok',
): Promise<T> {
  const startedAt = performance.now();
  const observe = (outcome: string) => seconds.observe({ call, outcome }, (performance.now() - startedAt) / 1_000);
  try {
    const result = await work();
    observe(outcomeOf(result));
    return result;
  } catch (error) {
    observe('failed');
    throw error;
  }
}

export function watchedBank(bank: Bank, bankId: string, { metrics, tracing }: Telemetry): Bank {
  const seconds = {
    observe: (labels: { call: string; outcome: string }, value: number) =>
      metrics.bankCallSeconds.observe({ bank: bankId, ...labels }, value),
  };
  const traced = <T>(call: string, work: () => Promise<T>, outcomeOf: (result: T) => string = () => 'ok') =>
    tracing.span(`bank ${call}`, { kind: 'client', onlyWithin: true }, async (span) => {
      const result = await timed(seconds, call, work, outcomeOf);
      if (tracing.on) span.set({ 'ringfence.bank.outcome': outcomeOf(result) });
      return result;
    });
  const kindOf = ({ kind }: { kind: string }) => kind;
  const itself = (outcome: string) => outcome;
  return {
    ...bank,
    begin: (order) => traced('begin', () => bank.begin(order)),
    finish: (given) => traced('finish', () => bank.finish(given), kindOf),
    look: (access) => traced('look', () => bank.look(access), itself),
    end: (access) => traced('end', () => bank.end(access), itself),
    accounts: (access) => traced('accounts', () => bank.accounts(access)),
    balance: (access, account) => traced('balance', () => bank.balance(access, account)),
    transactions: (access, wanted) => traced('transactions', () => bank.transactions(access, wanted)),
    pay: (access, instruction) => traced('pay', () => bank.pay(access, instruction), kindOf),
    payment: (bankPaymentId) => traced('payment', () => bank.payment(bankPaymentId)),
    events: (request) => timed(seconds, 'events', () => bank.events(request)),
    check: () => timed(seconds, 'check', () => bank.check()),
  };
}

/** Measures the calls that can need the key service. */
export function watchedKeys(keys: Keys, { metrics }: Pick<Telemetry, 'metrics'>): Keys {
  const call = <T>(name: string, work: () => Promise<T>) => timed(metrics.keyCallSeconds, name, work);
  return {
    ...keys,
    seal: (plaintext, sealContext) => call('seal', () => keys.seal(plaintext, sealContext)),
    open: (sealed, sealContext) => call('open', () => keys.open(sealed, sealContext)),
    rewrap: (sealed, atLeast) => call('rewrap', () => keys.rewrap(sealed, atLeast)),
    check: () => call('check', () => keys.check()),
  };
}

export function watchedQuotas(quotas: Quotas, { metrics }: Pick<Telemetry, 'metrics'>): Quotas {
  return {
    take: (principal) =>
      quotas.take(principal).catch((error: unknown) => {
        metrics.rateLimited.inc({ limit: principal.kind === 'user' ? 'person' : 'key' });
        throw error;
      }),
    takeFrom: (name, address) =>
      quotas.takeFrom(name, address).catch((error: unknown) => {
        metrics.rateLimited.inc({ limit: name });
        throw error;
      }),
  };
}

export function watchedLimits(limits: Limits, { metrics }: Pick<Telemetry, 'metrics'>): Limits {
  const count = (limit: string) => (error: unknown) => {
    if (error instanceof DomainError && error.code === 'rate-limited') metrics.rateLimited.inc({ limit });
    throw error;
  };
  const counted = ({ take, check }: LimitsWithin): LimitsWithin => ({
    take: (name, who) => take(name, who).catch(count(name)),
    check: (name, who) => check(name, who).catch(count(name)),
  });
  return {
    ...counted(limits),
    takeFrom: (name, address, operation) => limits.takeFrom(name, address, operation).catch(count(name)),
    within: (tx) => counted(limits.within(tx)),
  };
}

export function watchedMailer(mailer: Mailer, { metrics }: Pick<Telemetry, 'metrics'>): Mailer {
  return {
    async send(letter) {
      try {
        await mailer.send(letter);
        metrics.letters.inc({ outcome: 'sent' });
      } catch (error) {
        metrics.letters.inc({ outcome: 'failed' });
        throw error;
      }
    },
  };
}

export function watchedReader(reader: DocumentReader, { metrics, tracing }: Telemetry): DocumentReader {
  let lastPid: number | undefined;
  return {
    get pid() {
      return reader.pid;
    },
    read: (document) =>
      tracing.span('read document', { onlyWithin: true }, async (span) => {
        const startedAt = performance.now();
        const observe = (outcome: string) => {
          metrics.documentSeconds.observe({ outcome }, (performance.now() - startedAt) / 1_000);
          if (reader.pid !== undefined && reader.pid !== lastPid) metrics.readerStarts.inc();
          lastPid = reader.pid ?? lastPid;
        };
        try {
          const outcome = await reader.read(document);
          const label = outcome.kind === 'failed' ? outcome.code : outcome.kind;
          observe(label);
          span.set({ 'ringfence.outcome': label });
          return outcome;
        } catch (error) {
          observe('not-now');
          throw error;
        }
      }),
    close: () => reader.close(),
  };
}

/** A statement's module is the part of its name before the dot. */
export function statementWatch({ metrics, tracing }: Telemetry): QueryWatch {
  return (statement, startedAt, failed) => {
    const seconds = (performance.now() - startedAt) / 1_000;
    const module = /^\w+/.exec(statement)?.[0] ?? 'other';
    metrics.statements.inc({ statement });
    metrics.statementTotalSeconds.inc({ statement }, seconds);
    metrics.statementSeconds.observe({ module }, seconds);
    if (failed) metrics.statementFailures.inc({ module });
    if (tracing.on) tracing.statement(statement, startedAt, failed);
  };
}
