import type { SealedPayee } from '../activities/payments/providers.ts';
import { paymentActivities } from '../activities/payments/index.ts';
import { isSettled } from '../domain/payments.ts';
import type { Services } from '../infra/services.ts';
import type { Module } from './http/operations.ts';
import { waitMsOf } from './http/prefer.ts';

const POLL_AGAIN_S = 1;

export const paymentHandlers = (services: Services) => {
  const payments = paymentActivities(services);
  return {
    async executePayment({ body, principal }) {
      const payment = await payments.executePayment({ ...body, principal });
      return { status: 201, body: payment, headers: { Location: `/api/v1/payments/${payment.payment_id}` } };
    },
    async listPayments({ query, principal }) {
      return { status: 200, body: await payments.listPayments({ ...query, limit: query.limit ?? 50, principal }) };
    },
    async getPayment({ params, headers, signal }) {
      const wait_ms = waitMsOf(headers.prefer);
      const { payment, version } = await payments.getPayment({
        payment_id: params.payment_id,
        wait_ms,
        signal,
      });
      const pollAgain = isSettled(payment.status) ? {} : { 'Retry-After': String(POLL_AGAIN_S) };
      return { status: 200, body: payment, headers: { ...pollAgain, ETag: `"${payment.payment_id}-${version}"` } };
    },
    async retryPayment({ params, principal }) {
      const payment = await payments.retryPayment({ payment_id: params.payment_id, principal });
      return { status: 202, body: payment, headers: { Location: `/api/v1/payments/${payment.payment_id}` } };
    },
    async cancelPayment({ params, principal }) {
      return { status: 200, body: await payments.cancelPayment({ payment_id: params.payment_id, principal }) };
    },
    async listProviders({ query, principal }) {
      return { status: 200, body: await payments.listProviders({ ...query, limit: query.limit ?? 50, principal }) };
    },
    addProvider: {
      prepare: ({ body, principal }) => payments.prepareProvider({ ...body, principal }),
      begin: async ({ body, principal }, prepared: Promise<SealedPayee>) => ({
        status: 201,
        body: await payments.addProvider({ ...body, principal }, prepared),
      }),
    },
  } satisfies Module;
};
