import { bankActivities } from '../activities/bank/index.ts';
import { connectBank } from '../activities/bank/connect.ts';
import { reauthoriseConnection, reconfirmConnection, requireOwnSignIn } from '../activities/bank/renew.ts';
import { DEFAULT_LIMIT } from '../activities/page.ts';
import { callerOf } from '../domain/auth.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Module } from './http/handlers.ts';
import { waitMsOf } from './http/request/prefer.ts';

const POLL_AGAIN_S = 1;

export const bankHandlers = (services: Services) => {
  const bank = bankActivities(services);
  return {
    listBanks: () => json(200, bank.listBanks()),
    async connectBank({ once, body, principal }) {
      const request = { ...body, principal };
      const chosen = await bank.prepareConnection(request);
      return once(async (tx) => {
        const connection = await connectBank(tx, services, request, chosen);
        const Location = `/api/v1/bank/connections/${connection.connection_id}`;
        return { status: 201, body: connection, headers: { Location } };
      });
    },
    listConnections: ({ query, principal }) =>
      json(200, bank.listConnections({ limit: DEFAULT_LIMIT, ...query, principal })),
    async getConnection({ params, headers, signal }) {
      const wait_ms = waitMsOf(headers.prefer);
      const { connection, version, awaited } = await bank.getConnection({ ...params, wait_ms, signal });
      const pollAgain = awaited ? { 'Retry-After': String(POLL_AGAIN_S) } : {};
      return { status: 200, body: connection, headers: { ...pollAgain, ETag: `"${params.connection_id}-${version}"` } };
    },
    reauthoriseConnection: ({ once, params, principal }) =>
      once((tx) => json(201, reauthoriseConnection(tx, services, { ...params, principal }))),
    async reconfirmConnection({ once, params, principal }) {
      requireOwnSignIn(principal);
      const request = { ...params, actor: callerOf(principal) };
      await bank.prepareReconfirmation(request);
      return once((tx) => json(200, reconfirmConnection(tx, services, request)));
    },
    async disconnectBank({ params, principal }) {
      const { ended } = await bank.disconnectBank({ ...params, principal });
      return { status: ended ? 204 : 202 };
    },
  } satisfies Module;
};
