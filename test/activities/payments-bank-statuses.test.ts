import { recordNews } from '../../activities/payments/news.ts';
import { BANK_STATUSES } from '../../domain/bank.ts';
import type { PaymentStatus } from '../../domain/payments.ts';
import { readVrp } from '../../infra/bank/vrp.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { withDatabase } from '../helpers/database.ts';
import { anyKey, balancesOf, expectSoundLedger, fund } from '../helpers/money.ts';
import { bankIdOf, playedBank } from '../helpers/played-bank.ts';

const bank = playedBank();
// A check after each case would be slow.
afterAll(() => expectSoundLedger(services));
const services = withDatabase({ bank });
const payments = paymentsOf(services);
let owners = 0;

beforeAll(() => payments.ensureSandboxPayees());

const FUNDS = 100_000;
const AMOUNT = 40_000;

type Place = 'in flight' | 'payee' | 'allocation';
type Outcome = readonly [status: PaymentStatus, attention: boolean, bankStatus: string | null, money: Place];

/** A reason code can follow a status. `missing` stands for a response without a status. */
const IN_PROGRESS = ['RCVD', 'PDNG', 'ACTC', 'ACCP', 'ACFC', 'ACSP', 'ACWC', 'ACWP'];
const SETTLED = ['ACSC', 'ACCC'];
const BLOCKED = ['BLCK', 'CANC', 'BLCK DUPL'];
const REJECTED = ['RJCT', 'RJCT MS03'];
const HAD_ALREADY = ['RJCT AM05', 'RJCT DUPL'];
const UNREADABLE = ['XXXX', 'missing'];
const WORDS = [...IN_PROGRESS, ...SETTLED, ...REJECTED, ...HAD_ALREADY, ...BLOCKED, ...UNREADABLE];
const statusIn = (word: string) => word.split(' ')[0]!;

// In the states `doubtful` and `blocked`, the payment's status is `processing`.
const BEFORE = {
  processing: ['processing', false, 'ACSP', 'in flight'],
  doubtful: ['processing', true, 'UNKNOWN', 'in flight'],
  blocked: ['processing', true, 'BLCK', 'in flight'],
  pending: ['pending', false, null, 'in flight'],
  completed: ['completed', false, 'ACCC', 'payee'],
  failed: ['failed', false, 'RJCT', 'allocation'],
  cancelled: ['cancelled', false, null, 'allocation'],
  returned: ['returned', false, 'ACCC', 'allocation'],
} as const satisfies Record<string, Outcome>;
type State = keyof typeof BEFORE;
const STATES = Object.keys(BEFORE) as State[];

const CHANGES: Record<
  State,
  readonly (readonly [words: readonly string[], outcome: (bankStatus: string) => Outcome])[]
> = {
  processing: [
    [IN_PROGRESS, (said) => ['processing', false, said, 'in flight']],
    [SETTLED, (said) => ['completed', false, said, 'payee']],
    [REJECTED, (said) => ['failed', false, said, 'allocation']],
    [HAD_ALREADY, () => ['processing', true, 'UNKNOWN', 'in flight']],
    [BLOCKED, (said) => ['processing', true, said, 'in flight']],
  ],
  doubtful: [
    [IN_PROGRESS, (said) => ['processing', true, said, 'in flight']],
    [SETTLED, (said) => ['completed', false, said, 'payee']],
    [REJECTED, (said) => ['failed', false, said, 'allocation']],
    [BLOCKED, (said) => ['processing', true, said, 'in flight']],
  ],
  blocked: [
    [SETTLED, (said) => ['completed', false, said, 'payee']],
    [REJECTED, (said) => ['failed', false, said, 'allocation']],
    [BLOCKED, (said) => ['processing', true, said, 'in flight']],
  ],
  pending: [
    [IN_PROGRESS, (said) => ['processing', false, said, 'in flight']],
    [SETTLED, (said) => ['completed', false, said, 'payee']],
    [REJECTED, (said) => ['failed', false, said, 'allocation']],
    [HAD_ALREADY, () => ['processing', true, 'UNKNOWN', 'in flight']],
    [BLOCKED, (said) => ['processing', true, said, 'in flight']],
  ],
  completed: [[REJECTED, (said) => ['returned', false, said, 'allocation']]],
  failed: [[SETTLED, () => ['failed', true, 'RJCT', 'allocation']]],
  cancelled: [[SETTLED, () => ['cancelled', true, null, 'allocation']]],
  returned: [],
};

// After these responses `attention` is true, and no money has moved.
const OF_AN_OLDER_ATTEMPT: Record<State, readonly string[]> = {
  processing: [...SETTLED, ...HAD_ALREADY],
  doubtful: WORDS,
  blocked: WORDS,
  pending: [...SETTLED, ...HAD_ALREADY],
  completed: SETTLED,
  failed: SETTLED,
  cancelled: SETTLED,
  returned: SETTLED,
};

function expectedOf(state: State, word: string, about: About): Outcome {
  const [status, attention, bankStatus, money] = BEFORE[state] as Outcome;
  if (about === 'an older attempt') {
    return [status, attention || OF_AN_OLDER_ATTEMPT[state].includes(word), bankStatus, money];
  }
  const change = CHANGES[state].find(([words]) => words.includes(word));
  return change ? change[1](statusIn(word)) : BEFORE[state];
}

const ABOUT = ['the first attempt', 'a later attempt', 'an older attempt'] as const;
type About = (typeof ABOUT)[number];

interface Ref {
  payment_id: string;
  attempt: number;
}

/** @throws for a response that the adapter cannot parse */
function answerOf(ref: Ref, word: string) {
  const [status, reason] = word.split(' ');
  const Data = {
    DomesticVRPId: bankIdOf({ paymentId: ref.payment_id, attempt: ref.attempt }),
    ...(word !== 'missing' && { Status: status }),
    ...(reason && { StatusReason: [{ StatusReasonCode: reason, StatusReasonDescription: 'words of the bank' }] }),
  };
  return readVrp(Buffer.from(JSON.stringify({ Data })));
}

const tell = async (ref: Ref, word: string) => recordNews(services, ref, answerOf(ref, word));

async function aPayment(state: State, attempt: 1 | 2) {
  const owner = `owner-${(owners += 1)}`;
  const { allocationId } = await fund(services, owner, FUNDS);
  const { payment_id } = await payments.executePayment({
    principal: anyKey,
    vault_allocation_id: allocationId,
    amount: AMOUNT,
    currency: 'GBP',
    provider_id: 'prov_sandbox_instant',
  });
  const ref = { payment_id, attempt };
  if (attempt === 2) {
    await submit({ payment_id, attempt: 1 }, 'RJCT MS03');
    await payments.retryPayment({ principal: anyKey, payment_id });
  }
  await bringTo(state, ref);
  return { owner, ref };
}

async function submit(ref: Ref, word: string) {
  bank.answers = [{ kind: 'accepted', ...answerOf(ref, word), returned: undefined }];
  await payments.submitPayment({ ...ref, settle_within_ms: 0 });
}

async function bringTo(state: State, ref: Ref) {
  if (state === 'pending' || state === 'cancelled') {
    bank.answers = [{ kind: 'not-accepted', detail: 'no connection' }];
    await payments.submitPayment({ ...ref, settle_within_ms: 0 });
    if (state === 'cancelled') await payments.cancelPayment({ principal: anyKey, payment_id: ref.payment_id });
    return;
  }
  const FIRST = { completed: 'ACCC', returned: 'ACCC', failed: 'RJCT MS03' } as Partial<Record<State, string>>;
  await submit(ref, FIRST[state] ?? 'ACSP');
  if (state === 'doubtful') await tell(ref, 'RJCT DUPL');
  if (state === 'blocked') await tell(ref, 'BLCK');
  if (state === 'returned') {
    const returned = { at: '2026-11-21T12:00:00.000Z', reason: { code: 'RETN', detail: '' } };
    await recordNews(services, ref, { ...answerOf(ref, 'ACCC'), returned });
  }
}

async function standingOf({ owner, ref }: { owner: string; ref: Ref }): Promise<Outcome> {
  const { payment } = await payments.getPayment({ payment_id: ref.payment_id });
  const balances = await balancesOf(services, owner);
  const places: Record<Place, number | undefined> = {
    'in flight': balances['in_flight'],
    payee: balances['payees'],
    allocation: (balances['vault'] ?? 0) - (FUNDS - AMOUNT),
  };
  const holding = (Object.keys(places) as Place[]).filter((place) => places[place] === AMOUNT);
  expect(holding).toHaveLength(1);
  return [payment.status, payment.attention, payment.bank_status, holding[0]!];
}

test('the table has every status that the bank may give', () => {
  expect(new Set(WORDS.map(statusIn))).toEqual(new Set([...BANK_STATUSES, ...UNREADABLE]));
});

describe.each(ABOUT)('what the bank says about %s', (about) => {
  describe.each(STATES)('of a payment that is %s', (state) => {
    test.each(WORDS.map((word) => [word, expectedOf(state, word, about)] as const))(
      '%s: %j',
      async (word, expected) => {
        const payment = await aPayment(state, about === 'the first attempt' ? 1 : 2);
        expect(await standingOf(payment)).toEqual(BEFORE[state]);
        const ref = about === 'an older attempt' ? { ...payment.ref, attempt: 1 } : payment.ref;
        const said = tell(ref, word);
        if (UNREADABLE.includes(word)) await expect(said).rejects.toThrow('no known status');
        else await said;
        expect(await standingOf(payment)).toEqual(expected);
        // Banks sometimes repeat a response. The adapter rejects responses that it cannot parse.
        await tell(ref, word).catch(() => undefined);
        expect(await standingOf(payment)).toEqual(expected);
      },
    );
  });
});
