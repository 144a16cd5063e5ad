import type { Client } from '../../../client/src/index.ts';
import { banksCard } from './banks.ts';
import { billsCard } from './bills.ts';
import { credentialCard } from './credential.ts';
import { debtCard } from './debts.ts';
import { ForPeople } from './errors.ts';
import { historyCard } from './history.ts';
import { loadMoney } from './money.ts';
import { outlookCard } from './outlook.ts';
import { byId, onSubmit, refusal } from './page.ts';
import { paydayCard } from './payday.ts';
import { payslipCard } from './payslip.ts';
import { beginSignIn, finishSignIn, forget, signedIn } from './sign-in.ts';
import { tidyCard } from './tidy.ts';
import { ring, wageCard } from './wage.ts';
import { wagesList } from './wages.ts';

async function showBoard(client: Client): Promise<void> {
  const profile = await client.getProfile();
  if (profile.authenticated_by !== 'user') throw new ForPeople('This page is for people. Sign in with your account.');
  const userId = profile.user_id;
  const refresh = async () => {
    const money = await loadMoney(client, userId);
    drawWage(money);
    drawWages(money);
    bills.draw(money);
    const rest = [drawHistory(money), drawTidy(money), drawDebt(), drawBanks(money), drawPayday(money), drawOutlook()];
    await Promise.all(rest);
  };
  const drawWage = wageCard(client, userId, refresh);
  const drawWages = wagesList(client, refresh);
  const bills = billsCard(client, refresh);
  const drawHistory = historyCard(client, userId, bills.retry);
  payslipCard(client, userId);
  const drawDebt = debtCard(client, refresh);
  const drawBanks = banksCard(client, userId, refresh);
  const drawPayday = paydayCard(client, userId, refresh);
  const drawOutlook = outlookCard(client, userId);
  const drawTidy = tidyCard(client, refresh);
  credentialCard(client, userId);
  await refresh();
  bills.showLast();

  const who = byId('who');
  who.querySelector('span')!.textContent = profile.email;
  who.querySelector('button')!.addEventListener('click', () => void client.logout().then(forget, forget));
  who.hidden = false;
  byId('board').hidden = false;
}

function showWelcome(): void {
  onSubmit('sign-in', beginSignIn);
  const bills = [95_000, 14_250, 16_300].map((amount, index) => ['A bill', amount, `bill-${index}`] as const);
  const rest = [['Safety buffer', 28_474, 'buffer'] as const, ['Safe to spend', 130_711, 'spend'] as const];
  byId('example').replaceChildren(ring([...bills, ...rest], 'for example'));
  byId('welcome').hidden = false;
}

for (const field of document.querySelectorAll('[type=number]'))
  Object.assign(field, { min: '0', max: '1000000', step: '0.01', required: true });
try {
  await finishSignIn();
  const client = signedIn();
  if (client === undefined) showWelcome();
  else await showBoard(client);
} catch (error) {
  showWelcome();
  byId('sign-in').append(...refusal(error));
}
byId('loading').hidden = true;
