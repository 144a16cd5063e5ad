import v8 from 'node:v8';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflows } from '../../infra/temporal/bundle.ts';
import { temporalTestServer } from './embedded.ts';
import { SEARCH_ATTRIBUTES } from '../../infra/temporal/search-attributes.ts';
import { installTestRuntime } from './temporal-log.ts';

interface TimeSkipping {
  env: TestWorkflowEnvironment;
  workflowBundle: { code: string };
}

/** Calls `opened` with the server before the tests. */
export function withTimeSkipping(opened: (parts: TimeSkipping) => void): void {
  let env: TestWorkflowEnvironment | undefined;

  // A replay installs a hook for stack traces in this thread, and the hook would affect later test files.
  const { createHook } = v8.promiseHooks;
  v8.promiseHooks.createHook = () => () => undefined;
  afterAll(() => void (v8.promiseHooks.createHook = createHook));

  beforeAll(async () => {
    installTestRuntime();
    const path = await temporalTestServer();
    const [server, workflowBundle] = await Promise.all([
      TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path } } }),
      bundleWorkflows(),
    ]);
    env = server;
    await server.connection.operatorService.addSearchAttributes({
      namespace: server.namespace ?? 'default',
      searchAttributes: SEARCH_ATTRIBUTES,
    });
    opened({ env: server, workflowBundle });
  });
  afterAll(() => env?.teardown());
}
