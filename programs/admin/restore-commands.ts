import { UsageError } from './errors.ts';
import { onDatabase, unhurried, withServices, type Commands } from './command.ts';
import { required, saidOfPayment } from './given.ts';

/** Imports the code here, so that other commands need not load it. */
const restore = () => import('./restore.ts');

export const RESTORE_COMMANDS: Commands = {
  'restore show': {
    usage: '',
    does: 'lists the restores of the database that were noticed or begun, and how they ended, and the debits that no operator has explained',
    run: onDatabase(async (tools) => (await restore()).show(tools)),
  },
  'restore dismiss': {
    usage: '--reason TEXT',
    does: 'ends a false alarm: the API accepts writes again, and workers send again',
    says: 'The restore {restore_id}, noticed at {noticed_at}, is dismissed. Writes are accepted again.',
    values: ['reason'],
    uses: ['database', 'witness'],
    run: onDatabase(async (tools, given) => (await restore()).dismiss(tools, required(given, 'reason'))),
  },
  'restore begin': {
    usage: '--backup-at INSTANT',
    does: 'begins after a backup was restored: nothing is sent and the API takes no writes, everybody is signed out, keys stop working, standing splits pause, and each open payment is in doubt; INSTANT is when the backup was made, such as 2026-11-30T02:00:00Z; run it before you start the service',
    says: 'The restore {restore_id} has begun. Payments in doubt: {payments_in_doubt}. Keys disabled: {keys_disabled}. Sign-ins ended: {sign_ins_ended}. Standing splits paused: {splits_paused}. Go on with "restore compare".',
    values: ['backup-at'],
    run: onDatabase(async (tools, given) => (await restore()).begin(tools, required(given, 'backup-at'))),
  },
  'restore compare': {
    usage: '[--statement FILE --account IDENTIFIER]',
    does: 'looks for the payments in doubt, at the banks, in connected accounts and in statements of the house account (CSV or camt.053, at most 50 MB), and completes those that it finds; prints those still in doubt, and the debits since the backup that no payment explains; IDENTIFIER is the number or IBAN of the account; you can repeat both options',
    lists: ['statement', 'account'],
    uses: ['database', 'keys', 'tracing', 'bank'],
    run: (config, given) => {
      const [files, accounts] = [given.options('statement'), given.options('account')];
      if (files.length !== accounts.length) throw new UsageError('Each --statement needs one --account.');
      const statements = files.map((file, index) => ({ file, account: accounts[index]! }));
      return withServices(config, given, async (services) => (await restore()).compare(services, statements));
    },
  },
  'restore settle': {
    usage: 'PAYMENT_ID --as sent|not-sent --reason TEXT',
    does: 'says of a payment in doubt whether the bank has it: sent completes the payment, and not-sent lets the service send it, but not before "restore finish"',
    says: 'The payment {payment_id} is {status}, and no longer in doubt.',
    words: ['PAYMENT_ID'],
    values: ['as', 'reason'],
    uses: ['database', 'keys', 'tracing'],
    run: (config, given) => {
      const answer = saidOfPayment(given, ['sent', 'not-sent']);
      return withServices(config, given, async (services) =>
        (await import('../../activities/restore/settle.ts')).settleDoubt(services, answer),
      );
    },
  },
  'restore explain': {
    usage: 'DEBIT_ID --reason TEXT',
    does: 'says of a debit that "restore compare" found, and no payment explains, that no further order can be its payment; until then, each new order of its amount is in doubt, and "restore settle" ends the doubt',
    says: 'The debit {debit_id} is explained.',
    words: ['DEBIT_ID'],
    values: ['reason'],
    run: onDatabase(async (tools, given) => {
      const said = { debit_id: given.words[0]!, reason: required(given, 'reason'), actor: given.operator };
      return (await restore()).explain(tools, said);
    }),
  },
  'restore confirm': {
    usage: '--key KEY_ID | --all-of APP_ID',
    does: 'lets a key, or all keys of an application, work again after a restore; first ask the application which keys it still uses',
    says: 'These keys work again: {key_ids}.',
    values: ['key', 'all-of'],
    run: onDatabase(async (tools, given) => {
      const [keyId, appId] = [given.option('key'), given.option('all-of')];
      if ((keyId === undefined) === (appId === undefined)) throw new UsageError('Give either --key or --all-of.');
      const of = { ...(keyId !== undefined && { keyId }), ...(appId !== undefined && { appId }) };
      return (await import('../../activities/restore/finish.ts')).confirmKeys(tools, of);
    }),
  },
  'restore finish': {
    usage: '',
    does: 'takes away again what was taken away since the backup, as the list in CHECKPOINTS says, and opens the service; without a whole list, all passwords must be set anew, and nobody is paid before the payee is confirmed; refuses while a payment is in doubt, and before "restore compare"',
    uses: ['database', 'keys', 'tracing', 'witness'],
    run: unhurried((config, given) =>
      withServices(config, given, async (services) => (await restore()).finish(services)),
    ),
  },
};
