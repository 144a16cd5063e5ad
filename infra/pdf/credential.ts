import type { X509Certificate } from 'node:crypto';
import { certificatesOf, type SigningPair } from './cms.ts';
import { bytesOf, newDocument } from './document.ts';
import { drawPage } from './page.ts';
import { addSignatureField, sign } from './signature.ts';

export interface ScorePart {
  /** In plain words, such as `Paid on time`. */
  label: string;
  points: number;
  of: number;
}

export interface MonthOfPayments {
  /** `YYYY-MM` */
  month: string;
  on_time: number;
  missed: number;
}

/** Plain data that can be sent to a thread. */
export interface CredentialPdfInput {
  credential_id: string;
  user_id: string;
  /** A URL. */
  issuer: string;
  /** From 0 to 1000. */
  reliability_score: number;
  /** A decimal from 0 to 1, such as `0.9583`. */
  on_time_rate: string;
  total_payments: number;
  missed_payments: number;
  /** `total_paid` is in pence. Credentials of earlier versions lack these totals. */
  bills?: number;
  payees?: number;
  months_covered?: number;
  total_paid?: number;
  payments_left_out?: number;
  /** `YYYY-MM-DD to YYYY-MM-DD` */
  period: string;
  categories: readonly string[];
  score_breakdown: readonly ScorePart[];
  /** Instants in ISO 8601. */
  issued_at: string;
  expires_at: string;
  /** From 1 to 37 calendar months, oldest first. */
  months: readonly MonthOfPayments[];
  verify_url: string;
  sd_jwt: string;
  signing: SigningPair;
}

const TITLE = 'Payment reliability credential';
const ATTACHED = { name: 'credential.sd-jwt', type: 'application/dc+sd-jwt', relationship: 'Data' };

/** The service calls this function in a thread, because drawing takes tens of milliseconds. */
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

function nameOf({ subject }: X509Certificate): string {
  return /^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ');
}
