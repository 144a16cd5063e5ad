import {
  acknowledgePayment,
  listFailedPayments,
  listPaymentsNeedingAttention,
} from '../../activities/payments/attention.ts';
import { onDatabase, withServices, type Commands } from './command.ts';
import { UsageError } from './errors.ts';
import { required, saidOfPayment, wholeNumber } from './given.ts';

export const PAYMENT_COMMANDS: Commands = {
  'payee confirm': {
    usage: 'PROVIDER_ID [--own-account-of OWNER_ID]',
    does: 'vouches for a payee, so that payments to this payee count towards credentials, or says that its account is a person’s own, so that they never do; shows the name and masked account of the payee',
    words: ['PROVIDER_ID'],
    values: ['own-account-of'],
    uses: ['database', 'keys', 'tracing'],
    run: (config, given) =>
      withServices(config, given, async (services) =>
        (await import('../../activities/payments/confirm-payee.ts')).confirmPayee(services, {
          provider_id: given.words[0]!,
          own_account_of: given.option('own-account-of'),
          actor: given.operator,
        }),
      ),
  },
  'payment resolve': {
    usage: 'PAYMENT_ID --as completed|failed --reason TEXT',
    does: 'records the outcome of a payment that the bank blocked, or whose outcome is unknown, as the bank statement shows it',
    says: 'The payment {payment_id} is {status}.',
    words: ['PAYMENT_ID'],
    values: ['as', 'reason'],
    uses: ['database', 'keys', 'tracing'],
    run: (config, given) => {
      const request = saidOfPayment(given, ['completed', 'failed']);
      return withServices(config, given, async (services) =>
        (await import('../../activities/payments/commands.ts')).resolvePayment(services, request),
      );
    },
  },
  'payment list': {
    usage: '--failed [--limit N]',
    does: 'lists the payments that are failed now, newest first; --limit is 1 to 500, and 100 by default',
    values: ['limit'],
    flags: ['failed'],
    run: onDatabase((tools, given) => {
      if (!given.flag('failed')) throw new UsageError('--failed is missing.');
      return listFailedPayments(tools, { limit: wholeNumber(given, 'limit') });
    }),
  },
  'payment retry': {
    usage: 'PAYMENT_ID --reason TEXT',
    does: 'retries a failed payment under the rules and limits that apply to callers',
    says: 'The payment {payment_id} is {status}, attempt {attempt}.',
    words: ['PAYMENT_ID'],
    values: ['reason'],
    uses: ['database', 'keys', 'paymentLimits', 'tracing', 'bank'],
    run: (config, given) => {
      const request = { payment_id: given.words[0]!, reason: required(given, 'reason'), actor: given.operator };
      return withServices(config, given, async (services) =>
        (await import('../../activities/payments/retry.ts')).retryPaymentByOperator(services, request),
      );
    },
  },
  'payment attention': {
    usage: '',
    does: 'lists the payments that need an operator, at most 500, with the reasons',
    run: onDatabase((tools) => listPaymentsNeedingAttention(tools)),
  },
  reconcile: {
    usage: '',
    does: 'looks for the payments of the last 90 days in the accounts that paid, as the daily run does; prints how many it looked for, found and missed, and how many came back unexplained',
    says: 'Of {checked} payments, {matched} are matched and {missing} missing. {unexplained_returns} came back unexplained.',
    uses: ['database', 'keys', 'tracing'],
    run: (config, given) =>
      withServices(config, given, async (services) => (await import('./reconcile.ts')).reconcileByHand(services)),
  },
  'payment acknowledge': {
    usage: 'PAYMENT_ID --reason TEXT',
    does: 'clears the flag of a payment whose record at the bank differs from the record of the service; resolve the difference with the bank first',
    says: 'The payment {payment_id} no longer needs an operator.',
    words: ['PAYMENT_ID'],
    values: ['reason'],
    uses: ['database', 'keys', 'tracing'],
    run: (config, given) => {
      const request = { payment_id: given.words[0]!, reason: required(given, 'reason'), actor: given.operator };
      return withServices(config, given, (services) => acknowledgePayment(services, request));
    },
  },
};
