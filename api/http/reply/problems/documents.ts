import type { ProblemKind } from './kind.ts';

export const DOCUMENT_PROBLEMS = {
  'malformed-multipart': {
    status: 400,
    title: 'The body is not a valid multipart form',
    explanation:
      'The Content-Type header is multipart/form-data (RFC 7578) but has no valid boundary. Or the body is incomplete, or is not divided into valid parts.',
    whatToDo:
      'Use an HTTP library to write the form. Do not set the Content-Type header yourself, because its boundary must match the body.',
  },
  'file-too-large': {
    status: 413,
    title: 'The file is too large',
    explanation:
      'The file is larger than this operation accepts. The field "limit" gives the largest allowed size in bytes.',
    whatToDo: 'Send a smaller scan or photo. A greyscale scan of 200 dots per inch is enough.',
  },
  'empty-file': {
    status: 422,
    title: 'The file is empty',
    explanation: 'The file contains no bytes.',
    whatToDo:
      'Check the original file. If it is also empty, scan or export the document again. Then send the file again.',
  },
  'too-many-documents': {
    status: 429,
    title: 'Too many documents',
    explanation:
      'Too many documents of this owner or application are being read, or were sent within the last 24 hours. The field "per" says which limit was reached, and the field "limit" gives its value. The values of "per" are owner-in-progress, owner-day, application-in-progress and application-day. If the owner already has a document with this file, the file does not count again.',
    whatToDo: 'Wait for the number of seconds in the Retry-After header, then send the same file again.',
  },
  'unsupported-document-type': {
    status: 415,
    title: 'The file type is not supported',
    explanation:
      'A payslip, P60 or P45 must be a JPEG, PNG or PDF file. The service looks at the content of the file. The file name and the Content-Type of the file do not matter.',
    whatToDo:
      'Save the document as a PDF, JPEG or PNG file and send that file. Export a HEIC or HEIF photo as JPEG first. To take JPEG photos with an iPhone, choose Settings, Camera, Formats, Most Compatible.',
  },
  'document-erased': {
    status: 410,
    title: 'The document was erased',
    explanation:
      'The document, the data that was read from it, and their encryption key were destroyed. Nobody can read them again.',
    whatToDo: 'If you still need the document, upload the file again.',
  },
  'document-not-parsed': {
    status: 409,
    title: 'The service has not read the document',
    explanation:
      'The service can use the figures of a document only when its status is parsed. The field "document_status" gives the current status of the document.',
    whatToDo:
      'If document_status is processing, get the document with the header Prefer: wait=20 until its status changes. If document_status is failed, read the reason in the field "failure" of the document, and send the amount as gross_pay instead.',
  },
  'document-confidence-too-low': {
    status: 422,
    title: 'The document was not read with enough confidence',
    explanation:
      'The service takes the income from a document only if the confidence of the net pay is high enough. The field "required" gives the lowest accepted confidence, and "confidence" gives the confidence of this document. The field net_pay gives the net pay that was read, or null if none was found. The confidence is 0 if no net pay was found. It is also 0 for a payroll register, a file with several payslips, and a specimen. The field review_reasons of the document then names the reason.',
    whatToDo: 'Look at the document, and send its net pay as gross_pay instead of payslip_doc_id.',
  },
} as const satisfies Record<string, ProblemKind>;
