import { bankActivities } from '../activities/bank/index.ts';
import { connectBank } from '../activities/bank/connect.ts';
import { reauthoriseConnection, reconfirmConnection, requireOwnSignIn } from '../activities/bank/renew.ts';
import { detailsWith } from '../activities/bank/read.ts';
import { syncConnection } from '../activities/bank/sync-connection.ts';
import { DEFAULT_LIMIT } from '../activities/page.ts';
import { callerOf } from '../domain/auth.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Module } from './http/handlers.ts';
import { waitMsOf } from './http/request/prefer.ts';
import { presentOf } from './http/request/present.ts';

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
      const accounts = await bank.accountsOfConnection(params);
      return once(async (tx) =>
        json(200, detailsWith(services, await reconfirmConnection(tx, services, request), accounts)),
      );
    },
    async syncConnection({ once, params, principal, address, headers }) {
      const present = presentOf({ address, headers });
      const presentSealed = await bank.prepareSync({ ...params, principal, present });
      return once(async (tx) => {
        const body = await syncConnection(tx, services, { ...params, principal, presentSealed });
        const Location = `/api/v1/bank/connections/${params.connection_id}`;
        return { status: 202, body, headers: { Location, 'Retry-After': String(POLL_AGAIN_S) } };
      });
    },
    listTransactions: ({ query, principal }) =>
      json(200, bank.listTransactions({ limit: DEFAULT_LIMIT, ...query, principal })),
    getBacking: ({ params }) => json(200, bank.getBacking(params)),
    async disconnectBank({ params, principal }) {
      const { ended } = await bank.disconnectBank({ ...params, principal });
      return { status: ended ? 204 : 202 };
    },
  } satisfies Module;
};
