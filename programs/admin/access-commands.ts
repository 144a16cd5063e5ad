import { issueApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../../activities/auth/api-keys.ts';
import { createApplication, listApplications } from '../../activities/auth/applications.ts';
import { createClient, listClients, removeClient } from '../../activities/auth/clients.ts';
import { assignOwner, showOwner } from '../../activities/owners.ts';
import { parseScopes } from '../../domain/auth.ts';
import { onDatabase, onKeys, type Commands } from './command.ts';
import { incomeLimits, perMinute, required, requiredList, wholeNumber } from './given.ts';

export const ACCESS_COMMANDS: Commands = {
  'app create': {
    usage: '--name NAME [--owner-prefix PREFIX]',
    does: 'registers an application, which can then have API keys, OAuth clients and owners; --owner-prefix reserves the owner ids that begin with PREFIX for the application',
    says: 'The application has the id {app_id}.',
    values: ['name', 'owner-prefix'],
    run: onDatabase((tools, given) =>
      createApplication(tools, { name: required(given, 'name'), owner_prefix: given.option('owner-prefix') }),
    ),
  },
  'app list': { usage: '', does: 'lists the applications', run: onDatabase((tools) => listApplications(tools)) },
  'key create': {
    usage:
      '--app APP_ID --scopes "SCOPE SCOPE" [--name NAME] [--income-per-owner PENCE --income-per-month PENCE] [--per-minute N]',
    does: 'issues an API key and shows it once; --income-per-owner and --income-per-month limit the income that the key can assert in a calendar month, for each owner and in total; production requires both limits for the scope assert:income; --per-minute limits the requests in a minute',
    says: 'The key {key_id} is shown only now:\n{key}',
    values: ['app', 'scopes', 'name', 'income-per-owner', 'income-per-month', 'per-minute'],
    uses: ['database', 'keys'],
    run: onKeys((tools, given) =>
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
    does: 'lists API keys without their secrets, and when each key was last used, to the hour',
    values: ['app'],
    run: onDatabase((tools, given) => listApiKeys(tools, { app_id: given.option('app') })),
  },
  'key rotate': {
    usage: 'KEY_ID [--overlap-days N]',
    does: 'replaces an API key; the old key stops working at once, or after N days (1 to 7)',
    says: 'The key {key_id} replaces {replaces}, which ends at {old_key_ends_at}. It is shown only now:\n{key}',
    words: ['KEY_ID'],
    values: ['overlap-days'],
    uses: ['database', 'keys'],
    run: onKeys((tools, given) =>
      rotateApiKey(tools, { key_id: given.words[0]!, overlap_days: wholeNumber(given, 'overlap-days') ?? 0 }),
    ),
  },
  'key revoke': {
    usage: 'KEY_ID',
    does: 'revokes an API key at once',
    says: 'The key {key_id} was revoked at {revoked_at}.',
    words: ['KEY_ID'],
    run: onDatabase((tools, given) => revokeApiKey(tools, { key_id: given.words[0]! })),
  },
  'vault-certificate create': {
    usage: '--app APP_ID [--days N]',
    does: 'issues a client certificate for the PII vault, which works only with API keys of this application; shows the private key of the certificate once; --days is 1 to 825, and 90 by default',
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
    does: 'registers an OAuth client and shows its secret once; with --public, the client has no secret; you can repeat --redirect-uri and --origin',
    values: ['app', 'name', 'scopes'],
    lists: ['redirect-uri', 'origin'],
    flags: ['public'],
    uses: ['database', 'keys'],
    run: onKeys((tools, given) =>
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
    does: 'removes an OAuth client permanently, and revokes its tokens, codes and consents',
    says: 'The client {client_id} is removed. Sign-ins ended: {token_families_ended}. Consents ended: {consents_ended}.',
    words: ['CLIENT_ID'],
    run: onDatabase((tools, given) => removeClient(tools, { client_id: given.words[0]! })),
  },
  'owner show': {
    usage: 'OWNER_ID',
    does: 'shows the application whose API keys act for an owner',
    words: ['OWNER_ID'],
    run: onDatabase((tools, given) => showOwner(tools, { owner_id: given.words[0]! })),
  },
  'owner assign': {
    usage: 'OWNER_ID --app APP_ID',
    does: 'assigns an owner to an application; from then on, API keys of this application can act for the owner, and API keys of the previous application cannot',
    says: 'The owner {owner_id} now belongs to the application {app_id}.',
    words: ['OWNER_ID'],
    values: ['app'],
    run: onDatabase((tools, given) =>
      assignOwner(tools, { owner_id: given.words[0]!, app_id: required(given, 'app') }),
    ),
  },
  'provider create': {
    usage: '--name NAME --issuer URL --client-id ID --client-secret-file PATH [--domain DOMAIN]',
    does: 'registers an OpenID Connect provider for sign-in, and shows the redirect URI to register with the provider; reads the client secret from the file, or from standard input if PATH is -; --domain allows only email addresses of this domain; you can repeat --domain',
    says: 'The provider has the id {provider_id}. Register this redirect URI with it:\n{redirect_uri}',
    values: ['name', 'issuer', 'client-id', 'client-secret-file'],
    lists: ['domain'],
    uses: ['database', 'site', 'keys'],
    run: onDatabase(async (tools, given) =>
      (await import('./identity-providers.ts')).addIdentityProvider(
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
    does: 'lists the sign-in providers, including removed ones, without their secrets',
    uses: ['database', 'site'],
    run: onDatabase(async (tools) =>
      (await import('../../activities/auth/identity-providers.ts')).listIdentityProviders(tools),
    ),
  },
  'provider remove': {
    usage: 'PROVIDER_ID',
    does: 'removes a sign-in provider, and revokes the sessions, codes and tokens of sign-ins through this provider; the accounts remain',
    says: 'The provider {provider_id} is removed. Sessions ended: {sessions_ended}. Sign-ins ended: {token_families_ended}.',
    words: ['PROVIDER_ID'],
    run: onDatabase(async (tools, given) =>
      (await import('../../activities/auth/identity-providers.ts')).removeIdentityProvider(tools, {
        provider_id: given.words[0]!,
      }),
    ),
  },
};
