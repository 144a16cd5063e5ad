import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Accounts } from '../accounts.ts';
import type { Calls } from '../calls.ts';
import type { BankClock } from '../clock.ts';
import { serveCustomer } from '../customer-page.ts';
import type { Database } from '../database.ts';
import type { BankExchange } from '../exchange.ts';
import { errorPage, sendPage } from '../page.ts';
import {
  accessTokensIn,
  linksIn,
  openAuthorizationServer,
  TOKEN_PATH,
  type AuthorizationServerSettings,
} from './authorization.ts';
import { openTrueLayerConsents } from './consents.ts';
import { noteCall, readerOf, sendReply, serveData, type DataDesk } from './data-api.ts';
import { trueLayerJourneys } from './journey.ts';
import { providersFor } from './providers.ts';
import { refusal, type Reply } from './answers.ts';
import { openSwitches, type switchesBody } from './switches.ts';
import type * as z from 'zod';

interface Books {
  db: Database;
  accounts: Accounts;
  calls: Calls;
  clock: BankClock;
}

interface Settings extends Omit<AuthorizationServerSettings, 'issuer'> {
  publicUrl: string;
  unattendedReadsPerDay: number;
}

const AUTH = '/truelayer/auth';
const API = '/truelayer/api';

export type TrueLayer = ReturnType<typeof openTrueLayer>;

/** A simulator of TrueLayer v1 over the bank's own accounts. */
export function openTrueLayer({ db, accounts, calls, clock }: Books, { publicUrl, ...settings }: Settings) {
  const base = `${publicUrl}/truelayer`;
  const consents = openTrueLayerConsents(db, clock);
  const switches = openSwitches(db, clock);
  const provider = openAuthorizationServer({ db, consents, switches }, { ...settings, issuer: `${publicUrl}${AUTH}` });
  const authorize = provider.callback();
  const links = linksIn(db);
  const accessTokens = accessTokensIn(db);
  const { unattendedReadsPerDay } = settings;
  const desk: DataDesk = { provider, consents, switches, accounts, calls, clock, unattendedReadsPerDay, base };
  const customers = { provider, accounts, journeyOf: trueLayerJourneys({ provider, consents, switches }) };

  /** Each link works once. The library asks for `prompt=consent` with `offline_access`, which TrueLayer does not know. */
  function openLink(req: Mounted, res: ServerResponse, query: string): void {
    if (!links.open(hash('sha256', query))) {
      sendPage(res, 400, errorPage('The link was used before.'));
      return;
    }
    const search = new URLSearchParams(query);
    search.set('prompt', 'consent');
    handOver(req, res, `/?${search.toString()}`);
  }

  /** `to` is the path that the library knows. */
  function handOver(req: Mounted, res: ServerResponse, to: string): void {
    req.originalUrl = `${AUTH}${to}`;
    req.url = to;
    authorize(req, res);
  }

  return {
    /** Returns false if the request is one of the API, which `serveApi` answers. */
    async serveAuthorization(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
      const [path = '', query = ''] = (req.url ?? '').slice(AUTH.length).split('?', 2);
      if (!req.url?.startsWith(AUTH) || path.startsWith('/api/')) return false;
      if (path.startsWith('/interaction/')) await serveCustomer(customers, req, res);
      else if (path === '/' && req.method === 'GET') openLink(req, res, query);
      else if (path === TOKEN_PATH || /^\/[\w-]+$/.test(path)) handOver(req, res, path);
      else sendPage(res, 404, errorPage('There is no such page.'));
      return true;
    },
    async serveApi(exchange: BankExchange): Promise<void> {
      const { pathname } = exchange.url;
      if (pathname.startsWith(`${API}/`)) return serveData(desk, pathname.slice(API.length), exchange);
      const operation = `${exchange.method} ${pathname.slice(AUTH.length)}`;
      const reply =
        operation === 'GET /api/providers'
          ? listProviders(exchange)
          : operation === 'DELETE /api/delete'
            ? await endConsent(exchange)
            : refusal(404, 'not_found', 'There is no such resource.');
      sendReply(desk, exchange, reply);
    },
    /** The client has to refresh at once. */
    setSwitches({ owner_id: ownerId, switches: given }: z.output<typeof switchesBody>): void {
      switches.set(ownerId, given);
      if (given.lost_refresh !== undefined) accessTokens.end(ownerId);
    },
    list: consents.list,
    revoke: consents.end,
  };

  function listProviders({ url }: BankExchange): Reply {
    if (url.searchParams.get('client_id') !== settings.client.clientId)
      return refusal(400, 'invalid_client', 'The client is unknown.');
    return { status: 200, body: providersFor(base) };
  }

  async function endConsent(exchange: BankExchange): Promise<Reply> {
    const reader = await readerOf(desk, exchange);
    noteCall(desk, { path: '/api/delete', exchange, reader });
    if (reader === undefined || !consents.end(reader.consent.id))
      return refusal(401, 'invalid_token', 'The access token is unknown, or has ended.');
    return { status: 200, body: {} };
  }
}

type Mounted = IncomingMessage & { originalUrl?: string };
