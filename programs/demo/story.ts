import { logIn, register } from './account.ts';
import { readBank } from './bank.ts';
import { proveReliability } from './credential.ts';
import { uploadPayslip } from './documents.ts';
import { askWhatIsAffordable, letAMonthPass, planDebts } from './engines.ts';
import { addUp, allocate, calculatePaycheck, showVaults } from './money.ts';
import { payFromOwnBank, splitWage } from './own-bank.ts';
import { askTheBank, payAtOnce, payForMonths, payWithRetry, scheduleAndCancel } from './payments.ts';
import { workflowsOf, type Stage } from './stage.ts';
import { keepBankDetails } from './vault.ts';

export async function tellStory(stage: Stage): Promise<void> {
  const person = await register(stage);
  await logIn(stage, person);
  const payslip = await uploadPayslip(stage, person);
  const paycheck = await calculatePaycheck(stage, person, payslip);
  await showVaults(stage, person, paycheck);
  await allocate(stage, person);
  const energy = await payAtOnce(stage, paycheck);
  const councilTax = await payWithRetry(stage, paycheck);
  const rent = await scheduleAndCancel(stage, paycheck);
  const paid = await askTheBank(stage, [energy, councilTax, rent]);
  await addUp(stage, person, paid);
  await planDebts(stage, person);
  await askWhatIsAffordable(stage, person);
  await keepBankDetails(stage, person);
  await letAMonthPass(stage, person);
  await payForMonths(stage, person);
  const wage = await readBank(stage, person);
  const split = await splitWage(stage, person, wage);
  await payFromOwnBank(stage, person, split, wage);
  await proveReliability(stage, person);
  stage.teller.look('All workflows of this person', workflowsOf(stage.config, person.userId));
}
