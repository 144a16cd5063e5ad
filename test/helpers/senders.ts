import { createHash } from 'node:crypto';
import type { Principal } from '../../domain/auth.ts';
import { documentsOf } from './activities.ts';
import { textQuery } from './text-query.ts';
import type { Services } from '../../infra/services.ts';
import { pdfOf } from './reading.ts';

export const keyOf = (appId: string): Principal => ({
  kind: 'api_key',
  keyId: `key_${appId}`,
  appId,
  lineage: `key_${appId}`,
  environment: 'sandbox',
  scopes: ['write:documents'],
});
export const personOf = (userId: string): Principal => ({
  kind: 'user',
  userId,
  familyId: 'fam_1',
  clientId: null,
  scopes: ['write:documents'],
});

let made = 0;
export const fresh = (what: string): string => `${what}-${(made += 1)}`;

export function senders(services: Services) {
  const legacy = documentsOf(services);
  const nameOf = (text: string) => `test.${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  const run = (text: string, values: unknown[] = []) => services.db.run(textQuery(nameOf(text), text)(...values));
  const rows = <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
    services.db.many(textQuery<Row>(nameOf(text), text)(...values));
  const send = async (principal: Principal, owner: string, file?: Buffer) => {
    const bytes = file ?? (await pdfOf());
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const given = { principal, user_id: owner, file: { bytes, sha256 } };
    return legacy.uploadPayslip(given, await legacy.prepareUpload(given));
  };
  return {
    run,
    rows,
    send,
    upload: async (principal: Principal, owner: string) => (await send(principal, owner)).doc_id,
    allRead: () => run(`update documents set status = 'failed', failure = '{}' where status = 'processing'`),
  };
}

export function many<T>(count: number, work: (place: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, place) => work(place)));
}
