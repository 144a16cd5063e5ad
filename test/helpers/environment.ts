import { join } from 'node:path';
import { readConfig, type Config } from '../../infra/config/index.ts';
import { PRODUCTION } from './production.ts';

export function testEnvironment(): { dir: string; databaseUrl: string; door: string } {
  const given = (name: string) => {
    const value = process.env[name];
    if (value === undefined) throw new Error(`${name} is not set: run this under jest with its global setup`);
    return value;
  };
  return {
    dir: given('RINGFENCE_TEST_DIR'),
    databaseUrl: given('RINGFENCE_TEST_DATABASE_URL'),
    door: given('RINGFENCE_TEST_DOOR'),
  };
}

/** The settings of `db:migrate` besides those of the database. */
export const RATES = readConfig({ RINGFENCE_ENV: 'sandbox' }, ['yield']);

/** Returns a sandbox's settings. `RINGFENCE_TEST_LOG` sets a log level; otherwise nothing is logged. */
export function testConfig(databaseUrl: string, env: Readonly<Record<string, string>> = {}): Config {
  const { dir } = testEnvironment();
  return readConfig({
    RINGFENCE_ENV: 'sandbox',
    RINGFENCE_DATA: dir,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '20',
    DATABASE_GROUP_COMMIT: process.env.DATABASE_GROUP_COMMIT ?? 'on',
    LOG_LEVEL: process.env.RINGFENCE_TEST_LOG ?? 'silent',
    MASTER_KEY_FILE: join(dir, 'keys', 'master.json'),
    // All tests share one client IP address.
    LIMIT_CREDENTIALS_PER_MINUTE: '100000',
    LIMIT_TOKENS_PER_MINUTE: '100000',
    LIMIT_KEY_PER_MINUTE: '1000000',
    LIMIT_PERSON_PER_MINUTE: '1000000',
    LIMIT_OWNER_REVISIONS_PER_DAY: '1000000',
    LIMIT_OWNER_CHECKS_PER_DAY: '1000000',
    LIMIT_OWNER_CREDENTIALS_PER_DAY: '1000000',
    LIMIT_OWNER_PAYEES_PER_DAY: '1000000',
    ...(env.RINGFENCE_ENV === 'production' && PRODUCTION),
    ...env,
  });
}
