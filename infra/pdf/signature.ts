import { SignPdf } from '@signpdf/signpdf';
import { DEFAULT_BYTE_RANGE_PLACEHOLDER, Signer, SIG_FLAGS, SUBFILTER_ETSI_CADES_DETACHED } from '@signpdf/utils';
import { signDetached, type SigningPair } from './cms.ts';
import type { Document, Element } from './document.ts';

/** Room for a chain of certificates: bytes beside those of the certificates themselves. */
const ROOM = 2_048;

/** What readers' programs say of the signature. */
export interface SignatureWords {
  name: string;
  reason: string;
}

/** Where on the page it can be clicked: from the top left, in points. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Adds a field for a signature and leaves room in it, of the size that `signing` needs. It shows nothing by itself: what is drawn
 * in the box stays visible.
 */
export function addSignatureField(
  document: Document,
  { words, box, signing, parent }: { words: SignatureWords; box: Box; signing: SigningPair; parent: Element },
): void {
  const value = document.ref({
    Type: 'Sig',
    Filter: 'Adobe.PPKLite',
    SubFilter: SUBFILTER_ETSI_CADES_DETACHED,
    // The four numbers are filled in by SignPdf, which looks for them in this form, and for the contents behind them.
    ByteRange: [0, ...Array<string>(3).fill(DEFAULT_BYTE_RANGE_PLACEHOLDER)],
    Contents: Buffer.alloc(signing.certificate.length + ROOM),
    M: new Date(),
    Name: new String(words.name),
    Reason: new String(words.reason),
  });
  value.end();
  document.initForm();
  const { data: form } = document._root.data.AcroForm!;
  // Readers that draw fields anew would change what was signed.
  delete form.NeedAppearances;
  form.SigFlags = SIG_FLAGS.SIGNATURES_EXIST | SIG_FLAGS.APPEND_ONLY;
  const look = document.ref({ Type: 'XObject', Subtype: 'Form', BBox: [0, 0, box.width, box.height], Resources: {} });
  // Without any content it would be no stream.
  look.end('q Q');
  document.annotate(box.x, box.y, box.width, box.height, {
    Subtype: 'Widget',
    FT: 'Sig',
    T: new String('Signature'),
    TU: new String(words.reason),
    V: value,
    F: PRINT | LOCKED,
    P: document.page.dictionary,
    AP: { N: look },
    structParent: parent,
  });
  form.Fields.push(document.page.annotations.at(-1));
}

/** Bits of an annotation's flags. */
const PRINT = 4;
const LOCKED = 128;

/** Fills the room of the field: everything else in the file is signed. */
export async function sign(pdf: Buffer, signing: SigningPair): Promise<Buffer> {
  class Cades extends Signer {
    override sign(bytes: Buffer): Promise<Buffer> {
      return signDetached(bytes, signing);
    }
  }
  return new SignPdf().sign(pdf, new Cades());
}
