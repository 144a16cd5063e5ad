import { legacyActivities, uploadPayslip } from '../activities/legacy/index.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Call, Module } from './http/handlers.ts';
import { patienceOf, waitMsOf } from './http/request/prefer.ts';

const POLL_AGAIN_S = 1;
const READ_WITHIN_S = 25;

export const legacyHandlers = (services: Services) => {
  const legacy = legacyActivities(services);
  // A function of its own, so that the file's memory is free while the document is read.
  const store = async ({ begin, body, principal, newOwner }: Call<'uploadPayslip'>) => {
    const upload = { ...body, principal, newOwner };
    const prepared = await legacy.prepareUpload(upload);
    return begin((tx) => uploadPayslip(tx, services, upload, prepared));
  };
  return {
    async uploadPayslip(call) {
      const { doc_id, known } = await store(call);
      const { headers, principal, signal } = call;
      const { wait_ms, applied } = patienceOf(headers.prefer, READ_WITHIN_S);
      // A repeated request gets the document's current state, because the document might have been erased.
      const { document } = await legacy.getPayslip({ doc_id, principal, wait_ms, signal });
      const common = { Location: `/api/v1/legacy/payslip/${document.doc_id}`, 'Preference-Applied': applied };
      if (document.status === 'processing')
        return { status: 202, body: document, headers: { ...common, 'Retry-After': String(POLL_AGAIN_S) } };
      return { status: known ? 200 : 201, body: document, headers: common };
    },
    async getPayslip({ params, headers, principal, signal }) {
      const wait_ms = waitMsOf(headers.prefer);
      const { document, etag } = await legacy.getPayslip({ doc_id: params.doc_id, principal, wait_ms, signal });
      const common = {
        ETag: etag,
        'Preference-Applied': wait_ms > 0 ? `wait=${wait_ms / 1000}` : undefined,
      };
      const pollAgain = document.status === 'processing' ? { 'Retry-After': String(POLL_AGAIN_S) } : {};
      return { status: 200, body: document, headers: { ...common, ...pollAgain } };
    },
    async deletePayslip({ params, principal }) {
      await legacy.deletePayslip({ doc_id: params.doc_id, principal });
      return { status: 204 };
    },
    getTaxHistory: ({ params, principal }) => json(200, legacy.getTaxHistory({ user_id: params.user_id, principal })),
  } satisfies Module;
};
