import type { Config } from '../../infra/config/index.ts';
import { postgresServiceUrl, postgresUrl } from './postgres.ts';
import { StackError } from './processes.ts';

/** The parts that `npm start` provides itself. */
export interface OwnParts {
  postgres: boolean;
  temporal: boolean;
  bank: boolean;
  certificates: boolean;
}

export function ownParts(config: Config): OwnParts {
  const sandbox = config.environment === 'sandbox';
  const own = {
    postgres: [postgresServiceUrl, postgresUrl].some((url) => config.database.url === url(config.stack.postgresPort)),
    temporal: config.temporal.address === `localhost:${config.stack.temporalPort}`,
    bank:
      sandbox &&
      config.bank.banksFile === undefined &&
      config.bank.url === `https://localhost:${config.stack.bankPort}`,
    certificates: sandbox,
  };
  // The settings of production refuse the embedded PostgreSQL because of its password.
  if (!sandbox && own.temporal)
    throw new StackError(
      'RINGFENCE_ENV is "production", so TEMPORAL_ADDRESS must be set: the local Temporal is for the sandbox only.',
    );
  if (own.temporal && config.temporal.tls)
    throw new StackError(
      'TEMPORAL_TLS is "true", but the local Temporal has no TLS. Unset TEMPORAL_TLS, or set TEMPORAL_ADDRESS to a Temporal with TLS.',
    );
  return own;
}

/** Beside the data folder, so that a copy of the data folder does not bring its own checkpoints. */
export const besideData = (dataDir: string): string => `${dataDir}-checkpoints`;

/** Undefined if somebody else keeps the database, and named no folder. */
export function checkpointsOf({ witness, dataDir }: Config, own: OwnParts): string | undefined {
  return witness.folder ?? (own.postgres ? besideData(dataDir) : undefined);
}
