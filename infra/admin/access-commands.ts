import { issueApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../../activities/auth/api-keys.ts';
import { createApplication, listApplications } from '../../activities/auth/applications.ts';
import { createClient, listClients, removeClient } from '../../activities/auth/clients.ts';
import { inviteUser } from '../../activities/auth/invitations.ts';
import { assignOwner, showOwner } from '../../activities/owners.ts';
import { parseScopes } from '../../domain/auth.ts';
import { onDatabase, type Commands } from './command.ts';
import { incomeLimits, perMinute, required, requiredList, wholeNumber } from './given.ts';

export const ACCESS_COMMANDS: Commands = {
  'app create': {
    usage: '--name NAME [--owner-prefix PREFIX]',
    does: 'registers an application; API keys, OAuth clients and owners belong to applications',
    values: ['name', 'owner-prefix'],
    run: onDatabase((tools, given) =>
      createApplication(tools, { name: required(given, 'name'), owner_prefix: given.option('owner-prefix') }),
    ),
  },
  'app list': { usage: '', does: 'lists the applications', run: onDatabase((tools) => listApplications(tools)) },
  'key create': {
    usage:
      '--app APP_ID --scopes "SCOPE SCOPE" [--name NAME] [--income-per-owner PENCE --income-per-month PENCE] [--per-minute N]',
    does: 'issues an API key and shows it once; the income limits say how much income, in pence, the key can assert in a month, for each owner and in total; production requires them for the scope assert:income',
    values: ['app', 'scopes', 'name', 'income-per-owner', 'income-per-month', 'per-minute'],
    run: onDatabase((tools, given) =>
      issueApiKey(tools, {
        app_id: required(given, 'app'),
        scopes: parseScopes(required(given, 'scopes')),
        name: given.option('name'),
        income_limits: incomeLimits(given),
        per_minute: perMinute(given),
      }),
    ),
  },
  'key list': {
    usage: '[--app APP_ID]',
    does: 'lists API keys and their last use, to the hour, without their secrets',
    values: ['app'],
    run: onDatabase((tools, given) => listApiKeys(tools, { app_id: given.option('app') })),
  },
  'key rotate': {
    usage: 'KEY_ID [--overlap-days N]',
    does: 'replaces a key; the old key stops working at once, or after 1 to 7 days',
    words: ['KEY_ID'],
    values: ['overlap-days'],
    run: onDatabase((tools, given) =>
      rotateApiKey(tools, { key_id: given.words[0]!, overlap_days: wholeNumber(given, 'overlap-days') ?? 0 }),
    ),
  },
  'key revoke': {
    usage: 'KEY_ID',
    does: 'revokes a key at once',
    words: ['KEY_ID'],
    run: onDatabase((tools, given) => revokeApiKey(tools, { key_id: given.words[0]! })),
  },
  'vault-certificate create': {
    usage: '--app APP_ID [--days N]',
    does: 'issues a client certificate for the PII vault, which works only with keys of this application; shows the private key of the certificate once',
    values: ['app', 'days'],
    uses: ['database', 'vaultAuthority'],
    run: onDatabase(async (tools, given) =>
      (await import('./vault-certificates.ts')).createVaultCertificate(tools, {
        app_id: required(given, 'app'),
        days: wholeNumber(given, 'days'),
      }),
    ),
  },
  'client create': {
    usage: '--app APP_ID --name NAME --redirect-uri URI --scopes "SCOPE SCOPE" [--origin ORIGIN] [--public]',
    does: 'registers an OAuth client and shows its secret once; you can repeat --redirect-uri and --origin',
    values: ['app', 'name', 'scopes'],
    lists: ['redirect-uri', 'origin'],
    flags: ['public'],
    run: onDatabase((tools, given) =>
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
  'client list': {
    usage: '[--app APP_ID]',
    does: 'lists OAuth clients, including removed ones, without their secrets',
    values: ['app'],
    run: onDatabase((tools, given) => listClients(tools, { app_id: given.option('app') })),
  },
  'client remove': {
    usage: 'CLIENT_ID',
    does: 'removes an OAuth client permanently, and ends its tokens, codes and consents',
    words: ['CLIENT_ID'],
    run: onDatabase((tools, given) => removeClient(tools, { client_id: given.words[0]! })),
  },
  'user invite': {
    usage: '[--days N]',
    does: 'prints a link with which one person can create an account while registration is closed; it works for 1 to 30 days, 7 by default',
    values: ['days'],
    uses: ['database', 'site'],
    run: onDatabase((tools, given) => inviteUser(tools, { days: wholeNumber(given, 'days') })),
  },
  'owner show': {
    usage: 'OWNER_ID',
    does: 'shows the application that an owner belongs to',
    words: ['OWNER_ID'],
    run: onDatabase((tools, given) => showOwner(tools, { owner_id: given.words[0]! })),
  },
  'owner assign': {
    usage: 'OWNER_ID --app APP_ID',
    does: 'assigns an owner to an application; from then on, only keys of this application can act for the owner',
    words: ['OWNER_ID'],
    values: ['app'],
    run: onDatabase((tools, given) =>
      assignOwner(tools, { owner_id: given.words[0]!, app_id: required(given, 'app') }),
    ),
  },
  'provider create': {
    usage: '--name NAME --issuer URL --client-id ID --client-secret-file PATH [--domain DOMAIN]',
    does: 'registers an OpenID Connect provider for sign-in, and shows the redirect URI to register there; reads the client secret from the file, or from standard input if PATH is -; --domain allows only email addresses of that domain, and you can repeat it',
    values: ['name', 'issuer', 'client-id', 'client-secret-file'],
    lists: ['domain'],
    uses: ['database', 'site', 'keys'],
    run: onDatabase(async (tools, given) =>
      (await import('./providers.ts')).addProvider(
        tools,
        {
          name: required(given, 'name'),
          issuer: required(given, 'issuer'),
          client_id: required(given, 'client-id'),
          domains: given.options('domain'),
        },
        required(given, 'client-secret-file'),
      ),
    ),
  },
  'provider list': {
    usage: '',
    does: 'lists the sign-in providers, without their secrets',
    uses: ['database', 'site'],
    run: onDatabase(async (tools) => (await import('../../activities/auth/providers.ts')).listProviders(tools)),
  },
  'provider remove': {
    usage: 'PROVIDER_ID',
    does: 'removes a sign-in provider, and ends the sessions and tokens of sign-ins with it; the accounts stay',
    words: ['PROVIDER_ID'],
    run: onDatabase(async (tools, given) =>
      (await import('../../activities/auth/providers.ts')).removeProvider(tools, { provider_id: given.words[0]! }),
    ),
  },
};
