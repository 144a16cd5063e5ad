import type { ProblemKind } from './kind.ts';

export const PAYMENT_PROBLEMS = {
  'income-not-evidenced': {
    status: 422,
    title: 'There is not enough asserted income',
    explanation:
      'In production, income that was not asserted cannot pay bills. The field "evidenced" gives the asserted income (and the interest, if all income on record was asserted), "spent" gives the total of the pending, processing and completed payments, and "shortfall" gives the missing amount, all in pence.',
    whatToDo:
      'Ask the person who runs the payroll to calculate the paychecks with an API key that has the scope assert:income.',
  },
  'exceeds-payment-limit': {
    status: 422,
    title: 'The payment exceeds a limit',
    explanation:
      'The operator limits the amount of each payment, the total that an owner can pay in one day in London, and how many payments of an owner, of a person’s clients and API keys together, and of an application go out on a day. The field "limit_kind" says which limit was reached, and "limit" gives that limit. For the daily limit, "used" gives the total of the payments and retries that were requested for the owner today, without failed and cancelled ones. The field "available" gives the largest amount that is still allowed. All three are in pence. For a limit of how many payments, "used" is their number so far, and "available" is absent.',
    whatToDo:
      'Pay at most the amount in "available". If a limit of the day was reached, wait until the next day in London. The operator can raise all limits.',
  },
  'exceeds-consent-limit': {
    status: 422,
    title: 'The payment exceeds what the person allowed at the bank',
    explanation:
      'A connection that pays has a limit for one payment, and one for a month. The month begins on the day of the month on which the connection began. Payments that are scheduled count in their month; rejected and blocked ones do not count. The field "limit" gives the limit that was reached, "used" what the other payments of the month use of it, and "available" what is left. All three are in pence.',
    whatToDo:
      'Pay at most the amount in "available", or wait for the next month of the connection. For higher limits, make another connection to this payee, and have the person authorise it.',
  },
  'insufficient-allocation': {
    status: 422,
    title: 'The allocation does not hold enough money',
    explanation:
      'The payment is larger than the amount that is left in the allocation. The field "available" gives that amount in pence.',
    whatToDo: 'Pay at most the amount in "available", or make a new allocation that is large enough.',
  },
  'unknown-provider': {
    status: 422,
    title: 'No provider has this id',
    explanation:
      'No provider has the id in the request, or the provider was removed or belongs to somebody else. A provider is the payee of a bill.',
    whatToDo: 'Add the provider first, or list the providers and use an id from that list.',
  },
  'payee-in-use': {
    status: 409,
    title: 'A payment to the payee is under way',
    explanation:
      'A payee cannot be removed while a payment to it is pending or processing. It cannot be renamed at the moment in which a payment to it might be at the bank without a clear response.',
    whatToDo: 'Cancel the pending payments, or wait until the payments end. To rename, try again in a moment.',
  },
  'payee-may-be-own': {
    status: 422,
    title: 'The payee’s account may be the person’s own',
    explanation:
      'A connection to a bank has read this account for the person, or has paid from it. Nobody can vouch for such a payee, because payments to oneself prove nothing.',
    whatToDo: 'Nothing needs to be done. The payee can be paid, but its payments do not count in credentials.',
  },
  'payee-unconfirmed': {
    status: 409,
    title: 'The payee must be confirmed',
    explanation:
      'The service was restored from a backup, and nobody knows whether this payee was removed since then. Until somebody confirms the payee, no payment is sent to it.',
    whatToDo:
      'If the payee is still right, the person confirms it: send its present name with PATCH to its address. An operator confirms the payees of applications.',
  },
  'unsupported-currency': {
    status: 422,
    title: 'The currency is not supported',
    explanation: 'Payments must be in pounds sterling.',
    whatToDo: 'Set currency to GBP.',
  },
  'execution-date-out-of-range': {
    status: 422,
    title: 'The execution date is out of range',
    explanation: 'A payment can be scheduled for today or for a date up to 365 days ahead.',
    whatToDo: 'Choose a date in that range, or leave out execute_on to pay now.',
  },
  'payment-not-failed': {
    status: 409,
    title: 'The payment has not failed',
    explanation: 'Only a failed payment can be retried.',
    whatToDo: 'Get the payment to see its status. If the status is processing or completed, you need not do anything.',
  },
  'payment-not-retryable': {
    status: 409,
    title: 'The payment cannot be retried',
    explanation:
      'The payment failed for a reason that will not change, such as a closed account or a removed payee. Or, if the field "attention" is true, the bank reports that it already paid an attempt of this payment.',
    whatToDo:
      'If "attention" is true, wait until an operator has resolved the payment with the bank. Otherwise get the payment, read the reason in its field "failure", correct the cause, and make a new payment.',
  },
  'payment-attempts-exhausted': {
    status: 409,
    title: 'The payment was attempted too many times',
    explanation: 'A payment can be attempted at most 10 times.',
    whatToDo: 'Find out why the payment fails, and make a new payment.',
  },
  'payment-not-pending': {
    status: 409,
    title: 'The payment is not pending',
    explanation:
      'Only a pending payment can be cancelled. If the status is different, the bank might already have accepted the payment.',
    whatToDo: 'Get the payment to see its status.',
  },
  'payment-in-doubt': {
    status: 409,
    title: 'Nobody knows yet whether the payment was sent',
    explanation:
      'The service was restored from a backup that is older than the payment’s last step. An operator looks for the payment in the bank’s statement.',
    whatToDo: 'Wait until the operator has settled the payment. Do not pay the bill again.',
  },
  'payment-not-unknown': {
    status: 409,
    title: 'An operator cannot settle this payment',
    explanation: 'An operator can settle a payment only if the bank has blocked it, or if its outcome is unknown.',
    whatToDo: 'Get the payment to see its status.',
  },
} as const satisfies Record<string, ProblemKind>;
