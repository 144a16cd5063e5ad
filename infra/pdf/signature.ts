import { SignPdf } from '@signpdf/signpdf';
import { DEFAULT_BYTE_RANGE_PLACEHOLDER, Signer, SIG_FLAGS, SUBFILTER_ETSI_CADES_DETACHED } from '@signpdf/utils';
import { signDetached, type SigningPair } from './cms.ts';
import type { Box, Document, Element } from './document.ts';

/** Bytes to reserve for the signature, in addition to its certificates. */
const RESERVED_BYTES = 2_048;
const REASON = 'Issued as a payment reliability credential';

/** Adds an invisible field with space for a signature by `signing`. */
export function addSignatureField(
  document: Document,
  { signer, box, signing, parent }: { signer: string; box: Box; signing: SigningPair; parent: Element },
): void {
  const value = document.ref({
    Type: 'Sig',
    Filter: 'Adobe.PPKLite',
    SubFilter: SUBFILTER_ETSI_CADES_DETACHED,
    // SignPdf replaces this placeholder with the numbers.
    ByteRange: [0, ...Array<string>(3).fill(DEFAULT_BYTE_RANGE_PLACEHOLDER)],
    Contents: Buffer.alloc(signing.certificate.length + RESERVED_BYTES),
    M: new Date(),
    Name: new String(signer),
    Reason: new String(REASON),
  });
  value.end();
  document.initForm();
  const { data: form } = document._root.data.AcroForm!;
  // NeedAppearances makes PDF readers redraw fields, which changes the signed file.
  delete form.NeedAppearances;
  form.SigFlags = SIG_FLAGS.SIGNATURES_EXIST | SIG_FLAGS.APPEND_ONLY;
  const look = document.ref({ Type: 'XObject', Subtype: 'Form', BBox: [0, 0, box.width, box.height], Resources: {} });
  // pdfkit writes a stream only if the stream has content.
  look.end('q Q');
  document.annotate(box.x, box.y, box.width, box.height, {
    Subtype: 'Widget',
    FT: 'Sig',
    T: new String('Signature'),
    TU: new String(REASON),
    V: value,
    F: PRINT | LOCKED,
    P: document.page.dictionary,
    AP: { N: look },
    structParent: parent,
  });
  form.Fields.push(document.page.annotations.at(-1));
}

/** Flag bits of a PDF annotation. */
const PRINT = 4;
const LOCKED = 128;

/** Signs the whole file except for the space in the signature field. */
export async function sign(pdf: Buffer, signing: SigningPair): Promise<Buffer> {
  class Cades extends Signer {
    override sign(bytes: Buffer): Promise<Buffer> {
      return signDetached(bytes, signing);
    }
  }
  return new SignPdf().sign(pdf, new Cades());
}
