import type { Services } from '../../infra/services.ts';
import { paymentsOf } from './activities.ts';
import { anyKey, fund } from './money.ts';
import type { playedBank } from './played-bank.ts';

/** Pays providers step by step. Each payment uses new money of its owner. */
export const payerOf = (services: Services, bank: ReturnType<typeof playedBank>) => {
  const payments = paymentsOf(services);

  async function begin(owner: string, provider_id: string, amount: number) {
    const { allocationId: vault_allocation_id } = await fund(services, owner, amount);
    const bill = { vault_allocation_id, amount, currency: 'GBP', provider_id };
    const { payment_id } = await payments.executePayment({ principal: anyKey, ...bill });
    const ref = { payment_id, attempt: 1 };
    return {
      payment_id,
      submit: () => payments.submitPayment({ ...ref, settle_within_ms: 0 }),
      settle: async () => {
        bank.says = { status: 'ACCC', reason: null, returned: null };
        await payments.checkPayment(ref);
      },
      comeBack: async () => {
        const returned = { at: '2026-11-21T12:00:05Z', reason: { code: 'RETN', detail: 'account closed' } };
        bank.says = { status: 'ACCC', reason: null, returned };
        await payments.checkPayment(ref);
      },
    };
  }

  return {
    begin,
    async complete(owner: string, provider_id: string, amount: number) {
      const payment = await begin(owner, provider_id, amount);
      await payment.submit();
      await payment.settle();
      return payment;
    },
  };
};
