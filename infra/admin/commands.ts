import { ACCESS_COMMANDS } from './access-commands.ts';
import { withDatabase, type Commands } from './command.ts';
import { UsageError } from './errors.ts';
import { wholeNumber } from './given.ts';
import { PAYMENT_COMMANDS } from './payment-commands.ts';
import { verifyAudit, verifyLedger } from './verify.ts';

/** Every command, by the words that it is called with. */
export const COMMANDS: Commands = {
  ...ACCESS_COMMANDS,
  'master-key rotate': {
    usage: '',
    does: 'makes a new version of the master key and wraps all records anew, in a workflow; joins one that runs',
    uses: ['temporal', 'temporalUi'],
    run: async (config) => (await import('./master-keys.ts')).rotateMasterKeys(config),
  },
  'master-key list': {
    usage: '',
    does: 'lists the versions of the master key, and what is sealed under each',
    uses: ['database', 'keys'],
    run: (config) => withDatabase(config, async (tools) => (await import('./master-keys.ts')).showMasterKeys(tools)),
  },
  'master-key retire': {
    usage: 'VERSION',
    does: 'ends a version of the master key, and all before it, once nothing needs them',
    words: ['VERSION'],
    uses: ['database', 'keys'],
    run: (config, given) =>
      withDatabase(config, async (tools) =>
        (await import('./master-keys.ts')).retireMasterKeys(tools, given.words[0]!),
      ),
  },
  'credential-key rotate': {
    usage: '',
    does: 'makes a new key that signs credentials; what the old one signed is verified as before',
    uses: ['database', 'keys'],
    run: (config) =>
      withDatabase(config, async (tools) => (await import('./credential-keys.ts')).rotateCredentialKeys(tools)),
  },
  'credential-key list': {
    usage: '',
    does: 'lists the keys that sign credentials or did, and how many credentials of each have not expired',
    run: (config) =>
      withDatabase(config, async (tools) => (await import('./credential-keys.ts')).showCredentialKeys(tools)),
  },
  accrue: {
    usage: '[--as-of YYYY-MM-DD]',
    does: 'posts interest to all vaults, up to the 1st of this month or to a day, in a workflow; joins one that runs',
    values: ['as-of'],
    uses: ['database', 'temporal', 'temporalUi'],
    run: (config, given) =>
      withDatabase(config, async (tools) => (await import('./accrue.ts')).accrueByHand(tools, given.option('as-of'))),
  },
  'release list': {
    usage: '[--deployment NAME]',
    does: 'lists the releases of the workers that Temporal knows, and which one gets the work',
    values: ['deployment'],
    uses: ['temporal', 'worker'],
    run: async (config, given) => (await import('./releases.ts')).listReleases(config, given.option('deployment')),
  },
  'release promote': {
    usage: 'BUILD_ID [--percent N] [--deployment NAME]',
    does: 'gives all workflows to a release of the workers, or N % of them',
    words: ['BUILD_ID'],
    values: ['percent', 'deployment'],
    uses: ['temporal', 'worker'],
    run: async (config, given) => {
      const percent = wholeNumber(given, 'percent');
      if (percent !== undefined && (percent < 1 || percent > 99)) throw new UsageError('--percent takes 1 to 99.');
      const release = { deployment: given.option('deployment'), buildId: given.words[0]!, percent };
      return (await import('./releases.ts')).promoteRelease(config, release);
    },
  },
  'master-key create': {
    usage: '',
    does: 'makes the first master key, as a file at MASTER_KEY_FILE, where there is none',
    uses: ['keys'],
    run: async (config) => (await import('./master-keys.ts')).createMasterKeys(config),
  },
  'upgrade finish': {
    usage: '',
    does: 'finishes an upgrade once the last process of the version before has ended; says what each step did',
    uses: ['database', 'migration'],
    run: async (config) => ({ reply: { ...(await (await import('./upgrade.ts')).finishUpgradeOf(config)) } }),
  },
  'ledger verify': {
    usage: '',
    does: 'adds up the whole ledger',
    run: (config) => withDatabase(config, ({ db }) => verifyLedger(db)),
  },
  'audit verify': {
    usage: '',
    does: 'recomputes the chains of the audit log',
    run: (config) => withDatabase(config, ({ db }) => verifyAudit(db)),
  },
  ...PAYMENT_COMMANDS,
};
