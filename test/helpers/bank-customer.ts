import { createPrivateKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CompactSign } from 'jose';
import * as oidc from 'openid-client';
import { Agent, fetch as undiciFetch } from 'undici';
import { obSpecs } from './ob-specs.ts';

const REDIRECT_URI = 'https://localhost:8443/api/v1/bank/callback';
const STANDARD = '/open-banking/v4.0';
const INTENT = 'openbanking_intent_id';
const JWS = 'http://openbanking.org.uk';

export interface Way {
  /** Whether the request object is pushed (PAR), or travels in the URL (JAR). */
  push?: boolean;
  mode?: 'fragment' | 'form_post';
}

export interface Journey {
  consentId: string;
  scope: 'accounts' | 'payments';
  customer: string;
  decision?: 'approve' | 'refuse';
  way?: Way;
}

export const READING = {
  Data: {
    Permissions: [
      'ReadAccountsDetail',
      'ReadBalances',
      'ReadTransactionsDetail',
      'ReadTransactionsCredits',
      'ReadTransactionsDebits',
    ],
  },
  Risk: {},
};

const PAYEE = {
  SchemeName: 'UK.OBIE.SortCodeAccountNumber',
  Identification: '00990000000001',
  Name: 'Sandbox Instant Energy',
};

export const PAYING = {
  Data: {
    ControlParameters: {
      ValidFromDateTime: '2026-01-01T00:00:00Z',
      MaximumIndividualAmount: { Amount: '100.00', Currency: 'GBP' },
      PeriodicLimits: [{ PeriodType: 'Month', PeriodAlignment: 'Consent', Amount: '150.00', Currency: 'GBP' }],
      VRPType: ['UK.OBIE.VRPType.Other'],
      PSUAuthenticationMethods: ['UK.OBIE.SCANotRequired'],
      PSUInteractionTypes: ['OffSession'],
    },
    Initiation: { CreditorAccount: PAYEE },
  },
  Risk: { PaymentContextCode: 'TransferToThirdParty' },
};

const specs = obSpecs();
/** Where the traffic of all clients differed from the standard. */
export const specFaults: string[] = [];

/** A client of the bank, and the browser of a customer. Neither knows the code of the service. */
export async function bankClient(
  dataDir: string,
  base: string,
  { tls = false, redirectUri = REDIRECT_URI }: { tls?: boolean; redirectUri?: string } = {},
) {
  const pki = (file: string) => readFileSync(join(dataDir, 'pki', file), 'utf8');
  const ca = pki('ca.crt');
  const machine = new Agent({ connect: { ca, key: pki('bank-client.key'), cert: pki('bank-client.crt') } });
  const person = new Agent({ connect: { ca } });
  const pem = createPrivateKey(pki('bank-signing.key'));
  const algorithm = { name: 'RSA-PSS', hash: 'SHA-256' };
  const key = { key: pem.toCryptoKey(algorithm, false, ['sign']), kid: 'ringfence-signing' };
  const send = ((url: string, init: object) => undiciFetch(url, { ...init, dispatcher: machine })) as never;
  const clientId = tls ? 'ringfence-tls' : 'ringfence';
  const authentication = tls ? oidc.TlsClientAuth() : oidc.PrivateKeyJwt(key);
  const metadata = { id_token_signed_response_alg: 'PS256', [oidc.clockTolerance]: 120 };
  const server = await oidc.discovery(new URL(base), clientId, metadata, authentication, {
    [oidc.customFetch]: send,
  });
  oidc.useCodeIdTokenResponseType(server);
  oidc.enableDetachedSignatureResponseChecks(server);
  oidc.enableNonRepudiationChecks(server);

  async function call(method: string, path: string, token: string, body?: object, headers: object = {}) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const group = path.startsWith('/account') ? '/aisp' : path.startsWith('/domestic') ? '/pisp' : '';
    const response = await undiciFetch(path.startsWith('https:') ? path : `${base}${STANDARD}${group}${path}`, {
      method,
      dispatcher: machine,
      headers: {
        authorization: `Bearer ${token}`,
        ...(text !== undefined && {
          'content-type': 'application/json',
          'x-idempotency-key': randomUUID(),
          'x-jws-signature': await detached(text),
        }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    });
    const answer = await response.text();
    const { status, headers: fields } = response;
    const signature = fields.get('x-jws-signature');
    judge(method, path, { sent: body, status, answer });
    return { status, signature, body: answer === '' ? null : JSON.parse(answer) };
  }

  /** By the official files. Requests that the bank refused may be wrong, and a response without a body has no schema. */
  function judge(
    method: string,
    path: string,
    { sent, status, answer }: { sent: unknown; status: number; answer: string },
  ) {
    const pathname = new URL(path, base).pathname.replace(/^\/open-banking\/v4\.0(\/[ap]isp)?/, '');
    if (sent !== undefined && status < 300)
      specFaults.push(...(specs?.(method, pathname, ['requestBody'], sent) ?? []));
    if (answer === '' && status !== 204) return;
    const body: unknown = answer === '' ? '' : JSON.parse(answer);
    specFaults.push(...(specs?.(method, pathname, ['responses', String(status)], body) ?? []));
  }

  async function detached(text: string): Promise<string> {
    const claims = { [`${JWS}/iat`]: Math.floor(Date.now() / 1000), [`${JWS}/iss`]: 'org/software' };
    const header = { alg: 'PS256', kid: key.kid, ...claims, [`${JWS}/tan`]: 'openbanking.org.uk' };
    const crit = Object.keys(header).filter((name) => name.startsWith(JWS));
    const signer = new CompactSign(Buffer.from(text)).setProtectedHeader({ ...header, crit });
    const understood = Object.fromEntries(crit.map((name) => [name, true]));
    const [head, , signature] = (await signer.sign(key.key, { crit: understood })).split('.');
    return `${head}..${signature}`;
  }

  /** Where the customer's browser begins, and what the client keeps for the answer. */
  async function begin({ consentId, scope, way: { push = true, mode = 'fragment' } = {} }: Journey) {
    const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
    const order = {
      redirect_uri: redirectUri,
      scope: `openid ${scope}`,
      state,
      nonce,
      response_mode: mode,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      claims: JSON.stringify({ id_token: { [INTENT]: { value: consentId, essential: true } } }),
    };
    const signed = await oidc.buildAuthorizationUrlWithJAR(server, order, key, {
      [oidc.modifyAssertion](_header, payload) {
        payload['response_type'] = 'code id_token';
      },
    });
    signed.searchParams.set('response_type', 'code id_token');
    signed.searchParams.set('scope', order.scope);
    const parameters = signed.searchParams;
    const url = push ? await oidc.buildAuthorizationUrlWithPAR(server, parameters) : signed;
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    return { url, finish: (answer: URL | Request) => oidc.authorizationCodeGrant(server, answer, checks) };
  }

  return {
    call,
    begin,
    close: () => Promise.all([machine.destroy(), person.destroy()]),
    token: async (scope: 'accounts' | 'payments') =>
      (await oidc.clientCredentialsGrant(server, { scope })).access_token,
    refresh: (token: string) => oidc.refreshTokenGrant(server, token),
    revoke: (token: string) => oidc.tokenRevocation(server, token),
    async authorise(journey: Journey) {
      const { url, finish } = await begin(journey);
      return finish(await decideAtBank(url, { ...journey, ca }));
    },
    async sandbox(method: string, path: string, body?: object) {
      const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const response = await undiciFetch(`${base}/sandbox/${path}`, { method, dispatcher: person, ...json });
      const text = await response.text();
      return text === '' ? null : JSON.parse(text);
    },
  };
}

interface Decision {
  customer: string;
  decision?: 'approve' | 'refuse' | undefined;
  /** Of the bank's certificate, as PEM. */
  ca: string;
}

/** Decides on the pages of the bank. Returns what the customer's browser brings back, as fragment or as form. */
export async function decideAtBank(url: URL, { customer, decision = 'approve', ca }: Decision): Promise<URL | Request> {
  const dispatcher = new Agent({ connect: { ca } });
  const cookies = new Map<string, string>();
  const visit = async (to: string, form?: URLSearchParams) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const request = { dispatcher, redirect: 'manual', headers: { cookie } } as const;
    const response = await undiciFetch(to, { ...request, ...(form && { method: 'POST', body: form }) });
    for (const [name = '', value = ''] of response.headers.getSetCookie().map((set) => set.split(/[=;]/)))
      cookies.set(name, value);
    return { leadsTo: new URL(response.headers.get('location') ?? '', url).href, html: await response.text() };
  };
  const page = (await visit(url.href)).leadsTo;
  const form = new URLSearchParams({ customer });
  const choices = await visit(page, form);
  form.set('decision', decision);
  for (const [, id = ''] of choices.html.matchAll(/name="account" value="([^"]+)"[^>]* checked/g))
    form.append('account', id);
  const answered = await visit((await visit(page, form)).leadsTo);
  await dispatcher.destroy();
  const fields = [...answered.html.matchAll(/name="([^"]+)" value="([^"]+)"/g)];
  if (fields.length === 0) return new URL(answered.leadsTo);
  const [, action = ''] = /action="([^"]+)"/.exec(answered.html) ?? [];
  const body = new URLSearchParams(fields.map(([, name, value]): [string, string] => [name!, value!]));
  return new Request(action, { method: 'POST', body });
}
