import { DEFAULT_LIMIT } from '../activities/page.ts';
import { addProvider } from '../activities/payments/payees.ts';
import { retryPayment } from '../activities/payments/retry.ts';
import { cancelPayment, executePayment } from '../activities/payments/commands.ts';
import { paymentActivities } from '../activities/payments/index.ts';
import { isSettled } from '../domain/payments.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Module } from './http/handlers.ts';
import { waitMsOf } from './http/request/prefer.ts';

const POLL_AGAIN_S = 1;

export const paymentHandlers = (services: Services) => {
  const payments = paymentActivities(services);
  return {
    executePayment: ({ once, body, principal }) =>
      once(async (tx) => {
        const payment = await executePayment(tx, services, { ...body, principal });
        return { status: 201, body: payment, headers: { Location: `/api/v1/payments/${payment.payment_id}` } };
      }),
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
    retryPayment: ({ once, params, principal }) =>
      once(async (tx) => {
        const payment = await retryPayment(tx, services, { ...params, principal });
        return { status: 202, body: payment, headers: { Location: `/api/v1/payments/${payment.payment_id}` } };
      }),
    cancelPayment: ({ once, params, principal }) =>
      once((tx) => json(200, cancelPayment(tx, services, { ...params, principal }))),
    listProviders: ({ query, principal }) =>
      json(200, payments.listProviders({ limit: DEFAULT_LIMIT, ...query, principal })),
    renameProvider: ({ params, body, principal }) =>
      json(200, payments.renameProvider({ ...body, ...params, principal })),
    async removeProvider({ params, principal }) {
      await payments.removeProvider({ ...params, principal });
      return { status: 204 };
    },
    async addProvider({ once, body, principal }) {
      const request = { ...body, principal };
      const sealed = await payments.preparePayee(request);
      return once((tx) => json(201, addProvider(tx, services, request, sealed)));
    },
  } satisfies Module;
};
