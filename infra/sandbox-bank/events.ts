import { paymentChanged } from '../bank/events.ts';
import { signEvent, type Signer } from '../bank/message-signing.ts';
import type { Calendar } from './calendar.ts';
import type { BankExchange } from './exchange.ts';
import { vrpUrl } from './payments.ts';
import type { BankStore } from './store.ts';

interface Poll {
  maxEvents: number;
  returnImmediately: boolean;
  ack: string[];
}

const MOST_EVENTS = 100;
const LONGEST_WAIT_MS = 30_000;
const USUAL_WAIT_MS = 20_000;

export async function pollEvents(
  desk: { store: BankStore; calendar: Calendar; signer: Signer; clientId: string; publicUrl: string },
  exchange: BankExchange,
): Promise<void> {
  const poll = readPoll(exchange.body);
  if (poll === null) return exchange.fail(400, { code: 'U010', message: 'The body is not an event poll.' });
  desk.store.acknowledge(poll.ack);
  const limit = Math.min(poll.maxEvents, MOST_EVENTS);
  const untilMs = Date.now() + (poll.returnImmediately || limit === 0 ? 0 : waitOf(exchange.header('prefer')));
  let open = desk.store.openEvents(limit + 1);
  while (open.length === 0 && Date.now() < untilMs && !exchange.gone.aborted) {
    await desk.calendar.untilChange(untilMs - Date.now(), exchange.gone);
    open = desk.store.openEvents(limit + 1);
  }
  const sets = await Promise.all(
    open.slice(0, limit).map(async (event) => {
      const claims = paymentChanged({ ...event, link: vrpUrl(desk.publicUrl, event.bankPaymentId) });
      const issued = { iss: desk.publicUrl, aud: desk.clientId, iat: Math.floor(Date.now() / 1000) };
      return [event.eventId, await signEvent({ ...issued, ...claims }, desk.signer)] as const;
    }),
  );
  exchange.answer(200, { moreAvailable: open.length > limit, sets: Object.fromEntries(sets) });
}

function waitOf(prefer: string | undefined): number {
  const seconds = /(?:^|[,;\s])wait=(\d{1,6})\b/.exec(prefer ?? '')?.[1];
  return seconds === undefined ? USUAL_WAIT_MS : Math.min(Number(seconds) * 1000, LONGEST_WAIT_MS);
}

function readPoll(body: Buffer): Poll | null {
  try {
    const { maxEvents, returnImmediately, ack, setErrs } = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    // An unreadable event counts as delivered, because the client can still read the payment by its id.
    const done: unknown[] = [...(Array.isArray(ack) ? (ack as unknown[]) : []), ...Object.keys(setErrs ?? {})];
    return {
      maxEvents: Number.isInteger(maxEvents) ? Math.max(0, Number(maxEvents)) : MOST_EVENTS,
      returnImmediately: returnImmediately === true,
      ack: done.map(String),
    };
  } catch {
    return null;
  }
}
