import { actorOf } from '../../activities/auth/applications.ts';
import { openClock } from '../../infra/clock.ts';
import { ACCESS_COMMANDS } from './access-commands.ts';
import { BANK_COMMANDS } from './bank-commands.ts';
import { onDatabase, onKeys, type Commands } from './command.ts';
import { UsageError } from './errors.ts';
import { wholeNumber } from './given.ts';
import { LIST_COMMANDS } from './list-commands.ts';
import { PAYMENT_COMMANDS } from './payment-commands.ts';
import { RESTORE_COMMANDS } from './restore-commands.ts';
import { USER_COMMANDS } from './user-commands.ts';
import { verifyAudit, verifyDatabase, verifyLedger } from './verify.ts';

export const COMMANDS: Commands = {
  ...ACCESS_COMMANDS,
  ...USER_COMMANDS,
  'master-key rotate': {
    usage: '',
    does: 'starts a workflow that creates a new version of the master key and re-encrypts the keys of the records under it; joins a rotation that is already running',
    says: 'The workflow {workflow_id} re-encrypts the keys. Watch it at:\n{ui_url}',
    uses: ['temporal', 'temporalUi'],
    run: async (config) => (await import('./master-keys.ts')).rotateMasterKeys(config),
  },
  'master-key list': {
    usage: '',
    does: 'lists the versions of the master key, and how many records are encrypted under each version',
    uses: ['database', 'keys'],
    run: onDatabase(async (tools) => (await import('./master-keys.ts')).showMasterKeys(tools)),
  },
  'master-key retire': {
    usage: 'VERSION',
    does: 'retires a version of the master key and all older versions, unless data is still encrypted under one of them',
    says: 'Version {version} of the master key is {status}.',
    words: ['VERSION'],
    uses: ['database', 'keys'],
    run: onDatabase(async (tools, given) =>
      (await import('./master-keys.ts')).retireMasterKeys(tools, given.words[0]!),
    ),
  },
  'credential-key rotate': {
    usage: '',
    does: 'creates a new key that signs credentials; credentials that an old key signed stay valid',
    says: 'The key {kid} signs credentials from now on.',
    uses: ['database', 'keys'],
    run: onKeys(async (tools) =>
      (await import('../../activities/credential/keys.ts')).rotateCredentialKey(tools, { actor: actorOf(tools) }),
    ),
  },
  'credential-key list': {
    usage: '',
    does: 'lists the current and old keys that sign credentials, and how many unexpired credentials each key has signed',
    run: onDatabase(async ({ db, config }) =>
      (await import('../../activities/credential/keys.ts')).listCredentialKeys({ db, clock: openClock(config) }),
    ),
  },
  accrue: {
    usage: '[--as-of YYYY-MM-DD]',
    does: 'starts a workflow that posts the missing interest for the days before the 1st of this month, or before --as-of; joins a run that has already started for the same day',
    says: 'The workflow {workflow_id} posts the interest for the days before {as_of}. Watch it at:\n{ui_url}',
    values: ['as-of'],
    uses: ['database', 'temporal', 'temporalUi'],
    run: onDatabase(async (tools, given) => (await import('./accrue.ts')).accrueByHand(tools, given.option('as-of'))),
  },
  'release list': {
    usage: '[--deployment NAME]',
    does: 'lists the releases of the workers that Temporal knows, and which release gets new work',
    values: ['deployment'],
    uses: ['temporal', 'worker'],
    run: async (config, given) => (await import('./releases.ts')).listReleases(config, given.option('deployment')),
  },
  'release promote': {
    usage: 'BUILD_ID [--percent N] [--deployment NAME]',
    does: 'sends all workflows, or N % of them (1 to 99), to a release of the workers',
    says: 'The release {build_id} gets {percent} % of the workflows.',
    words: ['BUILD_ID'],
    values: ['percent', 'deployment'],
    uses: ['temporal', 'worker'],
    run: async (config, given) => {
      const percent = wholeNumber(given, 'percent');
      if (percent !== undefined && (percent < 1 || percent > 99))
        throw new UsageError('--percent must be a whole number from 1 to 99.');
      const release = { deployment: given.option('deployment'), buildId: given.words[0]!, percent };
      return (await import('./releases.ts')).promoteRelease(config, release);
    },
  },
  'master-key create': {
    usage: '',
    does: 'creates the file MASTER_KEY_FILE with a first master key, unless the file exists',
    says: 'The file {master_key_file} holds the master key.',
    uses: ['keys'],
    run: async (config) => (await import('./master-keys.ts')).createMasterKeys(config),
  },
  'ledger verify': {
    usage: '',
    does: 'checks that the ledger adds up, and that each transfer has its cause on record',
    says: 'The ledger adds up: {transfers} transfers with {entries} entries.',
    run: onDatabase(({ db }) => verifyLedger(db)),
  },
  verify: {
    usage: '[--all]',
    does: 'looks for what somebody changed in the database: all that is new, and one 28th of what is old, or with --all everything; the next checkpoint says what was checked',
    flags: ['all'],
    uses: ['database', 'keys', 'witness'],
    run: onKeys((tools, given) => verifyDatabase(tools, given.flag('all'))),
  },
  'checkpoint-key create': {
    usage: '',
    does: 'creates the file CHECKPOINT_KEY with a key that signs checkpoints, unless the file exists',
    says: 'The file {checkpoint_key} holds the key.',
    uses: ['witness'],
    run: async ({ witness: { keyFile }, environment }) => {
      const { createCheckpointKey } = await import('../../infra/witness/checkpoint-key.ts');
      await createCheckpointKey(keyFile, { development: environment === 'sandbox' });
      return { checkpoint_key: keyFile };
    },
  },
  'audit verify': {
    usage: '',
    does: 'verifies the hash chains of the audit log',
    says: 'The audit log is whole: {events} events of {subjects} subjects.',
    run: onDatabase(({ db }) => verifyAudit(db)),
  },
  ...PAYMENT_COMMANDS,
  ...BANK_COMMANDS,
  ...RESTORE_COMMANDS,
  ...LIST_COMMANDS,
  ...RESTORE_COMMANDS,
};
