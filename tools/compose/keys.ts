import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePki, loadX509 } from '../../infra/keys/pki.ts';
import { asTls, certify } from '../../test/helpers/certificates.ts';
import { bankEntry, OWN_AUTHORITY } from '../../test/helpers/production.ts';

/** From the file names of docs/operate/deploying.md to those of `ensurePki`. */
const RENAMED: Readonly<Record<string, string>> = {
  'tls.crt': 'server.crt',
  'tls.key': 'server.key',
};
const SAME = ['vault-client-ca.crt', 'credential-signing.crt', 'credential-signing.key'];
const OF_BANKS = ['bank-client.crt', 'bank-client.key', 'bank-signing.key'];

interface Folders {
  secretsDir: string;
  /** Of the service: `banks.json` and the files that it names. */
  banksDir: string;
  /** Of the bank. */
  bankDir: string;
  publicUrl: string;
  bankUrl: string;
}

/** Makes the files that docs/operate/deploying.md requires, and the bank's own. @returns the path of the API's CA. */
export async function issueCertificates({ secretsDir, banksDir, bankDir, publicUrl, bankUrl }: Folders) {
  const made = join(bankDir, '..', 'made');
  await ensurePki(made, { authority: OWN_AUTHORITY });
  const given = [...Object.entries(RENAMED), ...SAME.map((name) => [name, name] as const)];
  for (const [name, from] of given) await cp(join(made, from), join(secretsDir, name));
  await mkdir(bankDir);
  for (const name of [
    'ca.crt',
    'bank-client.crt',
    'bank-signing.crt',
    'bank-server-signing.key',
    'truelayer-client-secret',
  ])
    await cp(join(made, name), join(bankDir, name));
  for (const name of OF_BANKS) await cp(join(made, name), join(banksDir, name));
  await writeFile(join(banksDir, 'ca.crt'), await issueForBank(bankDir));
  // The names of the files are relative to the folder of `banks.json`.
  const entry = { ...bankEntry('', bankUrl), redirect_uri: `${publicUrl}/api/v1/bank/callback` };
  await writeFile(join(banksDir, 'banks.json'), JSON.stringify([entry]));
  const ca = join(bankDir, '..', 'ca.crt');
  await cp(join(made, 'ca.crt'), ca);
  await rm(made, { recursive: true });
  return ca;
}

/** @returns the certificate of the bank's CA */
async function issueForBank(bankDir: string): Promise<string> {
  const x509 = await loadX509();
  const authority = await certify({ name: 'A bank', authority: true });
  const names = new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'bank' }]);
  const purposes = [x509.ExtendedKeyUsage.serverAuth];
  const server = await certify({ name: 'bank', by: authority, purposes, extensions: [names] });
  const { cert, key } = await asTls(server);
  await writeFile(join(bankDir, 'server.crt'), cert);
  await writeFile(join(bankDir, 'server.key'), key);
  return authority.certificate.toString('pem');
}
