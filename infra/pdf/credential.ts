import type { X509Certificate } from 'node:crypto';
import { certificatesOf } from './cms.ts';
import { bytesOf, newDocument } from './document.ts';
import { drawPage } from './page.ts';
import { addSignatureField, sign } from './signature.ts';

/** A point of the score: what it is for, how many points it brought, and how many it can. */
export interface ScorePart {
  /** In plain words, such as `Paid on time`. */
  label: string;
  points: number;
  of: number;
}

/** The payments of a month that are concluded, by outcome. */
export interface MonthOfPayments {
  /** `YYYY-MM` */
  month: string;
  on_time: number;
  missed: number;
}

/** Everything that is printed; plain data, so that it can be drawn in a thread. */
export interface CredentialPdfInput {
  credential_id: string;
  user_id: string;
  /** URL. */
  issuer: string;
  /** 0 to 1000. */
  reliability_score: number;
  /** A decimal from 0 to 1 with four decimals, such as `0.9583`. */
  on_time_rate: string;
  total_payments: number;
  missed_payments: number;
  /** The counts, in pence where they are money; none of them in credentials issued before bills were counted. */
  bills?: number;
  payees?: number;
  months_covered?: number;
  total_paid?: number;
  payments_left_out?: number;
  /** `YYYY-MM-DD to YYYY-MM-DD` */
  period: string;
  categories: readonly string[];
  score_breakdown: readonly ScorePart[];
  /** Instants, ISO 8601. */
  issued_at: string;
  expires_at: string;
  /** 1 to 37, in order. */
  months: readonly MonthOfPayments[];
  /** Where a reader checks it; the QR code and a link. */
  verify_url: string;
  /** Attached byte for byte. */
  sd_jwt: string;
  /** PEM: the certificate that signs with those above it, and its key (PKCS#8, EC P-256 or RSA). */
  signing: { certificate: string; key: string };
}

const TITLE = 'Payment reliability credential';
const ATTACHED = { name: 'credential.sd-jwt', type: 'application/dc+sd-jwt', relationship: 'Data' };

/**
 * Draws the credential on one A4 page, attaches it as SD-JWT and signs the whole (PAdES, level B-B). It takes plain data and
 * some tens of milliseconds: in a server draw in a thread.
 *
 * @throws Error when the key and certificate that sign cannot be used.
 */
export async function renderCredentialPdf(input: CredentialPdfInput): Promise<Uint8Array> {
  const signer = nameOf(certificatesOf(input.signing.certificate)[0]!);
  const document = newDocument(TITLE);
  const { parent, ...box } = drawPage(document, input, signer);
  const now = new Date();
  document.file(Buffer.from(input.sd_jwt), {
    ...ATTACHED,
    description: 'The credential as SD-JWT, for programs to verify',
    creationDate: now,
    modifiedDate: now,
  });
  const words = { name: signer, reason: 'Issued as a payment reliability credential' };
  addSignatureField(document, { words, box, signing: input.signing, parent });
  return sign(await bytesOf(document), input.signing);
}

/** By its common name, else its whole subject. */
function nameOf({ subject }: X509Certificate): string {
  return /^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ');
}
