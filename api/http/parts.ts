import { openQuotas } from '../../infra/limits/quotas.ts';
import type { Services } from '../../infra/services.ts';
import { watchedQuotas } from '../../infra/telemetry/watched.ts';
import { createCancellation } from './server/cancellation.ts';
import { createExchanges } from './server/exchanges.ts';
import { clientCertificates } from './access/client-certificate.ts';
import type { Contract } from './contract.ts';
import { trustedProxies } from './access/proxies.ts';
import { createUploadSlots } from './request/uploads.ts';
import { watchRequests } from './server/watch.ts';

export type Parts = ReturnType<typeof sharedParts>;

/** What the middleware of all operations shares. */
export function sharedParts(services: Services, contract: Contract) {
  const { environment, api, limits } = services.config;
  const trustsProxy = trustedProxies(api.proxied.trusted);
  return {
    services,
    contract,
    trustsProxy,
    /** Production skips this check, because it takes longer than most requests. */
    checked: environment !== 'production',
    watch: watchRequests(services),
    exchanges: createExchanges(api.memory, services.metrics),
    cancellation: createCancellation(),
    quotas: watchedQuotas(openQuotas(limits), services),
    slots: createUploadSlots(api.uploads),
    clientCertificate: clientCertificates(api.vaultClientCa, trustsProxy),
  };
}
