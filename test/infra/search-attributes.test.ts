import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES, ensureSearchAttributes } from '../../infra/temporal/search-attributes.ts';
import { ensureSchedules } from '../../infra/temporal/schedules.ts';
import { startTemporal } from '../helpers/embedded.ts';
import { freePorts } from '../helpers/ports.ts';
import { until } from '../helpers/until.ts';

const DAY_S = 86_400;

let folder: string;
let server: Awaited<ReturnType<typeof startTemporal>>;
let connection: Connection;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringfence-attributes-'));
  const [port, uiPort] = (await freePorts(2)) as [number, number];
  const options = { databaseFile: join(folder, 'temporal.db'), port, uiPort, namespace: 'default' } as const;
  // Production servers cache search attributes for some seconds.
  const dynamicConfig = ['system.forceSearchAttributesCacheRefreshOnRead=false'];
  server = await startTemporal({ ...options, logLevel: 'silent', dynamicConfig });
  connection = await Connection.connect({ address: server.address });
});
afterAll(async () => {
  await connection.close();
  await server.stop();
  await rm(folder, { recursive: true });
});

test('a new namespace accepts a schedule as soon as the search attributes are made', async () => {
  // Operators make a namespace without the service's search attributes.
  const namespace = 'fresh';
  const workflowExecutionRetentionPeriod = { seconds: DAY_S as never };
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
  const count = () => new Client({ connection, namespace }).workflow.count();
  const isKnown = () =>
    count().then(
      () => true,
      () => false,
    );
  await until(isKnown, 'the namespace');
  const clients = Array.from({ length: 3 }, () => new Client({ connection, namespace }));
  // The three workers of compose start at the same time.
  await Promise.all(
    clients.map(async (client) => {
      await ensureSearchAttributes(client);
      await ensureSchedules(client);
    }),
  );
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(Object.keys(SEARCH_ATTRIBUTES)));
  expect((await clients[0]!.schedule.getHandle('yield/monthly').describe()).scheduleId).toBe('yield/monthly');
});
