import type { BankEvent } from '../../domain/bank.ts';
import type { Services } from '../services.ts';
import { startBackgroundTask, type BackgroundTask } from './task.ts';

const LIMIT = 100;
const WAIT_MS = 1_000;
const REST_MS = 50;
const REST_WHEN_UNKNOWN_MS = 300;
const FORGET_AFTER_TELLINGS = 40;

interface Payments {
  bankTold(news: { bank_payment_id: string }): Promise<boolean>;
}

/**
 * Several processes may poll at once, because recording an event is idempotent. An event can arrive before the response
 * with the payment's id, so events about unknown payments get `FORGET_AFTER_TELLINGS` deliveries.
 */
export function startBankEvents(services: Services, payments: Payments): BackgroundTask {
  const unknown = new Map<string, number>();
  let acknowledge: string[] = [];
  return startBackgroundTask({ name: 'bank events', log: services.log, restMs: REST_MS }, async () => {
    const events = await services.bank.pollEvents({ acknowledge, limit: LIMIT, waitMs: WAIT_MS });
    const handled = await Promise.all(events.map((event) => handle(services, payments, event, unknown)));
    acknowledge = events.filter((_, place) => handled[place]).map((event) => event.eventId);
    if (acknowledge.length < events.length) await new Promise((resolve) => setTimeout(resolve, REST_WHEN_UNKNOWN_MS));
  });
}

async function handle(
  services: Services,
  payments: Payments,
  event: BankEvent,
  unknown: Map<string, number>,
): Promise<boolean> {
  try {
    if (await payments.bankTold({ bank_payment_id: event.bankPaymentId })) return unknown.delete(event.eventId) || true;
  } catch (error) {
    const reason = String(error);
    services.log.warn({ event_id: event.eventId, reason }, 'an event from the bank could not be recorded yet');
    return false;
  }
  const tellings = (unknown.get(event.eventId) ?? 0) + 1;
  unknown.set(event.eventId, tellings);
  if (tellings < FORGET_AFTER_TELLINGS) return false;
  services.log.warn(
    { event_id: event.eventId },
    'the bank reported a payment that the service does not know; event ignored',
  );
  return unknown.delete(event.eventId);
}
