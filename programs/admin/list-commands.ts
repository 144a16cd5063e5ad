import { listOwners } from '../../activities/owners.ts';
import { showPayment } from '../../activities/payments/attention.ts';
import { paymentWorkflowId } from '../../workflows/ids.ts';
import { onDatabase, type Commands } from './command.ts';
import { UsageError } from './errors.ts';
import { dayOf, limitOf } from './given.ts';

const LIMIT = '--limit is 1 to 1000, and 100 by default';

export const LIST_COMMANDS: Commands = {
  'payment show': {
    usage: 'PAYMENT_ID',
    does: 'shows a payment with its attempts and its timeline, without the reference that the payer wrote',
    words: ['PAYMENT_ID'],
    run: onDatabase(async (tools, given) => {
      const { attempts, ...payment } = await showPayment(tools, { payment_id: given.words[0]! });
      const workflow_id = (attempt: number) => paymentWorkflowId(payment.payment_id, attempt);
      return { ...payment, attempts: attempts.map((one) => ({ ...one, workflow_id: workflow_id(one.attempt) })) };
    }),
  },
  'payee list': {
    usage: '[--unconfirmed] [--limit N]',
    does: `lists the payees, newest first, without names and bank details; --unconfirmed lists only those for whom nobody vouches; ${LIMIT}`,
    values: ['limit'],
    flags: ['unconfirmed'],
    run: onDatabase(async (tools, given) =>
      (await import('../../activities/payments/confirm-payee.ts')).listAllPayees(tools, {
        unconfirmed: given.flag('unconfirmed'),
        limit: limitOf(given),
      }),
    ),
  },
  'owner list': {
    usage: '[--app APP_ID] [--unassigned] [--limit N]',
    does: `lists the owners and their money, newest first; --app lists those of an application, and --unassigned those who belong to no application and are no people; ${LIMIT}`,
    values: ['app', 'limit'],
    flags: ['unassigned'],
    run: onDatabase((tools, given) => {
      const [app_id, unassigned] = [given.option('app'), given.flag('unassigned')];
      if (unassigned && app_id !== undefined) throw new UsageError('--app and --unassigned cannot be combined.');
      return listOwners(tools, { app_id, unassigned, limit: limitOf(given) });
    }),
  },
  'audit list': {
    usage: '[--subject ID] [--kind KIND] [--actor ACTOR] [--from YYYY-MM-DD] [--to YYYY-MM-DD] [--limit N]',
    does: `lists the events of the audit log, newest first, on the days from --from to --to in London; ${LIMIT}`,
    values: ['subject', 'kind', 'actor', 'from', 'to', 'limit'],
    run: onDatabase(async (tools, given) =>
      (await import('../../activities/admin.ts')).listEvents(tools, {
        subject: given.option('subject'),
        kind: given.option('kind'),
        actor: given.option('actor'),
        from: dayOf(given, 'from'),
        to: dayOf(given, 'to'),
        limit: limitOf(given),
      }),
    ),
  },
};
