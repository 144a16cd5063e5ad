import { X509Certificate } from 'node:crypto';
import { DAY_MS } from '../../../domain/dates.ts';
import type { BankEntryOf } from '../../config/index.ts';
import type { DiagnosisStep } from '../diagnosis.ts';
import type { ConnectionKind } from '../interface.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import type { Consents } from './consents.ts';
import type { keysAt } from './message-signing.ts';
import type { ownTokens } from './tokens.ts';

interface Parts {
  entry: BankEntryOf<'obie-4.0'>;
  certificate: string;
  kinds: readonly ConnectionKind[];
  server: AuthorizationServer;
  tokens: ReturnType<typeof ownTokens>;
  keys: ReturnType<typeof keysAt>;
  consents: Consents;
  poll: () => Promise<void>;
}

/** No consent has this id, so a question about it changes nothing. */
const NO_CONSENT = 'ringfence-diagnosis';

export function stepsOf({ entry, certificate, kinds, server, tokens, keys, consents, poll }: Parts) {
  const steps: DiagnosisStep[] = [
    ['certificate', () => Promise.resolve().then(() => lifeOf(certificate))],
    ['discovery', () => discover(server)],
    ...kinds.map((kind): DiagnosisStep => [
      `token for ${kind}`,
      async () =>
        tokens(kind)
          .current()
          .then(() => `The bank issues an access token for ${kind}.`),
    ]),
    [
      'signing keys',
      async () => {
        await keys.reload();
        const usable = keys.jwks()?.keys.filter(({ kty, use }) => kty === 'RSA' && use !== 'enc').length ?? 0;
        if (usable === 0)
          throw new Error(`${entry.jwks_url} holds no RSA key, so no answer of the bank can be checked.`);
        return `${entry.jwks_url} holds ${usable} RSA keys with which the bank can sign.`;
      },
    ],
    ...kinds.map((kind): DiagnosisStep => [
      `dry request for ${kind}`,
      async () => {
        const answer = await consents.read(kind, NO_CONSENT);
        if (answer !== 'unknown') throw new Error('The bank tells of a consent that this service never made.');
        return 'The bank answers a question about a consent that does not exist, as it should.';
      },
    ]),
    ['events', () => poll().then(() => 'The bank answers a question for events.')],
  ];
  return steps;
}

function lifeOf(pem: string): string {
  const { validToDate } = new X509Certificate(pem);
  const days = Math.floor((validToDate.getTime() - Date.now()) / DAY_MS);
  if (days < 0) throw new Error(`The certificate in transport_cert_file expired at ${validToDate.toISOString()}.`);
  return `The certificate in transport_cert_file is valid for ${days} more days.`;
}

async function discover(server: AuthorizationServer): Promise<string> {
  const metadata = await server.metadata();
  const { authorization_endpoint: page, token_endpoint: token, jwks_uri: keys } = metadata;
  for (const [name, url] of Object.entries({ authorization_endpoint: page, token_endpoint: token, jwks_uri: keys }))
    if (url?.startsWith('https://') !== true) throw new Error(`The bank's discovery document names no https ${name}.`);
  if (metadata.response_types_supported?.includes('code id_token') === false)
    throw new Error('The bank does not support the response type "code id_token".');
  const pushes = metadata.pushed_authorization_request_endpoint !== undefined;
  return `The bank's discovery document is complete. The bank takes requests ${pushes ? 'by PAR' : 'in the address'}.`;
}
