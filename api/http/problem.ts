import type { ErrorCode } from '../../domain/errors.ts';
import { ACCESS_PROBLEMS } from './problems/access.ts';
import { CREDENTIAL_PROBLEMS } from './problems/credential.ts';
import { DOCUMENT_PROBLEMS } from './problems/documents.ts';
import { MONEY_PROBLEMS } from './problems/money.ts';
import { REQUEST_PROBLEMS } from './problems/request.ts';

/** The HTTP status of an error code, and the text of its documentation page. */
export interface ProblemKind {
  status: number;
  title: string;
  /** Says when the service sends this error. */
  explanation: string;
  whatToDo: string;
}

/** Every error code. The compiler reports a code without an entry. */
export const PROBLEMS: Readonly<Record<ErrorCode, ProblemKind>> = {
  ...REQUEST_PROBLEMS,
  ...ACCESS_PROBLEMS,
  ...MONEY_PROBLEMS,
  ...CREDENTIAL_PROBLEMS,
  ...DOCUMENT_PROBLEMS,
};
