import { list, objectIn, record } from '../../infra/bank/obie-4.0/json.ts';
import type { Calendar } from './calendar.ts';
import type { EventStore, StoredEvent } from './event-store.ts';
import type { BankExchange } from './exchange.ts';
import { signEvent, type Signer } from './signing.ts';

interface EventDesk {
  events: EventStore;
  calendar: Calendar;
  signer: Signer;
  clientId: string;
  publicUrl: string;
}

const RESOURCE_ID = 'http://openbanking.org.uk/rid';
const RESOURCE_TYPE = 'http://openbanking.org.uk/rty';
const RESOURCE_LINKS = 'http://openbanking.org.uk/rlk';
const MOST_EVENTS = 100;
const LONGEST_WAIT_MS = 30_000;
const USUAL_WAIT_MS = 20_000;

export async function pollEvents(desk: EventDesk, exchange: BankExchange): Promise<void> {
  const poll = objectIn(exchange.body);
  if (poll === null) return exchange.fail(400, { code: 'U010', message: 'The body is not an event poll.' });
  const { maxEvents, returnImmediately, ack, setErrs } = poll;
  // An unreadable event counts as delivered, because the client can still read the payment by its id.
  desk.events.acknowledge([...list(ack), ...Object.keys(record(setErrs))].map(String));
  const limit = Number.isInteger(maxEvents) ? Math.min(Math.max(0, Number(maxEvents)), MOST_EVENTS) : MOST_EVENTS;
  const untilMs = Date.now() + (returnImmediately === true || limit === 0 ? 0 : waitOf(exchange.header('prefer')));
  let open = desk.events.open(limit + 1);
  while (open.length === 0 && Date.now() < untilMs && !exchange.gone.aborted) {
    await desk.calendar.untilChange(untilMs - Date.now(), exchange.gone);
    open = desk.events.open(limit + 1);
  }
  const sets = await Promise.all(
    open.slice(0, limit).map(async (event) => {
      const issued = { iss: desk.publicUrl, aud: desk.clientId, iat: Math.floor(Date.now() / 1000) };
      return [event.eventId, await signEvent({ ...issued, ...claimsOf(event, desk.publicUrl) }, desk.signer)] as const;
    }),
  );
  exchange.answer(200, { moreAvailable: open.length > limit, sets: Object.fromEntries(sets) });
}

function waitOf(prefer: string | undefined): number {
  const seconds = /(?:^|[,;\s])wait=(\d{1,6})\b/.exec(prefer ?? '')?.[1];
  return seconds === undefined ? USUAL_WAIT_MS : Math.min(Number(seconds) * 1000, LONGEST_WAIT_MS);
}

/** The claims of OBEventNotification2. */
function claimsOf({ eventId, type, resource, resourceId, at }: StoredEvent, publicUrl: string) {
  const group = resource === 'account-access-consent' ? 'aisp' : 'pisp';
  const link = `${publicUrl}/open-banking/v4.0/${group}/${resource}s/${resourceId}`;
  return {
    jti: eventId,
    sub: link,
    txn: resourceId,
    toe: Math.floor(Date.parse(at) / 1000),
    events: {
      [`urn:uk:org:openbanking:events:${type}`]: {
        subject: {
          subject_type: `${RESOURCE_ID}_${RESOURCE_TYPE}`,
          [RESOURCE_ID]: resourceId,
          [RESOURCE_TYPE]: resource,
          [RESOURCE_LINKS]: [{ version: 'v4.0', link }],
        },
      },
    },
  };
}
