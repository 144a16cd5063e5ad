import type { Client } from '../../../client/src/index.ts';
import { billsCard } from './bills.ts';
import { credentialCard } from './credential.ts';
import { debtCard } from './debts.ts';
import { byId, onSubmit, refusal } from './page.ts';
import { payslipCard } from './payslip.ts';
import { beginSignIn, finishSignIn, forget, signedIn } from './sign-in.ts';
import { wageCard } from './wage.ts';

async function showBoard(client: Client): Promise<void> {
  const profile = await client.getProfile();
  if (profile.authenticated_by !== 'user') throw new Error('This page is for people, not for API keys.');
  const userId = profile.user_id;
  const showChange = async () => {
    const balances = await client.listVaults({ path: { user_id: userId } });
    await Promise.all([showWage(balances), showBills(balances)]);
  };
  const showWage = wageCard(client, userId, showChange);
  const showBills = billsCard(client, showChange);
  payslipCard(client, userId);
  debtCard(client);
  credentialCard(client, userId);
  await showChange();

  const who = byId('who');
  who.querySelector('span')!.textContent = profile.email;
  who.querySelector('button')!.addEventListener('click', () => void client.logout().then(forget, forget));
  who.hidden = false;
  byId('board').hidden = false;
}

function showWelcome(): void {
  onSubmit('sign-in', beginSignIn);
  byId('welcome').hidden = false;
}

try {
  await finishSignIn();
  const client = signedIn();
  if (client === undefined) showWelcome();
  else await showBoard(client);
} catch (error) {
  showWelcome();
  byId('welcome').append(...refusal(error));
}
