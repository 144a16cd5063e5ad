import { NoAnswerError, ProblemError, WaitedTooLongError } from '../../client/src/index.ts';
import { SENTENCES, sentenceOf } from '../../examples/web/src/errors.ts';
import { LEFT_OUT as WHY, leftOutOf, meaningOf, verdictOf } from '../../examples/web/src/words.ts';
import { LEFT_OUT } from '../../domain/payday/bills.ts';

/** Fields that errors add for programs. */
const FIGURES = { shortfall: 1_250, available: 95_000, required: 9_000, payments_left_out: 2 };

function problem(code: string, more: object = {}): ProblemError {
  const about = { type: `/problems/${code}`, title: 'T', status: 422, detail: 'The field x_y is 5.', instance: '/' };
  return new ProblemError({ ...about, code, ...FIGURES, ...more }, { retryAfter: undefined, requestId: 'req-1' });
}

const codes = [...Object.keys(SENTENCES), 'internal-error', 'a-code-of-a-newer-service'];

test.each(codes)('a person reads a sentence without names of fields or codes after %s', (code) => {
  const words = sentenceOf(problem(code));
  expect(words).toMatch(/^[A-Z“].*\.$/);
  expect(words).not.toMatch(/\bfields?\b|[`"]|\b[a-z]+_[a-z]+|pence|undefined|NaN/);
  expect(words.replace('req-1', '')).not.toContain(code);
});

test('amounts in an error are in pounds', () => {
  expect(sentenceOf(problem('obligations-exceed-income'))).toContain('£12.50 more than your wage');
  expect(sentenceOf(problem('budget-below-minimums'))).toContain('£90.00 a month');
});

test('a refused field has the name that the page gives it, and every fault is there', () => {
  const errors = [
    { pointer: '/sort_code', detail: 'must be six digits, such as 40-12-76' },
    { pointer: '/obligations/0/amount', detail: 'must be at least 1' },
  ];
  expect(sentenceOf(problem('invalid-request', { errors }))).toBe(
    'The sort code must be six digits, such as 40-12-76. The amount must be at least 1. Correct it, then try again.',
  );
});

test('an error without words of its own names the code that the operator needs', () => {
  expect(sentenceOf(problem('internal-error'))).toContain('tell the operator this code: req-1.');
});

test('errors without a response say what to do', () => {
  expect(sentenceOf(new NoAnswerError(3, 'https://localhost', new Error('ECONNREFUSED')))).toContain(
    'Check your connection',
  );
  expect(sentenceOf(new WaitedTooLongError('payment pay_1', undefined))).toContain('Look again in a few minutes.');
  expect(sentenceOf(new TypeError('x is undefined'))).toContain('Try again in a minute.');
});

test.each([
  [142, 1, 'A good start', 'in 1 month. Each further month like this raises the score.'],
  [425, 3, 'On the way', 'in 3 months. Each further month'],
  [850, 6, 'Very reliable', 'in 6 months. Each further month'],
  [1_000, 12, 'Very reliable', 'in 12 months. Nobody can do better.'],
])('a score of %i with every bill on time in %i months is explained', (reliability_score, months, verdict, meaning) => {
  const credential = { reliability_score, total_payments: months, missed_payments: 0, months_covered: months };
  expect(verdictOf(credential)).toBe(verdict);
  expect(meaningOf(credential)).toContain(meaning);
});

test('a late payment is in the meaning of a score', () => {
  const credential = { reliability_score: 75, total_payments: 2, missed_payments: 1, months_covered: 1 };
  expect(verdictOf(credential)).toBe('Not there yet');
  expect(meaningOf(credential)).toMatch(/^1 of 2 payments came late or not at all\. Pay each bill on time/);
});

test('payments that do not count are explained', () => {
  expect(leftOutOf(0)).toBe('');
  expect(leftOutOf(2)).toMatch(/^2 payments did not count, because nobody has confirmed the payee\./);
});

test.each(LEFT_OUT)('a bill that a payday left out for %s says why in words', (reason) => {
  expect(WHY[reason]).toMatch(/^[A-Z][^`_]+\.$/);
});
