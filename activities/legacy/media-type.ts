import { DomainError } from '../../domain/errors.ts';
import type { MediaType } from '../../infra/db/entities/legacy.ts';
import { fileIn } from '../../infra/documents/kind.ts';

const TAKEN: readonly MediaType[] = ['application/pdf', 'image/jpeg', 'image/png'];
const HEIF = /^image\/hei[cf]/;

const OTHER_TYPE =
  'The file is not a PDF, JPEG or PNG file. Save the document in one of these formats, and send the new file.';
const CONVERT_HEIC =
  'The file is a HEIC or HEIF photo, which the service cannot read. Export the photo as JPEG, and send the JPEG file. To take JPEG photos with an iPhone, choose Settings, Camera, Formats, Most Compatible.';

export async function mediaTypeOf(bytes: Uint8Array): Promise<MediaType> {
  if (bytes.length === 0)
    throw new DomainError(
      'empty-file',
      'The uploaded file is empty. Check the original file. If it is also empty, scan or export the document again. Then send the file again.',
    );
  const { type: found } = await fileIn(bytes);
  const type = TAKEN.find((taken) => taken === found);
  if (type !== undefined) return type;
  throw new DomainError('unsupported-document-type', HEIF.test(found ?? '') ? CONVERT_HEIC : OTHER_TYPE);
}
