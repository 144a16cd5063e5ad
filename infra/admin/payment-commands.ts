import { OPERATOR } from '../../activities/auth/applications.ts';
import { acknowledgePayment, listPaymentsNeedingAttention } from '../../activities/payments/attention.ts';
import { listFailedPayments } from '../../activities/payments/failed.ts';
import { simple, withServices, type Commands } from './command.ts';
import { UsageError } from './errors.ts';
import { required, wholeNumber } from './given.ts';

/** What operators do about payments and payees. */
export const PAYMENT_COMMANDS: Commands = {
  'payee confirm': {
    usage: 'PROVIDER_ID',
    does: 'vouches for a payee, so that payments to it count in credentials; shows whom it is',
    words: ['PROVIDER_ID'],
    uses: ['database', 'keys', 'tracing'],
    run: (config, given) =>
      withServices(config, async (services) =>
        (await import('../../activities/payments/vouching.ts')).confirmPayee(services, {
          provider_id: given.words[0]!,
          actor: OPERATOR,
        }),
      ),
  },
  'payment resolve': {
    usage: 'PAYMENT_ID --as completed|failed --reason TEXT',
    does: 'settles a payment that the bank blocked, or whose outcome it does not tell, by what its statement shows',
    words: ['PAYMENT_ID'],
    values: ['as', 'reason'],
    uses: ['database', 'keys', 'tracing'],
    run: (config, given) => {
      const as = required(given, 'as');
      if (as !== 'completed' && as !== 'failed') throw new UsageError('--as takes completed or failed.');
      const request = { payment_id: given.words[0]!, as, reason: required(given, 'reason'), actor: OPERATOR } as const;
      return withServices(config, async (services) =>
        (await import('../../activities/payments/index.ts')).paymentActivities(services).resolvePayment(request),
      );
    },
  },
  'payment list': {
    usage: '--failed [--limit N]',
    does: 'lists payments that failed and were not tried again since, newest first: 100, or 1 to 500 of them',
    values: ['limit'],
    flags: ['failed'],
    run: simple((tools, given) => {
      if (!given.flag('failed')) throw new UsageError('--failed is missing.');
      return listFailedPayments(tools, { limit: wholeNumber(given, 'limit') });
    }),
  },
  'payment retry': {
    usage: 'PAYMENT_ID --reason TEXT',
    does: 'tries a failed payment again in the name of whoever asked for it, under the rules and limits that hold for them',
    words: ['PAYMENT_ID'],
    values: ['reason'],
    uses: ['database', 'keys', 'paymentLimits', 'tracing'],
    run: (config, given) => {
      const request = { payment_id: given.words[0]!, reason: required(given, 'reason'), actor: OPERATOR };
      return withServices(config, async (services) =>
        (await import('../../activities/payments/retry.ts')).retryPaymentByOperator(services, request),
      );
    },
  },
  'payment attention': {
    usage: '',
    does: 'lists the payments that need an operator, and why',
    run: simple((tools) => listPaymentsNeedingAttention(tools)),
  },
  'payment acknowledge': {
    usage: 'PAYMENT_ID --reason TEXT',
    does: 'takes the mark off a payment on which the bank contradicted the record, once that is cleared up with the bank',
    words: ['PAYMENT_ID'],
    values: ['reason'],
    uses: ['database', 'keys', 'tracing'],
    run: (config, given) => {
      const request = { payment_id: given.words[0]!, reason: required(given, 'reason'), actor: OPERATOR };
      return withServices(config, (services) => acknowledgePayment(services, request));
    },
  },
};
