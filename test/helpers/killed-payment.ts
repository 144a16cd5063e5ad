import { paymentActivities } from '../../activities/payments/index.ts';
import { openBanks } from '../../infra/bank/banks.ts';
import { openTestServices } from './database.ts';
import { dyingAt } from './dying.ts';
import { overdue } from './overdue.ts';
import { bankConfig } from './sandbox-bank.ts';

/* A process that sends a payment as a worker does, until it kills itself at one moment, as a power cut would. */

const [url = '', dataDir = '', port = '', paymentId = '', moment = ''] = process.argv.slice(2);

const { dieAt } = dyingAt(moment);

const banks = await openBanks({ ...bankConfig(dataDir, Number(port)), unattendedPerDay: 1_000 }, (bank) => ({
  ...bank,
  async pay(access, instruction) {
    dieAt('before the order is sent');
    const isAtToken = moment === 'the new token came';
    const pay = isAtToken ? overdue(bank.pay, () => dieAt(moment)) : bank.pay;
    const outcome = await pay(access, instruction);
    dieAt('the bank has answered');
    return outcome;
  },
  async look(access) {
    const state = await bank.look(access);
    dieAt('the consent is read');
    return state;
  },
}));
const services = await openTestServices(url, { banks });
const ref = { payment_id: paymentId, attempt: 1, settle_within_ms: 0 };
await paymentActivities(services).submitPayment(ref);
