import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Bank } from '../../domain/bank.ts';
import type { BankConfig } from '../config.ts';
import { certificatesIn } from '../keys/certificates.ts';
import { openBankingBank, openBankingProbe } from './open-banking.ts';

export { BankUnavailable, UnknownToBank, openBankingBank, type OpenBankingSettings } from './open-banking.ts';

export async function openBank(config: BankConfig): Promise<Bank & { close(): Promise<void> }> {
  const signedBy = config.serverSigningCertificate;
  const [ca, cert, key, signingKey, certificates] = await Promise.all(
    [config.tls.ca, config.tls.cert, config.tls.key, config.signingKey, signedBy].map((file) => readFile(file, 'utf8')),
  );
  return openBankingBank({
    ...config,
    pem: { ca: ca!, cert: cert!, key: key!, signingKey: signingKey! },
    bankSigningCertificates: readCertificates(certificates!, signedBy),
  });
}

export async function openBankProbe(config: BankConfig): Promise<Pick<Bank, 'check'> & { close(): Promise<void> }> {
  const files = [config.tls.ca, config.tls.cert, config.tls.key];
  const [ca, cert, key] = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return openBankingProbe({ ...config, pem: { ca: ca!, cert: cert!, key: key! } });
}

function readCertificates(pem: string, file: string): X509Certificate[] {
  const certificates = certificatesIn(pem);
  if (certificates.length === 0) throw new Error(`${file} contains no certificate`);
  return certificates;
}
