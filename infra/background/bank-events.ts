import { setTimeout as sleep } from 'node:timers/promises';
import type { BankEvent, ConsentChange } from '../../domain/bank/payments.ts';
import { BankError, type ConfiguredBank } from '../bank/interface.ts';
import type { Services } from '../services.ts';
import { startBackgroundTask, type BackgroundTask } from './task.ts';

const LIMIT = 100;
const WAIT_MS = 1_000;
const PAUSE_MS = 50;
const PAUSE_WHEN_UNKNOWN_MS = 300;
const PAUSE_WHEN_RESTORING_MS = 1_000;
const FORGET_AFTER_DELIVERIES = 40;
const FIRST_PAUSE_WHEN_AWAY_MS = 500;
const LONGEST_PAUSE_WHEN_AWAY_MS = 30_000;

/** Each returns true once the news is stored, and false if it is about nothing that the service knows. */
interface Recorders {
  recordBankEvent(news: { bank_id: string; bank_payment_id: string }): Promise<boolean>;
  recordConsentEvent(news: { bank_id: string; consent_ref: string; what: ConsentChange }): Promise<boolean>;
}

type Needs = Pick<Services, 'banks' | 'log'> & { restoring: Pick<Services['restoring'], 'isNone'> };

/** Polls each bank that reports events. One that is away holds up no other. */
export function startBankEvents({ banks, log, restoring }: Needs, recorders: Recorders): BackgroundTask {
  const polled = banks.all.filter(({ port }) => port.traits.events);
  const tasks = polled.map((bank) =>
    startEventsOf(bank, { log, restoring, record: recorderFor(bank, banks, recorders) }),
  );
  return {
    async stop() {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}

function recorderFor({ bankId, port }: ConfiguredBank, { house }: Services['banks'], recorders: Recorders) {
  const pays = Object.keys(port.traits.pays).length > 0 || bankId === house?.bank.bankId;

  return async (event: BankEvent): Promise<boolean> => {
    if (event.kind === 'consent') {
      const { consentRef, what } = event;
      return recorders.recordConsentEvent({ bank_id: bankId, consent_ref: consentRef, what });
    }
    // A payment at a bank that pays nothing for this service is not the service's.
    return !pays || recorders.recordBankEvent({ bank_id: bankId, bank_payment_id: event.bankPaymentId });
  };
}

/**
 * Several processes may poll at once, because recording an event is idempotent. An event can arrive before the response
 * with the id of what it is about, so events about unknown things get `FORGET_AFTER_DELIVERIES` deliveries.
 */
function startEventsOf(
  { bankId, port }: ConfiguredBank,
  { log, restoring, record }: Omit<Needs, 'banks'> & { record: (event: BankEvent) => Promise<boolean> },
): BackgroundTask {
  const unknown = new Map<string, number>();
  let acknowledge: string[] = [];
  const handle = async (event: BankEvent): Promise<boolean> => {
    const { eventId, kind } = event;
    try {
      if (await record(event)) return unknown.delete(eventId) || true;
    } catch (error) {
      log.warn({ event_id: eventId, reason: String(error) }, 'an event from the bank could not be recorded yet');
      return false;
    }
    const deliveries = (unknown.get(eventId) ?? 0) + 1;
    unknown.set(eventId, deliveries);
    if (deliveries < FORGET_AFTER_DELIVERIES) return false;
    log.warn({ event_id: eventId }, `the bank reported a ${kind} that the service does not know; event ignored`);
    return unknown.delete(eventId);
  };
  const stopping = new AbortController();
  let failures = 0;
  const poll = async (): Promise<BankEvent[]> => {
    try {
      const events = await port.events({ acknowledge, limit: LIMIT, waitMs: WAIT_MS });
      failures = 0;
      return events;
    } catch (error) {
      await pauseAfter(error, (failures += 1), stopping.signal);
      throw error;
    }
  };
  const task = startBackgroundTask({ name: `events of the bank "${bankId}"`, log, pauseMs: PAUSE_MS }, async () => {
    // A restored database does not know all payments, and an event about an unknown one would be given up.
    if (!(await restoring.isNone())) {
      await sleep(PAUSE_WHEN_RESTORING_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      return;
    }
    const events = await poll();
    const handled = await Promise.all(events.map(handle));
    acknowledge = events.filter((_, index) => handled[index]).map((event) => event.eventId);
    if (acknowledge.length < events.length) await sleep(PAUSE_WHEN_UNKNOWN_MS);
  });
  return {
    stop() {
      stopping.abort();
      return task.stop();
    },
  };
}

/** Some banks have no events at all, and must not be asked without end. */
async function pauseAfter(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
  const until = error instanceof BankError ? error.until : undefined;
  const wanted = until ? until.getTime() - Date.now() : FIRST_PAUSE_WHEN_AWAY_MS * 2 ** Math.min(failures - 1, 10);
  await sleep(Math.min(Math.max(wanted, 0), LONGEST_PAUSE_WHEN_AWAY_MS), undefined, { signal }).catch(() => undefined);
}
