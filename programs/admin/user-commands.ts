import { inviteUser } from '../../activities/auth/invitations.ts';
import { onDatabase, onKeys, withServices, type Commands } from './command.ts';
import { limitOf, wholeNumber } from './given.ts';

/** Imports the code here, so that other commands need not load the code for payments. */
const accounts = () => import('../../activities/auth/accounts.ts');

export const USER_COMMANDS: Commands = {
  'user invite': {
    usage: '[--days N]',
    does: 'prints a link with which one person can create an account while registration is closed; the link works for N days (1 to 30, and 7 by default)',
    says: 'This link works once, until {expires_at}:\n{url}',
    values: ['days'],
    uses: ['database', 'keys', 'site'],
    run: onKeys((tools, given) => inviteUser(tools, { days: wholeNumber(given, 'days') })),
  },
  'user list': {
    usage: '[--disabled] [--limit N]',
    does: 'lists the accounts, newest first, without email addresses; --disabled lists only disabled accounts; --limit is 1 to 1000, and 100 by default',
    values: ['limit'],
    flags: ['disabled'],
    run: onDatabase(async (tools, given) =>
      (await accounts()).listUsers(tools, { disabled: given.flag('disabled'), limit: limitOf(given) }),
    ),
  },
  'user show': {
    usage: 'USER_ID|EMAIL',
    does: 'shows an account, with the numbers of its sessions, sign-ins and scheduled payments, and its OAuth clients and sign-in providers, but not the email address',
    words: ['USER'],
    uses: ['database', 'keys'],
    run: onKeys(async (tools, given) => (await accounts()).showUser(tools, { user: given.words[0]! })),
  },
  'user disable': {
    usage: 'USER_ID [--reason TEXT]',
    does: 'disables an account: nobody can sign in to it, its sessions, tokens and grants end, and payments that the bank does not have yet fail; they can be retried once the account is enabled',
    says: 'The account {user_id} is disabled since {disabled_at}. Sign-ins ended: {sign_ins_ended}. Payments failed: {payments_failed}.',
    words: ['USER_ID'],
    values: ['reason'],
    uses: ['database', 'tracing'],
    run: (config, given) =>
      withServices(config, given, async (services) =>
        (await accounts()).disableUser(services, {
          user_id: given.words[0]!,
          reason: given.option('reason')?.trim() || undefined,
        }),
      ),
  },
  'user enable': {
    usage: 'USER_ID',
    does: 'enables a disabled account; the person must sign in and grant access again',
    says: 'The account {user_id} is enabled.',
    words: ['USER_ID'],
    run: onDatabase(async (tools, given) => (await accounts()).enableUser(tools, { user_id: given.words[0]! })),
  },
};
