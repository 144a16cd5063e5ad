import { londonDateOf } from '../../domain/dates.ts';
import { inPounds } from '../../domain/money.ts';
import type { Person } from './account.ts';
import { WAGE } from './documents.ts';
import { mustBe } from './expect.ts';
import { issueKey } from './operator.ts';
import type { Stage } from './stage.ts';

const MONTHS = 6;
const ENERGY = 14_250;

export async function payForMonths(stage: Stage, person: Person): Promise<void> {
  const { api, teller } = stage;
  teller.step(
    'Pay bills for half a year',
    'A credential counts bills by the month, so one month proves little. Each month the wage comes in, the energy bill is paid, and the clock moves on.',
  );
  const operator = api.clientFor({ apiKey: await issueKey(stage, 'admin:audit') }, { quiet: true });
  for (let month = 1; month <= MONTHS; month += 1) {
    const paidOn = await payEnergy(stage, person);
    teller.answered(
      201,
      `${paidOn}: the wage of ${inPounds(WAGE)} is split, and ${inPounds(ENERGY)} are paid for energy`,
    );
    if (month === MONTHS) break;
    await operator.moveClock({ body: { advance: 'P1M' } });
  }
}

async function payEnergy({ quiet }: Stage, { userId }: Person): Promise<string> {
  const paycheck = await quiet.calculatePaycheck({
    body: {
      employee_id: userId,
      gross_pay: WAGE,
      obligations: [{ type: 'Energy', amount: ENERGY, category: 'FIXED' }],
      include_history: false,
    },
  });
  const { payment_id } = await quiet.executePayment({
    body: {
      vault_allocation_id: paycheck.vaults[0]!.allocation_id,
      amount: ENERGY,
      currency: 'GBP',
      provider_id: 'prov_sandbox_instant',
      reference: 'ENERGY',
    },
  });
  const { status, timeline } = await quiet.untilPaymentEnds(payment_id);
  mustBe(`The status of ${payment_id}`, status, 'completed');
  return londonDateOf(new Date(timeline.at(-1)!.at));
}
