import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createKeyFile } from '../../infra/keys/key-file.ts';
import { testEnvironment } from './environment.ts';

/** The settings of a production with a master key of its own, because the service makes none in production. */
export function withProductionKeys(more: Readonly<Record<string, string>> = {}) {
  const MASTER_KEY_FILE = join(testEnvironment().dir, 'keys', `${randomUUID()}.json`);
  beforeAll(() => createKeyFile(MASTER_KEY_FILE));
  return { RINGFENCE_ENV: 'production', MASTER_KEY_FILE, ...more };
}
