import type { ProblemKind } from '../problem.ts';

/** Refusals of uploads, and of what was read from them. */
export const DOCUMENT_PROBLEMS = {
  'malformed-multipart': {
    status: 400,
    title: 'The body is not a form with files',
    explanation:
      'The body is said to be multipart/form-data (RFC 7578), but has no boundary, breaks off, or is not divided as it should be.',
    whatToDo: 'Let a library write the form; do not set the Content-Type by hand, as its boundary must fit the body.',
  },
  'file-too-large': {
    status: 413,
    title: 'The file is too large',
    explanation: 'The file is larger than what is taken here: limit, in bytes.',
    whatToDo: 'Send a smaller scan or photo: 200 dots per inch in grey are plenty.',
  },
  'empty-file': {
    status: 422,
    title: 'The file is empty',
    explanation: 'The file has no bytes.',
    whatToDo: 'Choose the file again and send it.',
  },
  'too-many-documents': {
    status: 429,
    title: 'Too many documents',
    explanation:
      'So many documents of this owner, or of this application, are being read or came within 24 hours: limit. per tells which: owner-in-progress, owner-day, application-in-progress or application-day. A file that was sent before does not count.',
    whatToDo: 'Wait for as many seconds as Retry-After says, then send the same file again.',
  },
  'unsupported-document-type': {
    status: 415,
    title: 'The file is of the wrong type',
    explanation:
      'Payslips, P60s and P45s are taken as JPEG, PNG or PDF. What a file is, is told by its content; its name and the type that was sent with it make no difference.',
    whatToDo: 'Save it as PDF, JPEG or PNG and send that.',
  },
  'document-erased': {
    status: 410,
    title: 'The document was erased',
    explanation: 'The document, what was read from it and their key were destroyed; nobody can read them again.',
    whatToDo: 'Upload the file again where it is still needed.',
  },
  'document-not-parsed': {
    status: 409,
    title: 'The document has not been read',
    explanation: 'Only the figures of a document with the status parsed can be used; status tells how it stands.',
    whatToDo:
      'While it is processing, wait: GET it with Prefer: wait=20. Where it failed, see failure, or give the figure yourself.',
  },
  'document-confidence-too-low': {
    status: 422,
    title: 'The document was not read surely enough',
    explanation:
      'Money is moved only by figures whose confidence is at least required; confidence tells what it is, and net_pay what was read, null where no net pay was found.',
    whatToDo: 'Look at the document, and send the right figure as gross_pay instead of payslip_doc_id.',
  },
} as const satisfies Record<string, ProblemKind>;
