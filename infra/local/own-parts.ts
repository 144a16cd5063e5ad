import type { Config } from '../config.ts';
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
    bank: sandbox && config.bank.url === `https://localhost:${config.stack.bankPort}`,
    certificates: sandbox,
  };
  if (!sandbox) assertProduction(own);
  return own;
}

function assertProduction(own: OwnParts): void {
  const unset = [...(own.postgres ? ['DATABASE_URL'] : []), ...(own.temporal ? ['TEMPORAL_ADDRESS'] : [])];
  if (unset.length > 0) {
    throw new StackError(
      `RINGFENCE_ENV is "production", so ${unset.join(' and ')} must be set: the embedded PostgreSQL and Temporal are for the sandbox only.`,
    );
  }
}
