import { setTimeout as sleep } from 'node:timers/promises';
import type { BankEvent } from '../../domain/bank/payments.ts';
import type { Services } from '../services.ts';
import { startBackgroundTask, type BackgroundTask } from './task.ts';

const LIMIT = 100;
const WAIT_MS = 1_000;
const PAUSE_MS = 50;
const PAUSE_WHEN_UNKNOWN_MS = 300;
const FORGET_AFTER_DELIVERIES = 40;

/**
 * Several processes may poll at once, because recording an event is idempotent. An event can arrive before the response
 * with the payment's id, so events about unknown payments get `FORGET_AFTER_DELIVERIES` deliveries.
 */
export function startBankEvents(
  { banks, log }: Pick<Services, 'banks' | 'log'>,
  payments: { recordBankEvent(news: { bank_payment_id: string }): Promise<boolean> },
): BackgroundTask {
  const bank = banks.house?.bank.port;
  if (bank?.traits.events !== true) return { stop: () => Promise.resolve() };
  const unknown = new Map<string, number>();
  let acknowledge: string[] = [];
  const handle = async ({ eventId, bankPaymentId }: BankEvent): Promise<boolean> => {
    try {
      if (await payments.recordBankEvent({ bank_payment_id: bankPaymentId })) return unknown.delete(eventId) || true;
    } catch (error) {
      log.warn({ event_id: eventId, reason: String(error) }, 'an event from the bank could not be recorded yet');
      return false;
    }
    const deliveries = (unknown.get(eventId) ?? 0) + 1;
    unknown.set(eventId, deliveries);
    if (deliveries < FORGET_AFTER_DELIVERIES) return false;
    log.warn({ event_id: eventId }, 'the bank reported a payment that the service does not know; event ignored');
    return unknown.delete(eventId);
  };
  return startBackgroundTask({ name: 'bank events', log, pauseMs: PAUSE_MS }, async () => {
    const events = await bank.events({ acknowledge, limit: LIMIT, waitMs: WAIT_MS });
    const handled = await Promise.all(events.map(handle));
    acknowledge = events.filter((_, index) => handled[index]).map((event) => event.eventId);
    if (acknowledge.length < events.length) await sleep(PAUSE_WHEN_UNKNOWN_MS);
  });
}
