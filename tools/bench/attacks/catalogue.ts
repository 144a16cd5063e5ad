import { ATTACKER, type Stage } from './stage.ts';
import { leaveUnfinished, leaveUnread, repeat, type Outcomes, type RawRequest } from './connections.ts';

export interface Attack {
  what: string;
  /** What an honest person sends meanwhile, if not GET auth/me. */
  other?: (stage: Stage) => RawRequest;
  run(stage: Stage): Promise<Outcomes>;
}

const HOLD_MS = 12_000;
const CONNECTIONS = 416;
const UNREAD = 190;
const UPLOADS = 30;
const EXPORTS_PER_SECOND = 10;
const SENDERS = 8;
const FLAW = 1_990;

const always = () => ATTACKER;
/** Each connection from an address of its own. */
const everywhere = (place: number) => `127.0.${3 + Math.floor(place / 250)}.${1 + (place % 250)}`;

const filled = (bytes: number) => `{"x":"${'A'.repeat(bytes - 8)}"}`;
const introspection = (bytes: number): RawRequest => ({
  ...{ method: 'POST', path: '/api/v1/auth/introspect' },
  headers: { 'content-type': 'application/json' },
  body: filled(bytes),
});
const SIMULATE = { method: 'POST', path: '/api/v1/engine/debt/simulate' } as const;

/** The answer has 1,028,000 bytes: just under the size from which answers were once counted. */
const longAnswer = JSON.stringify({
  debts: Array.from({ length: 20 }, (_, index) => ({
    ...{ name: `Debt ${index} `.padEnd(12, 'x'), balance: 750_000, rate: 0, minimum: 1_000 },
  })),
  monthly_budget: 20_000,
});

export const uploadOf = (ownerId: string, bytes: Buffer): RawRequest => {
  const line = 'ringfencebench';
  const field = (name: string, more = '') =>
    `--${line}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const parts = `${field('user_id')}${ownerId}\r\n${field('file', '; filename="a.pdf"')}`;
  return {
    ...{ method: 'POST', path: '/api/v1/legacy/payslip/upload' },
    headers: { 'content-type': `multipart/form-data; boundary=${line}`, prefer: 'respond-async' },
    body: Buffer.concat([Buffer.from(parts), bytes, Buffer.from(`\r\n--${line}--\r\n`)]),
  };
};

const chart: RawRequest = {
  ...SIMULATE,
  headers: { accept: 'image/svg+xml' },
  body: JSON.stringify({
    debts: [{ name: 'Card', balance: 40_000, rate: 2_490, minimum: 2_500 }],
    monthly_budget: 15_000,
  }),
};

const manyObligations = JSON.stringify({
  ...{ user_id: 'bench-0', gross_income: 250_000, frequency: 'monthly' },
  obligations: Array.from({ length: FLAW }, () => ({})),
});

export const ATTACKS: readonly Attack[] = [
  {
    what: `${CONNECTIONS} unfinished bodies of 1,048,000 bytes, no credential`,
    run: ({ address }) =>
      leaveUnfinished(address, {
        count: CONNECTIONS,
        from: always,
        request: introspection(1_048_000),
        holdMs: HOLD_MS,
      }),
  },
  {
    what: `${CONNECTIONS} unfinished bodies of 32,000 bytes, no credential, as many addresses`,
    run: ({ address }) =>
      leaveUnfinished(address, {
        count: CONNECTIONS,
        from: everywhere,
        request: introspection(32_000),
        holdMs: HOLD_MS,
      }),
  },
  {
    what: `${CONNECTIONS} unfinished bodies of 1,048,000 bytes, one key`,
    run: ({ address, call, key }) =>
      leaveUnfinished(address, {
        ...{ count: CONNECTIONS, from: always, holdMs: HOLD_MS },
        request: call(key, { ...SIMULATE, body: filled(1_048_000) }),
      }),
  },
  {
    what: `${UNREAD} unread answers of a megabyte, one person`,
    run: ({ address, call, tokens }) =>
      leaveUnread(address, {
        // At a pace that the threads can calculate.
        ...{ count: UNREAD, from: always, holdMs: HOLD_MS, apartMs: 40 },
        request: call(tokens.attacker, { ...SIMULATE, body: longAnswer }),
      }),
  },
  {
    what: `${UPLOADS} half-sent uploads of one person; another's upload`,
    other: ({ call, tokens, ids }) => call(tokens.other, uploadOf(ids.other, Buffer.from('%PDF-1.4\n%none of it\n'))),
    run: ({ address, call, tokens, ids }) =>
      leaveUnfinished(address, {
        ...{ count: UPLOADS, from: always, holdMs: HOLD_MS },
        request: call(tokens.attacker, uploadOf(ids.attacker, Buffer.alloc(2_500_000, '%PDF-1.4\n'))),
      }),
  },
  {
    what: `${EXPORTS_PER_SECOND} PDF exports a second of one credential; another's chart`,
    other: ({ call, tokens }) => call(tokens.other, chart),
    run: ({ address, call, key, credentialId }) =>
      repeat(address, {
        ...{ count: 2 * EXPORTS_PER_SECOND, from: always, forMs: HOLD_MS, pauseMs: 2_000 },
        request: call(key, { method: 'GET', path: `/api/v1/credential/${credentialId}/export?format=pdf` }),
      }),
  },
  {
    what: `${SENDERS} connections with ${FLAW} empty obligations`,
    run: ({ address, call, key }) =>
      repeat(address, {
        ...{ count: SENDERS, from: always, forMs: HOLD_MS },
        request: call(key, { method: 'POST', path: '/api/v1/engine/paycheck/calculate', body: manyObligations }),
      }),
  },
  {
    what: `${SENDERS} connections that read the progress of a debt with 2,500 payments`,
    run: ({ address, call, key, planId }) =>
      repeat(address, {
        ...{ count: SENDERS, from: always, forMs: HOLD_MS },
        request: call(key, { method: 'GET', path: `/api/v1/engine/debt/${planId}/progress` }),
      }),
  },
  {
    what: `${SENDERS} connections that get /openapi.json`,
    run: ({ address }) =>
      repeat(address, {
        ...{ count: SENDERS, from: always, forMs: HOLD_MS },
        request: { method: 'GET', path: '/openapi.json' },
      }),
  },
];
