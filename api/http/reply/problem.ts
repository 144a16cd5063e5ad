import type { ErrorCode } from '../../../domain/errors.ts';
import { ACCESS_PROBLEMS } from './problems/access.ts';
import { BANK_PROBLEMS } from './problems/bank.ts';
import { CREDENTIAL_PROBLEMS } from './problems/credential.ts';
import { DOCUMENT_PROBLEMS } from './problems/documents.ts';
import { MONEY_PROBLEMS } from './problems/money.ts';
import { PAYMENT_PROBLEMS } from './problems/payments.ts';
import type { ProblemKind } from './problems/kind.ts';
import { REQUEST_PROBLEMS } from './problems/request.ts';

export const PROBLEMS: Readonly<Record<ErrorCode, ProblemKind>> = {
  ...REQUEST_PROBLEMS,
  ...ACCESS_PROBLEMS,
  ...MONEY_PROBLEMS,
  ...PAYMENT_PROBLEMS,
  ...BANK_PROBLEMS,
  ...CREDENTIAL_PROBLEMS,
  ...DOCUMENT_PROBLEMS,
};
