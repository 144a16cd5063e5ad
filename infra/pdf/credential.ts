import type { X509Certificate } from 'node:crypto';
import { certificatesOf, type SigningPair } from './cms.ts';
import { bytesOf, newDocument } from './document.ts';
import { drawPage } from './page.ts';
import { addSignatureField, sign } from './signature.ts';

/** A part of the score, with its points and its maximum. */
export interface ScorePart {
  /** The name in plain words, such as `Paid on time`. */
  label: string;
  points: number;
  of: number;
}

/** A month, with the number of payments that were made on time and that were missed. */
export interface MonthOfPayments {
  /** `YYYY-MM` */
  month: string;
  on_time: number;
  missed: number;
}

/** The content of the PDF, as plain data that can be sent to a thread. */
export interface CredentialPdfInput {
  credential_id: string;
  user_id: string;
  /** The issuer's URL. */
  issuer: string;
  /** The score, from 0 to 1000. */
  reliability_score: number;
  /** A decimal from 0 to 1 with four decimal places, such as `0.9583`. */
  on_time_rate: string;
  total_payments: number;
  missed_payments: number;
  /** Further totals; `total_paid` is in pence. Credentials of earlier versions of the service do not have them. */
  bills?: number;
  payees?: number;
  months_covered?: number;
  total_paid?: number;
  payments_left_out?: number;
  /** `YYYY-MM-DD to YYYY-MM-DD` */
  period: string;
  categories: readonly string[];
  score_breakdown: readonly ScorePart[];
  /** The instants of issue and expiry, in ISO 8601. */
  issued_at: string;
  expires_at: string;
  /** The calendar months of the period, oldest first: from 1 to 37 months. */
  months: readonly MonthOfPayments[];
  /** The URL for verifying the credential, which the PDF shows as QR code and link. */
  verify_url: string;
  /** The credential, which the PDF contains as an attachment, byte for byte. */
  sd_jwt: string;
  signing: SigningPair;
}

const TITLE = 'Payment reliability credential';
const ATTACHED = { name: 'credential.sd-jwt', type: 'application/dc+sd-jwt', relationship: 'Data' };

/**
 * Draws the credential on one A4 page, attaches its SD-JWT, and signs the PDF (PAdES, level B-B). The service calls
 * this function in a thread, because drawing takes tens of milliseconds.
 * @throws Error if the signing key or certificate cannot be used.
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

/** The common name of the certificate, or its whole subject. */
function nameOf({ subject }: X509Certificate): string {
  return /^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ');
}
