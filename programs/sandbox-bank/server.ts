import { createServer, type ServerOptions } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { accessOf, refuseToken, type Access } from './access.ts';
import { serveAccounts } from './account-api.ts';
import { SESSION_COOKIE } from './authorization.ts';
import { postConsent, serveConsent, type ConsentDesk } from './consent-api.ts';
import type { ConsentKind } from './consents.ts';
import { consentJourneys } from './consent-journey.ts';
import { serveCustomer } from './customer-page.ts';
import { pollEvents } from './events.ts';
import type { EventStore } from './event-store.ts';
import { openExchange, type BankExchange } from './exchange.ts';
import { answerVrp, submitVrp, type PaymentDesk } from './payments.ts';
import { reportFailure } from './report.ts';
import { serveSandbox, type SandboxDesk } from './sandbox.ts';
import { signMessage, type Signer } from './signing.ts';

export interface SandboxBank extends PaymentDesk, ConsentDesk, SandboxDesk {
  provider: Provider;
  events: EventStore;
  signer: Signer;
  clientId: string;
  /** Also the issuer of tokens and events. */
  publicUrl: string;
  requestsPerMinute: number;
  tls: Pick<ServerOptions, 'ca' | 'cert' | 'key'>;
  closing: AbortSignal;
}

const AUTHORIZATION =
  /^\/(?:\.well-known\/openid-configuration|auth(?:\/[\w-]+)?|token(?:\/revocation)?|request|jwks)$/;
const SESSION = new RegExp(String.raw`^${SESSION_COOKIE}(?:\.sig)?=`);

export function sandboxBankServer(bank: SandboxBank) {
  // Requires no client certificate, because browsers have none.
  const tls = { ...bank.tls, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' } as const;
  const authorize = bank.provider.callback();
  const customers = { ...bank, journeyOf: consentJourneys(bank) };
  const answerApi = apiOf(bank);
  const server = createServer(tls, (req, res) => {
    serve(req, res).catch((error: unknown) => {
      reportFailure(error);
      req.socket.destroy();
    });
  });
  server.keepAliveTimeout = 65_000;

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = req.url?.split('?')[0] ?? '/';
    forgetSession(req);
    if (AUTHORIZATION.test(path)) {
      authorize(req, res);
      return;
    }
    if (path.startsWith('/interaction/')) return serveCustomer(customers, req, res);
    const isTrueLayer = path.startsWith('/truelayer/');
    if (isTrueLayer && (await bank.truelayer.serveAuthorization(req, res))) return;
    const exchange = await openExchange(req, res, bank);
    if (path === '/healthz') exchange.answer(200, { status: 'ok' });
    else if (isTrueLayer) await bank.truelayer.serveApi(exchange);
    else if (!path.startsWith('/sandbox/')) await answerApi(exchange);
    else if (!serveSandbox(bank, exchange)) exchange.answer(404, null);
  }
  return server;
}

/** Each journey asks who the customer is. An earlier customer of the same browser is forgotten. */
function forgetSession({ headers }: IncomingMessage): void {
  if (headers.cookie === undefined) return;
  headers.cookie = headers.cookie
    .split('; ')
    .filter((cookie) => !SESSION.test(cookie))
    .join('; ');
}

interface Route {
  allow: readonly string[];
  serve: (access: Access, exchange: BankExchange) => Promise<void>;
}

function apiOf(bank: SandboxBank) {
  const isTooMuch = limitOf(bank.requestsPerMinute);

  function routeOf(path: string): Route | null {
    if (path === '/events') return { allow: ['POST'], serve: (_access, exchange) => pollEvents(bank, exchange) };
    if (path === '/domestic-vrps')
      return { allow: ['POST'], serve: (access, exchange) => submitVrp(bank, access, exchange) };
    const [, paymentId] = /^\/domestic-vrps\/([^/]+)$/.exec(path) ?? [];
    if (paymentId !== undefined)
      return {
        allow: ['GET'],
        serve: (_access, exchange) => answerVrp(bank, exchange, 200, decodeURIComponent(paymentId)),
      };
    const [, resource, id] = /^\/(account-access|domestic-vrp)-consents(?:\/([^/]+))?$/.exec(path) ?? [];
    if (resource !== undefined) return consentRoute(resource === 'account-access' ? 'accounts' : 'payments', id);
    const [, accounts] = /^\/accounts((?:\/[^/]+\/(?:balances|transactions))?)$/.exec(path) ?? [];
    if (accounts === undefined) return null;
    return { allow: ['GET'], serve: (access, exchange) => serveAccounts(bank, { access, path: accounts }, exchange) };
  }

  function consentRoute(kind: ConsentKind, id: string | undefined): Route {
    if (id === undefined)
      return { allow: ['POST'], serve: (access, exchange) => postConsent(bank, { access, kind }, exchange) };
    return {
      allow: ['GET', 'DELETE'],
      serve: (access, exchange) => serveConsent(bank, { access, kind, id: decodeURIComponent(id) }, exchange),
    };
  }

  return async (exchange: BankExchange): Promise<void> => {
    const { method, url, answer } = exchange;
    const route = routeOf(url.pathname);
    if (route === null) {
      answer(404, null);
      return;
    }
    if (!route.allow.includes(method)) {
      answer(405, null, { allow: route.allow.join(', ') });
      return;
    }
    const access = await accessOf(bank, exchange);
    if (url.pathname !== '/events') exchange.onAnswer((status) => noteCall(bank, { exchange, access, status }));
    if (access === null) {
      refuseToken(exchange);
      return;
    }
    if (isTooMuch()) {
      const signature = await signMessage('', bank.signer);
      answer(429, null, { 'retry-after': '60', 'x-jws-signature': signature });
      return;
    }
    return route.serve(access, exchange);
  };
}

/** Counts in whole minutes. 0 means no limit. */
function limitOf(perMinute: number): () => boolean {
  let minute = 0;
  let count = 0;
  return () => {
    const now = Math.floor(Date.now() / 60_000);
    if (now !== minute) [minute, count] = [now, 0];
    return perMinute > 0 && ++count > perMinute;
  };
}

function noteCall(
  { calls, clock, consents }: SandboxBank,
  { exchange, access, status }: { exchange: BankExchange; access: Access | null; status: number },
): void {
  const { method, url, header } = exchange;
  const named = /^\/[a-z-]+-consents\/([^/]+)$/.exec(url.pathname)?.[1];
  const consent = access?.consent ?? (named === undefined ? undefined : consents.find(named));
  const attended = header('x-fapi-customer-ip-address') !== undefined;
  const at = clock.now().toISOString();
  calls.add(consent?.ownerId ?? null, { api: 'obie-4.0', method, path: url.pathname, status, attended, at });
}
