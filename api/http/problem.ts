import type { ErrorCode } from '../../domain/errors.ts';
import { ACCESS_PROBLEMS } from './problems/access.ts';
import { CREDENTIAL_PROBLEMS } from './problems/credential.ts';
import { DOCUMENT_PROBLEMS } from './problems/documents.ts';
import { MONEY_PROBLEMS } from './problems/money.ts';
import { REQUEST_PROBLEMS } from './problems/request.ts';

/** What a code means to HTTP, and to the person who reads its page. */
export interface ProblemKind {
  status: number;
  title: string;
  /** When it is answered. */
  explanation: string;
  whatToDo: string;
}

/** Every refusal there is. A code without a row does not compile. */
export const PROBLEMS: Readonly<Record<ErrorCode, ProblemKind>> = {
  ...REQUEST_PROBLEMS,
  ...ACCESS_PROBLEMS,
  ...MONEY_PROBLEMS,
  ...CREDENTIAL_PROBLEMS,
  ...DOCUMENT_PROBLEMS,
};
