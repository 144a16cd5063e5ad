import { DEFAULT_LIMIT } from '../activities/page.ts';
import type { SealedPayee } from '../activities/payments/providers.ts';
import { paymentActivities } from '../activities/payments/index.ts';
import { isSettled } from '../domain/payments.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/json.ts';
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
    listPayments: ({ query, principal }) =>
      json(200, payments.listPayments({ limit: DEFAULT_LIMIT, ...query, principal })),
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
    cancelPayment: ({ params, principal }) =>
      json(200, payments.cancelPayment({ payment_id: params.payment_id, principal })),
    listProviders: ({ query, principal }) =>
      json(200, payments.listProviders({ limit: DEFAULT_LIMIT, ...query, principal })),
    addProvider: {
      prepare: ({ body, principal }) => payments.prepareProvider({ ...body, principal }),
      begin: ({ body, principal }, prepared: Promise<SealedPayee>) =>
        json(201, payments.addProvider({ ...body, principal }, prepared)),
    },
  } satisfies Module;
};
