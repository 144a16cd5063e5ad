import type { Config } from '../../infra/config/index.ts';
import { hostAndPort, requireSameTls } from '../../infra/temporal/tls-check.ts';
import type { OwnParts } from './own-parts.ts';
import { isOpen } from './ports.ts';
import { StackError } from './processes.ts';

/** Before the first part starts. @throws StackError or ConfigError about a part that runs outside this stack. */
export async function requireExternalParts({ database, temporal }: Config, own: OwnParts): Promise<void> {
  if (!own.postgres) {
    const { host, hostname, port } = new URL(database.url);
    await requireOpen(host, { host: hostname, port: Number(port || 5432) }, [
      'PostgreSQL',
      'DATABASE_URL',
      'the embedded',
    ]);
  }
  if (own.temporal) return;
  await requireOpen(temporal.address, hostAndPort(temporal.address), ['Temporal', 'TEMPORAL_ADDRESS', 'a local']);
  await requireSameTls(temporal);
}

async function requireOpen(
  address: string,
  { host, port }: { host: string; port: number },
  [part, setting, other]: [string, string, string],
): Promise<void> {
  if (await isOpen(host, port)) return;
  throw new StackError(
    `Nothing responds at ${address}, the address in ${setting}. Start ${part} there, or unset ${setting} to use ${other} ${part}.`,
  );
}
