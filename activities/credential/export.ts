import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { DomainError } from '../../domain/errors.ts';
import * as queries from '../../infra/db/queries/credential.ts';
import type { renderCredentialPdf } from '../../infra/pdf/credential.ts';
import type { CredentialPdfInput } from '../../infra/pdf/sheet.ts';
import type { Services } from '../../infra/services.ts';
import { task } from '../../infra/threads/task.ts';
import type { ExportedCredential } from '../../openapi/types.ts';
import { addressesOf } from './addresses.ts';
import type { CredentialKeys } from './keys.ts';
import { holderOf } from './holder.ts';
import { credentialView, issuedCredential, type IssuedRow } from './record.ts';
import { signedClaims, statusOf } from './verify.ts';

interface ExportRequest {
  credential_id: string;
}

const pdfTask = task<typeof renderCredentialPdf>(
  new URL('../../infra/pdf/credential.ts', import.meta.url).href,
  'renderCredentialPdf',
);

/** Beyond this, a PDF is made again for each export, so that exports do not fill the database. */
const MOST_KEPT_A_DAY = 20;

export const credentialExports = (services: Services, keys: CredentialKeys) => ({
  /** Also exports a revoked, expired or damaged credential. */
  async exportAsJson(request: ExportRequest): Promise<ExportedCredential> {
    const row = await issuedCredential(services.db, request.credential_id);
    const status = (await signedClaims(services, keys, row)) ? await statusOf(services, row) : 'tampered';
    const { verify } = addressesOf(services);
    return { ...credentialView(row), status, verify_url: verify(row.credential_id), sd_jwt: row.sd_jwt };
  },

  async exportAsSdJwt(request: ExportRequest): Promise<string> {
    return (await showable(services, keys, request)).sd_jwt;
  },

  async exportAsPdf(request: ExportRequest): Promise<Uint8Array> {
    const row = await showable(services, keys, request);
    const input = await pdfInput(services, row);
    const madeFrom = digestOf(input);
    const kept = await services.db.maybe(queries.keptPdf(row.credential_id, madeFrom));
    return kept?.pdf ?? drawn(services, input, madeFrom);
  },
});

const drawing = new Map<string, Promise<Uint8Array>>();

/** Simultaneous exports share one drawing in a process. */
async function drawn(services: Services, input: CredentialPdfInput, made_from: string): Promise<Uint8Array> {
  const begun = drawing.get(made_from);
  if (begun !== undefined) return begun;
  const draw = async () => {
    const pdf = await services.threads.run(pdfTask, input);
    const { credential_id, user_id: owner_id } = input;
    await services.db.run(queries.keepPdf({ credential_id, owner_id, made_from, pdf }, MOST_KEPT_A_DAY));
    return pdf;
  };
  const drawn = draw().finally(() => drawing.delete(made_from));
  drawing.set(made_from, drawn);
  return drawn;
}

function digestOf({ signing, ...shown }: CredentialPdfInput): string {
  return createHash('sha256')
    .update(JSON.stringify([shown, signing.certificate]))
    .digest('hex');
}

async function showable(services: Services, keys: CredentialKeys, request: ExportRequest): Promise<IssuedRow> {
  const row = await issuedCredential(services.db, request.credential_id);
  if (!(await signedClaims(services, keys, row))) {
    throw new DomainError(
      'credential-damaged',
      'The stored credential no longer matches its signature. Tell the operator the id of the credential.',
    );
  }
  const status = await statusOf(services, row);
  if (status === 'valid') return row;
  const why = status === 'revoked' ? 'The credential is revoked' : `The credential expired at ${row.expires_at}`;
  throw new DomainError(`credential-${status}`, `${why}, so it can be exported only as JSON.`);
}

async function pdfInput(services: Services, row: IssuedRow): Promise<CredentialPdfInput> {
  const { pdfCertificate, pdfKey } = services.config.credentials;
  const [certificate, key] = await Promise.all([readFile(pdfCertificate, 'utf8'), readFile(pdfKey, 'utf8')]);
  const { issuer, verify } = addressesOf(services);
  return {
    ...credentialView(row),
    holder: await holderOf(services, row.owner_id),
    issuer,
    months: row.months,
    verify_url: verify(row.credential_id),
    sd_jwt: row.sd_jwt,
    signing: { certificate, key },
  };
}
