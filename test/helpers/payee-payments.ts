import type { Services } from '../../infra/services.ts';
import { paymentsOf } from './activities.ts';
import { anyKey, fund } from './money.ts';
import { paymentOf } from './paying.ts';
import type { playedBank } from './played-bank.ts';

/** Pays providers step by step. Each payment uses new money of its owner. */
export const payerOf = (services: Services, bank: ReturnType<typeof playedBank>) => {
  const payments = paymentsOf(services);

  async function begin(owner: string, provider_id: string, amount: number) {
    const { allocationId: vault_allocation_id } = await fund(services, owner, amount);
    const bill = { vault_allocation_id, amount, currency: 'GBP', provider_id };
    const { payment_id } = await payments.executePayment({ principal: anyKey, ...bill });
    const { submit, tell } = paymentOf(services, bank, payment_id);
    return {
      payment_id,
      submit,
      settle: () => tell('ACCC').then(() => undefined),
      comeBack: () => tell('ACCC returned'),
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
