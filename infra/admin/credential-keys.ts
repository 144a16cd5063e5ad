import { OPERATOR } from '../../activities/auth/applications.ts';
import { listCredentialKeys, rotateCredentialKey } from '../../activities/credential/keys.ts';
import { openClock } from '../clock.ts';
import { openKeys } from '../keys/index.ts';
import type { Services } from '../services.ts';
import type { Finding } from './verify.ts';

type Tools = Pick<Services, 'db' | 'newId' | 'config'>;

/** Makes a new signing key for credentials, and seals its private part under the master key. */
export async function rotateCredentialKeys(tools: Tools): Promise<Finding> {
  const { config, db } = tools;
  const keys = await openKeys(config.keys, config.environment, db);
  return { reply: { ...(await rotateCredentialKey({ ...tools, keys }, { actor: OPERATOR })) } };
}

/** Lists all signing keys for credentials, without their private parts. */
export async function showCredentialKeys({ db, config }: Tools): Promise<Finding> {
  const clock = openClock(config, db);
  return { reply: { ...(await listCredentialKeys({ db, clock })) } };
}
