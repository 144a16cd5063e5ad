import { NativeConnection, Worker } from '@temporalio/worker';
import { paydayWorkflowActivities } from '../../activities/payday/index.ts';
import { newId } from '../../infra/ids.ts';
import { bundleWorkflows } from '../../infra/temporal/bundle.ts';
import { TASK_QUEUES } from '../../workflows/ids.ts';
import { openTestServices } from './database.ts';
import { dyingAt } from './dying.ts';

/* A worker that runs the workflow of a payday, until it kills itself at one moment, as a power cut would. */

const [url = '', address = '', namespace = '', moment = ''] = process.argv.slice(2);

const { dieAt, after } = dyingAt(moment);

const services = await openTestServices(url);
services.newId = (prefix) => {
  // Inside the transactions.
  if (prefix === 'calc') dieAt('the wage is being split');
  if (prefix === 'pay') dieAt('a bill is being paid');
  return newId(prefix);
};
const { splitWage, payBill, endPayday } = paydayWorkflowActivities(services);
const [connection, workflowBundle] = await Promise.all([NativeConnection.connect({ address }), bundleWorkflows()]);
const worker = await Worker.create({
  ...{ connection, namespace, workflowBundle, taskQueue: TASK_QUEUES.payments },
  activities: {
    splitWage: after('the wage is split', splitWage),
    payBill: after('a bill is paid', payBill),
    endPayday: after('the payday has ended', endPayday),
  },
});
await worker.run();
