import { paymentChanged } from '../../infra/bank/obie-4.0/events.ts';
import { list, objectIn, record } from '../../infra/bank/obie-4.0/json.ts';
import { signEvent, type Signer } from '../../infra/bank/obie-4.0/message-signing.ts';
import type { Calendar } from './calendar.ts';
import type { BankExchange } from './exchange.ts';
import { vrpUrl } from './payments.ts';
import type { BankStore } from './store.ts';

const MOST_EVENTS = 100;
const LONGEST_WAIT_MS = 30_000;
const USUAL_WAIT_MS = 20_000;

export async function pollEvents(
  desk: { store: BankStore; calendar: Calendar; signer: Signer; clientId: string; publicUrl: string },
  exchange: BankExchange,
): Promise<void> {
  const poll = objectIn(exchange.body);
  if (poll === null) return exchange.fail(400, { code: 'U010', message: 'The body is not an event poll.' });
  const { maxEvents, returnImmediately, ack, setErrs } = poll;
  // An unreadable event counts as delivered, because the client can still read the payment by its id.
  desk.store.acknowledge([...list(ack), ...Object.keys(record(setErrs))].map(String));
  const limit = Number.isInteger(maxEvents) ? Math.min(Math.max(0, Number(maxEvents)), MOST_EVENTS) : MOST_EVENTS;
  const untilMs = Date.now() + (returnImmediately === true || limit === 0 ? 0 : waitOf(exchange.header('prefer')));
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
