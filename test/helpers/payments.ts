import type { Client } from '@temporalio/client';
import { paymentActivities } from '../../activities/payments/index.ts';
import type { Services } from '../../infra/services.ts';
import { bundleWorkflows } from '../../infra/temporal/bundle.ts';
import { createWorker, startBackground } from '../../programs/worker.ts';
import { testEnvironment } from './environment.ts';
import type { LateBank } from './late-bank.ts';
import { openSandboxBank, startSandboxBank, type SandboxBankProcess } from './sandbox-bank.ts';
import { installTestRuntime } from './temporal-log.ts';
import { openNamespace } from './temporal.ts';

export interface Paying {
  sandboxBank: SandboxBankProcess;
  client: Client;
  stop(): Promise<void>;
}

export async function startPaying(services: Services, bank: LateBank): Promise<Paying> {
  installTestRuntime();
  const [{ client, connection }, sandboxBank, workflowBundle] = await Promise.all([
    openNamespace(services),
    startSandboxBank(testEnvironment().dir),
    bundleWorkflows(),
  ]);
  const connected = await openSandboxBank(sandboxBank.config);
  bank.connect(connected);
  await paymentActivities(services).ensureSandboxPayees();
  const worker = await createWorker('payments', services, connection, workflowBundle);
  const running = worker.run();
  const background = startBackground(services, client);
  return {
    sandboxBank,
    client,
    async stop() {
      worker.shutdown();
      await running;
      await background.stop();
      await connected.close();
      await Promise.all([connection.close(), client.connection.close(), sandboxBank.stop()]);
    },
  };
}
