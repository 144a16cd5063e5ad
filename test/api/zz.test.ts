import { writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApi } from '../helpers/api.ts';
import { asTls, certify } from '../helpers/certificates.ts';
import { authority } from '../helpers/client-certificates.ts';
import { testEnvironment } from '../helpers/environment.ts';
const caFile = join(testEnvironment().dir, `vault-authorities-${process.pid}.crt`);
let root: any;
beforeAll(async () => {
  root = await authority();
  await writeFile(caFile, `${root.certificate.toString('pem')}\n`);
});
const api = startApi({ env: { VAULT_CLIENT_CA: caFile } });
test('x', async () => {
  const impostor = await certify({ name: 'Vault clients', authority: true });
  const a = await api.get('/api/v1/vault/x', { certificate: await asTls(await certify({ by: impostor })) });
  console.log(a.status, a.text, a.headers);
  const b = await api.get('/livez', { certificate: await asTls(await certify({ by: impostor })) });
  console.log(b.status, b.text);
});
