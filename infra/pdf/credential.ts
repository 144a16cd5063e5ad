import type { X509Certificate } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { certificatesOf } from './cms.ts';
import { newDocument } from './document.ts';
import { drawPage } from './page.ts';
import type { CredentialPdfInput } from './sheet.ts';
import { addSignatureField, sign } from './signature.ts';

/** The service calls this function in a thread, because drawing takes tens of milliseconds. */
export async function renderCredentialPdf(input: CredentialPdfInput): Promise<Uint8Array> {
  const signer = nameOf(certificatesOf(input.signing.certificate)[0]!);
  const document = newDocument('Payment reliability credential');
  const { parent, ...box } = drawPage(document, input, signer);
  const now = new Date();
  document.file(Buffer.from(input.sd_jwt), {
    name: 'credential.sd-jwt',
    type: 'application/dc+sd-jwt',
    relationship: 'Data',
    description: 'The credential as SD-JWT, for programs to verify',
    creationDate: now,
    modifiedDate: now,
  });
  addSignatureField(document, { signer, box, signing: input.signing, parent });
  document.end();
  return sign(await buffer(document), input.signing);
}

function nameOf({ subject }: X509Certificate): string {
  return /^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ');
}
