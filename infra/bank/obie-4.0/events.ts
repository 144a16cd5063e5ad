import type { BankEvent } from '../../../domain/bank/payments.ts';
import { record } from './json.ts';
import { SignatureError } from './message-signing.ts';

const EVENTS = 'urn:uk:org:openbanking:events:';
const RESOURCE_UPDATE = `${EVENTS}resource-update`;
const RESOURCE_ID = 'http://openbanking.org.uk/rid';
const RESOURCE_TYPE = 'http://openbanking.org.uk/rty';
const VRP = 'domestic-vrp';
const CONSENTS = ['account-access-consent', 'domestic-vrp-consent'];

export interface EventReplies {
  /** Ids of events that are about nothing of this service. */
  acknowledge: string[];
  /** By event id: the RFC 8936 error for an event that is unreadable or not signed by the bank. */
  errors: Record<string, { err: string; description: string }>;
}

/** The body of POST /events (OBEventPolling1). If `waitMs` is positive, the bank may wait for an event. */
export function pollRequest(
  ask: { acknowledge: readonly string[]; limit: number; waitMs: number },
  replies: EventReplies,
): string {
  return JSON.stringify({
    maxEvents: ask.limit,
    returnImmediately: ask.waitMs <= 0,
    ack: [...new Set([...ask.acknowledge, ...replies.acknowledge])],
    ...(Object.keys(replies.errors).length === 0 ? {} : { setErrs: replies.errors }),
  });
}

/** Reads OBEventPollingResponse1. Returns events about payments and consents, oldest first. */
export async function readEvents(
  body: Buffer,
  verify: (token: string) => Promise<Record<string, unknown>>,
): Promise<{ events: BankEvent[]; replies: EventReplies }> {
  const { sets } = JSON.parse(body.toString('utf8')) as { sets?: unknown };
  if (typeof sets !== 'object' || sets === null) throw new Error('the response of the bank contains no events');
  const replies: EventReplies = { acknowledge: [], errors: {} };
  const found: { event: BankEvent; at: number }[] = [];
  for (const [eventId, token] of Object.entries(sets)) {
    try {
      const claims = await verify(String(token));
      if (claims['jti'] !== eventId) throw new SignatureError('the event has a different id');
      const change = changeIn(claims);
      if (change === null) replies.acknowledge.push(eventId);
      else found.push({ event: { eventId, ...change }, at: Number(claims['toe'] ?? 0) });
    } catch (error) {
      const description = error instanceof Error ? error.message.slice(0, 256) : 'unreadable';
      replies.errors[eventId] = { err: 'authentication_failed', description };
    }
  }
  return { events: found.sort((a, b) => a.at - b.at).map(({ event }) => event), replies };
}

type Change = BankEvent extends infer Each ? (Each extends BankEvent ? Omit<Each, 'eventId'> : never) : never;

function changeIn(claims: Record<string, unknown>): Change | null {
  for (const [type, event] of Object.entries(record(claims['events']))) {
    const subject = record(record(event)['subject']);
    const { [RESOURCE_ID]: id, [RESOURCE_TYPE]: resource } = subject;
    if (typeof id !== 'string' || typeof resource !== 'string') continue;
    if (type === RESOURCE_UPDATE && resource === VRP) return { kind: 'payment', bankPaymentId: id };
    if (!CONSENTS.includes(resource)) continue;
    if (type === `${EVENTS}consent-authorization-revoked`) return { kind: 'consent', consentRef: id, what: 'revoked' };
    if (type === `${EVENTS}${resource}-linked-account-update`)
      return { kind: 'consent', consentRef: id, what: 'accounts-changed' };
  }
  return null;
}

/** The claims of OBEventNotification2 for a changed variable recurring payment. */
export function paymentChanged(event: { eventId: string; bankPaymentId: string; at: string; link: string }) {
  return {
    jti: event.eventId,
    sub: event.link,
    txn: event.bankPaymentId,
    toe: Math.floor(Date.parse(event.at) / 1000),
    events: {
      [RESOURCE_UPDATE]: {
        subject: {
          subject_type: `${RESOURCE_ID}_${RESOURCE_TYPE}`,
          [RESOURCE_ID]: event.bankPaymentId,
          [RESOURCE_TYPE]: VRP,
          'http://openbanking.org.uk/rlk': [{ version: 'v4.0', link: event.link }],
        },
      },
    },
  };
}
