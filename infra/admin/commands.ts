import { issueApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../../activities/auth/api-keys.ts';
import { createApplication, createClient, listApplications, OPERATOR } from '../../activities/auth/applications.ts';
import { assignOwner, showOwner } from '../../activities/owners.ts';
import { acknowledgePayment, listPaymentsNeedingAttention } from '../../activities/payments/attention.ts';
import { parseScopes } from '../../domain/auth.ts';
import type { Config } from '../config.ts';
import { newId } from '../ids.ts';
import type { SettingGroup } from '../config/process-settings.ts';
import { requireKind } from '../process/require-database.ts';
import type { Services } from '../services.ts';
import { connect } from './database.ts';
import { UsageError } from './errors.ts';
import { incomeLimits, perMinute, required, requiredList, wholeNumber, type Given } from './given.ts';
import { verifyAudit, verifyLedger, type Finding } from './verify.ts';

export interface Command {
  /** As it is typed, less the name: what `--help` shows. */
  usage: string;
  does: string;
  /** Names of the words that follow the command. */
  words?: readonly string[];
  /** Options with a value, and those that may be repeated. */
  values?: readonly string[];
  lists?: readonly string[];
  flags?: readonly string[];
  /** The groups of settings that it uses; only those of the database where it does not say. */
  uses?: readonly SettingGroup[];
  run(config: Config, given: Given): Promise<Finding>;
}

type Tools = Pick<Services, 'db' | 'newId' | 'config'>;

/** Every command, by the words that it is called with. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  'app create': {
    usage: '--name NAME [--owner-prefix PREFIX]',
    does: 'registers an application, which owns keys, clients and owners',
    values: ['name', 'owner-prefix'],
    run: simple((tools, given) =>
      createApplication(tools, { name: required(given, 'name'), owner_prefix: given.option('owner-prefix') }),
    ),
  },
  'app list': { usage: '', does: 'lists the applications', run: simple((tools) => listApplications(tools)) },
  'key create': {
    usage: '--app APP_ID --scopes "SCOPE SCOPE" [--income-per-owner PENCE --income-per-month PENCE] [--per-minute N]',
    does: 'issues an API key and shows it once; the income limits are pence that it may assert in a month, and production requires them',
    values: ['app', 'scopes', 'income-per-owner', 'income-per-month', 'per-minute'],
    run: simple((tools, given) =>
      issueApiKey(tools, {
        app_id: required(given, 'app'),
        scopes: parseScopes(required(given, 'scopes')),
        income_limits: incomeLimits(given),
        per_minute: perMinute(given),
      }),
    ),
  },
  'key list': {
    usage: '[--app APP_ID]',
    does: 'lists API keys, without their secrets',
    values: ['app'],
    run: simple((tools, given) => listApiKeys(tools, { app_id: given.option('app') })),
  },
  'key rotate': {
    usage: 'KEY_ID [--overlap-days N]',
    does: 'replaces a key; the old one ends at once, or after 1 to 7 days',
    words: ['KEY_ID'],
    values: ['overlap-days'],
    run: simple((tools, given) =>
      rotateApiKey(tools, { key_id: given.words[0]!, overlap_days: wholeNumber(given, 'overlap-days') ?? 0 }),
    ),
  },
  'key revoke': {
    usage: 'KEY_ID',
    does: 'ends a key at once',
    words: ['KEY_ID'],
    run: simple((tools, given) => revokeApiKey(tools, { key_id: given.words[0]! })),
  },
  'vault-certificate create': {
    usage: '--app APP_ID [--days N]',
    does: 'issues a client certificate for the PII vault, which only keys of the application may use; shows its private key once',
    values: ['app', 'days'],
    uses: ['database', 'vaultAuthority'],
    run: (config, given) =>
      withDatabase(config, async (tools) =>
        (await import('./vault-certificates.ts')).createVaultCertificate(tools, {
          app_id: required(given, 'app'),
          days: wholeNumber(given, 'days'),
        }),
      ),
  },
  'client create': {
    usage: '--app APP_ID --name NAME --redirect-uri URI --scopes "SCOPE SCOPE" [--origin ORIGIN] [--public]',
    does: 'registers an OAuth client and shows its secret once; --redirect-uri and --origin may be repeated',
    values: ['app', 'name', 'scopes'],
    lists: ['redirect-uri', 'origin'],
    flags: ['public'],
    run: simple((tools, given) =>
      createClient(tools, {
        app_id: required(given, 'app'),
        name: required(given, 'name'),
        redirect_uris: requiredList(given, 'redirect-uri'),
        scopes: parseScopes(required(given, 'scopes')),
        origins: given.options('origin'),
        public: given.flag('public'),
      }),
    ),
  },
  'owner show': {
    usage: 'OWNER_ID',
    does: 'shows the application that an owner belongs to',
    words: ['OWNER_ID'],
    run: simple((tools, given) => showOwner(tools, { owner_id: given.words[0]! })),
  },
  'owner assign': {
    usage: 'OWNER_ID --app APP_ID',
    does: 'assigns an owner to an application; from then on only its keys act for the owner',
    words: ['OWNER_ID'],
    values: ['app'],
    run: simple((tools, given) => assignOwner(tools, { owner_id: given.words[0]!, app_id: required(given, 'app') })),
  },
  'provider create': {
    usage: '--name NAME --issuer URL --client-id ID --client-secret-file PATH [--domain DOMAIN]',
    does: 'registers an OpenID Connect provider for sign-in, and shows the redirect URI to register there; reads the secret from the file, or with - from standard input; --domain limits the provider to a mail domain and may be repeated',
    values: ['name', 'issuer', 'client-id', 'client-secret-file'],
    lists: ['domain'],
    uses: ['database', 'site', 'keys'],
    run: (config, given) => {
      const [name, issuer] = [required(given, 'name'), required(given, 'issuer')];
      const [client_id, secretFile] = [required(given, 'client-id'), required(given, 'client-secret-file')];
      return withDatabase(config, async (tools) =>
        (await import('./providers.ts')).addProvider(
          tools,
          { name, issuer, client_id, domains: given.options('domain') },
          secretFile,
        ),
      );
    },
  },
  'provider list': {
    usage: '',
    does: 'lists the sign-in providers, without their secrets',
    uses: ['database', 'site'],
    run: (config) => withDatabase(config, async (tools) => (await import('./providers.ts')).showProviders(tools)),
  },
  'provider remove': {
    usage: 'PROVIDER_ID',
    does: 'removes a sign-in provider, and ends the sessions and tokens that came through it; accounts stay',
    words: ['PROVIDER_ID'],
    run: (config, given) =>
      withDatabase(config, async (tools) => (await import('./providers.ts')).dropProvider(tools, given.words[0]!)),
  },
  'master-key rotate': {
    usage: '',
    does: 'makes a new version of the master key and wraps all records again, in a workflow; joins a running one',
    uses: ['temporal', 'temporalUi'],
    run: async (config) => (await import('./master-keys.ts')).rotateMasterKeys(config),
  },
  'master-key list': {
    usage: '',
    does: 'lists the versions of the master key, and how many records each one seals',
    uses: ['database', 'keys'],
    run: (config) => withDatabase(config, async (tools) => (await import('./master-keys.ts')).showMasterKeys(tools)),
  },
  'master-key retire': {
    usage: 'VERSION',
    does: 'ends a version of the master key and all older ones, if no record needs them',
    words: ['VERSION'],
    uses: ['database', 'keys'],
    run: (config, given) =>
      withDatabase(config, async (tools) =>
        (await import('./master-keys.ts')).retireMasterKeys(tools, given.words[0]!),
      ),
  },
  'credential-key rotate': {
    usage: '',
    does: 'makes a new key that signs credentials; credentials of the old key stay valid',
    uses: ['database', 'keys'],
    run: (config) =>
      withDatabase(config, async (tools) => (await import('./credential-keys.ts')).rotateCredentialKeys(tools)),
  },
  'credential-key list': {
    usage: '',
    does: 'lists the current and old keys that sign credentials, and how many valid credentials each has',
    run: (config) =>
      withDatabase(config, async (tools) => (await import('./credential-keys.ts')).showCredentialKeys(tools)),
  },
  accrue: {
    usage: '[--as-of YYYY-MM-DD]',
    does: 'posts interest to all vaults, up to the 1st of this month or to a given day, in a workflow; joins a running one',
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
    does: 'gives all workflows, or N % of them, to a release of the workers',
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
    does: 'makes the first master key in the file MASTER_KEY_FILE, if there is none',
    uses: ['keys'],
    run: async (config) => (await import('./master-keys.ts')).createMasterKeys(config),
  },
  'upgrade finish': {
    usage: '',
    does: 'finishes an upgrade when the last old process has stopped; says what each step did',
    uses: ['database', 'migration'],
    run: async (config) => ({ reply: { ...(await (await import('./upgrade.ts')).finishUpgradeOf(config)) } }),
  },
  'ledger verify': {
    usage: '',
    does: 'adds up the whole ledger, and looks for the cause of each transfer',
    run: (config) => withDatabase(config, ({ db }) => verifyLedger(db)),
  },
  'audit verify': {
    usage: '',
    does: 'recomputes the chains of the audit log',
    run: (config) => withDatabase(config, ({ db }) => verifyAudit(db)),
  },
  'payee confirm': {
    usage: 'PROVIDER_ID',
    does: 'vouches for a payee, so that payments to it count in credentials; shows its name and masked account',
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
    does: 'settles a blocked payment, or one with an unknown outcome, as the bank statement shows it',
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
  'payment attention': {
    usage: '',
    does: 'lists the payments that need an operator, and why',
    run: simple((tools) => listPaymentsNeedingAttention(tools)),
  },
  'payment acknowledge': {
    usage: 'PAYMENT_ID --reason TEXT',
    does: 'clears the flag of a payment on which the bank contradicted our record, after you settled it with the bank',
    words: ['PAYMENT_ID'],
    values: ['reason'],
    uses: ['database', 'keys', 'tracing'],
    run: (config, given) => {
      const request = { payment_id: given.words[0]!, reason: required(given, 'reason'), actor: OPERATOR };
      return withServices(config, (services) => acknowledgePayment(services, request));
    },
  },
};

function simple(act: (tools: Tools, given: Given) => Promise<object>): Command['run'] {
  return (config, given) => withDatabase(config, async (tools) => ({ reply: { ...(await act(tools, given)) } }));
}

async function withDatabase<T>(config: Config, work: (tools: Tools) => Promise<T>): Promise<T> {
  const db = await connect(config.database);
  try {
    await requireKind({ db, config });
    return await work({ db, config, newId });
  } finally {
    await db.close();
  }
}

/** For commands that need all of the service's parts; they are loaded for those alone. */
async function withServices(config: Config, work: (services: Services) => Promise<object>): Promise<Finding> {
  const { openServices } = await import('../services.ts');
  const services = await openServices({ ...config, logLevel: 'warn' }, 'admin');
  try {
    await requireKind(services);
    return { reply: { ...(await work(services)) } };
  } finally {
    await services.close();
  }
}
