import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { openFaultClient, type FaultClient } from '../../test/helpers/faults-client.ts';
import { holds } from '../../test/helpers/holds.ts';
import { freePorts } from '../../test/helpers/ports.ts';
import { OWN_CONSENT } from '../../test/helpers/production.ts';
import type { Deployment } from './deployment.ts';
import { commandsUnder, parted } from './deploying.ts';
import { issueCertificates } from './keys.ts';

const SCOPES = 'write:paycheck assert:income write:payments read:allocations write:allocations write:documents';

/** In pence: for one owner, and for all owners. */
const LIMITS = '--income-per-owner 10000000 --income-per-month 1000000000';

export interface Tried {
  deployment: Deployment;
  client: FaultClient;
  token: string;
  uiUrl: string;
  image: string;
}

/** Runs the commands under "With compose, on one machine" in the folders of this test. */
export async function deploy(deployment: Deployment, image: string): Promise<Tried> {
  const commands = commandsUnder('deploying.md', 'With compose, on one machine');
  const [makesFolders, hereCertificates] = parted(commands, '# and the files listed above');
  const [handsOver, composes] = parted(hereCertificates, "alias compose='docker compose -f infra/deploy/compose.yaml");
  const { dir } = deployment;
  await deployment.shell(...makesFolders);
  const secretsDir = join(dir, 'etc', 'secrets');
  const bankDir = join(dir, 'bank');
  const banksDir = join(dir, 'etc', 'banks');
  const [apiPort, uiPort] = await freePorts(2);
  const publicUrl = `https://localhost:${apiPort}`;
  const bankUrl = 'https://bank:8451';
  const ca = await issueCertificates({ secretsDir, banksDir, bankDir, publicUrl, bankUrl });
  // The containers' users must be able to open the folder.
  await chmod(dir, 0o711);
  await deployment.shell(`cd ${secretsDir}`, ...handsOver);
  await deployment.shell(`chown -R 10001 ${bankDir}`);
  await deployment.set({
    RINGFENCE_IMAGE: image,
    RINGFENCE_PUBLIC_URL: publicUrl,
    API_ADDRESS: '127.0.0.1',
    API_PORT: String(apiPort),
    TEMPORAL_UI_PORT: String(uiPort),
    SECRETS_DIR: secretsDir,
    KEYS_DIR: join(dir, 'etc', 'keys'),
    BANKS_DIR: banksDir,
    ARCHIVE_DIR: join(dir, 'archive'),
    CHECKPOINTS_DIR: join(dir, 'checkpoints'),
    BANK_PKI_DIR: bankDir,
    BANK_URL: bankUrl,
    BANK_HOUSE: 'own-bank',
    BANK_CLIENT_ID: 'ringfence',
    BANK_CONSENT_ID: OWN_CONSENT,
    REGISTRATION: 'open',
    LIMIT_PAYMENT: '1000000000000000',
    LIMIT_OWNER_PAYMENTS_PER_DAY: '1000000000000000',
    LIMIT_OWNER_PAYMENT_COUNT_PER_DAY: '1000000',
    LIMIT_APP_PAYMENT_COUNT_PER_DAY: '100000000',
    // This test stores little data.
    POSTGRES_SHARED_BUFFERS: '128MB',
  });
  const began = performance.now();
  const printed = [];
  for (const command of composes) printed.push(await deployment.shell(command));
  holds(`every command of deploying.md went well, in ${((performance.now() - began) / 1_000).toFixed(0)} s`, true);
  const { app_id } = JSON.parse(printed.at(-1)!) as { app_id: string };
  const key = await deployment.shell(
    `compose run --rm admin key create --app ${app_id} --scopes "${SCOPES}" ${LIMITS}`,
  );
  const client = openFaultClient({ urls: [publicUrl], ca });
  const { key: token } = JSON.parse(key) as { key: string };
  return { deployment, client, token, uiUrl: `http://127.0.0.1:${uiPort}`, image };
}
