import { openBanks } from '../../infra/bank/banks.ts';
import { newId } from '../../infra/ids.ts';
import { syncsOf } from './bank-books.ts';
import { openTestServices } from './database.ts';
import { dyingAt } from './dying.ts';
import { bankConfig } from './sandbox-bank.ts';

/* A process that syncs a connection as a worker does, until it kills itself at one moment, as a power cut would. */

const [url = '', dataDir = '', port = '', connectionId = '', moment = ''] = process.argv.slice(2);

const { dieAt, after } = dyingAt(moment);

const banks = await openBanks({ ...bankConfig(dataDir, Number(port)), unattendedPerDay: 1_000 }, (bank) => ({
  ...bank,
  accounts: after('the list came', bank.accounts),
  transactions: after('the rows came', bank.transactions),
}));
const services = await openTestServices(url, { banks });
services.newId = (prefix) => {
  // Inside the transaction that stores the rows.
  if (prefix === 'txn') dieAt('the rows are being stored');
  // Inside the transaction that stores which payments were found.
  if (prefix === 'evt') dieAt('a payment is being marked');
  return newId(prefix);
};
services.metrics.reconciliations.inc = () => dieAt('payments are found');
const steps = syncsOf(services);
await steps.run(connectionId, () => dieAt('an account is stored'));
