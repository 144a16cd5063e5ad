import type { ProblemKind } from '../problem.ts';

/** Refusals of what moves money. */
export const MONEY_PROBLEMS = {
  'obligations-exceed-income': {
    status: 422,
    title: 'The obligations are larger than the income',
    explanation: 'The obligations add up to more than gross_pay; shortfall tells by how much, in pence.',
    whatToDo: 'Lower or leave out obligations until they fit the income.',
  },
  'paycheck-already-committed': {
    status: 409,
    title: 'Money of this paycheck is spent already',
    explanation:
      'The revision would leave less than what is allocated or paid from this paycheck: committed, by shortfall pence.',
    whatToDo: 'Withdraw allocations first, or revise to an amount that still covers them.',
  },
  'paycheck-already-accrued': {
    status: 409,
    title: 'Money of this paycheck has earned interest',
    explanation:
      'Interest was posted for a day since the paycheck was first calculated, so it cannot become smaller than gross_income, in pence.',
    whatToDo: 'Keep the income at that or more. Correct a mistake with the next paycheck.',
  },
  'paycheck-asserted': {
    status: 409,
    title: 'This paycheck was asserted',
    explanation: 'A key with the scope assert:income calculated this paycheck. Only such a key revises it.',
    whatToDo: 'Ask whoever runs the payroll to calculate it again.',
  },
  'pay-date-too-far': {
    status: 422,
    title: 'The pay date is too far ahead',
    explanation: 'A paycheck is dated at most 31 days ahead: latest.',
    whatToDo: 'Calculate the paycheck nearer to its date.',
  },
  'exceeds-income-limit': {
    status: 422,
    title: 'More income than the key may assert',
    explanation:
      'The key may assert limit pence in a calendar month: for this owner where scope is owner, for all owners where it is month. It asserted asserted pence so far.',
    whatToDo: 'Check the amount. If it is right, ask the operator for a key with higher limits.',
  },
  'exceeds-safe-to-spend': {
    status: 422,
    title: 'More than is safe to spend',
    explanation: 'The amount is larger than what is safe to spend now, safe_to_spend_available in pence.',
    whatToDo: 'Allocate at most that, or withdraw from another vault first.',
  },
  'insufficient-vault-balance': {
    status: 422,
    title: 'The vault holds less',
    explanation: 'The amount is larger than what the vault, or the named allocation, holds: available, in pence.',
    whatToDo: 'Take at most that.',
  },
  'same-vault': {
    status: 422,
    title: 'Both vaults are the same',
    explanation: 'A transfer goes from one vault to another.',
    whatToDo: 'Name two vaults.',
  },
  'unknown-vault': {
    status: 422,
    title: 'The owner has no such vault',
    explanation: 'The request names a vault that the owner does not have.',
    whatToDo: 'List the vaults of the owner and use an id from there.',
  },
  'unknown-allocation': {
    status: 422,
    title: 'There is no such allocation',
    explanation: 'The request names an allocation that does not exist for this owner or vault.',
    whatToDo: 'Use the id that allocating, or the paycheck, gave.',
  },
  'balance-limit': {
    status: 422,
    title: 'The balance would grow too large',
    explanation: 'An owner holds at most as many pence as can be told exactly.',
    whatToDo: 'Spread the money over several owners.',
  },
  'income-not-evidenced': {
    status: 422,
    title: 'The income is not evidenced',
    explanation:
      'In production only asserted income pays bills. evidenced pence are, spent pence are paid or on their way, and shortfall pence are missing.',
    whatToDo: 'Ask whoever runs the payroll to calculate the paychecks with a key that may assert incomes.',
  },
  'exceeds-payment-limit': {
    status: 422,
    title: 'The payment exceeds a limit',
    explanation:
      'The operator limits each payment, and what an owner pays in a day in London. The limit is limit pence. Today the owner asked for used pence, and available pence are left.',
    whatToDo: 'Pay at most what is available, or wait for the next day. The operator can raise the limit.',
  },
  'insufficient-allocation': {
    status: 422,
    title: 'The allocation holds less',
    explanation: 'The payment is larger than what is left of the allocation: available, in pence.',
    whatToDo: 'Pay at most that, or allocate more first.',
  },
  'unknown-provider': {
    status: 422,
    title: 'There is no such provider',
    explanation: 'The request names a payee that was not added.',
    whatToDo: 'Add the provider first, or list the providers and use an id from there.',
  },
  'unsupported-currency': {
    status: 422,
    title: 'The currency is not supported',
    explanation: 'Payments are made in pounds sterling only.',
    whatToDo: 'Use GBP.',
  },
  'execution-date-out-of-range': {
    status: 422,
    title: 'The execution date is out of range',
    explanation: 'A payment can be set for today or for a date up to 365 days ahead.',
    whatToDo: 'Choose a date in that range, or leave execute_on out to pay now.',
  },
  'payment-not-failed': {
    status: 409,
    title: 'The payment has not failed',
    explanation: 'Only a failed payment can be tried again.',
    whatToDo: 'Read the payment. Nothing needs to be done where it is processing or completed.',
  },
  'payment-not-retryable': {
    status: 409,
    title: 'The payment must not be tried again',
    explanation:
      'The bank rejected it for a reason that will not change, such as a closed account. With attention, the bank reports that it paid an earlier attempt.',
    whatToDo:
      'Read failure, mend the cause, and execute a new payment. With attention, wait until the operator has settled it.',
  },
  'payment-attempts-exhausted': {
    status: 409,
    title: 'The payment was tried too often',
    explanation: 'A payment is tried 10 times at most.',
    whatToDo: 'Find out why it fails, and execute a new payment.',
  },
  'payment-not-pending': {
    status: 409,
    title: 'The payment is not pending',
    explanation: 'Only a pending payment can be cancelled: the bank may have accepted any other.',
    whatToDo: 'Read the payment to see how it stands.',
  },
  'payment-not-unknown': {
    status: 409,
    title: 'The outcome of the payment is known',
    explanation: 'Only a payment that the bank blocked, or of which it does not tell the outcome, is settled by hand.',
    whatToDo: 'Read the payment to see how it stands.',
  },
  'budget-below-minimums': {
    status: 422,
    title: 'The budget does not cover the minimum payments',
    explanation:
      'monthly_budget is less than the minimum payments of all debts together: required, in pence a month, by shortfall.',
    whatToDo: 'Raise the budget by the shortfall, or agree lower minimums with the lenders.',
  },
  'debt-never-repaid': {
    status: 422,
    title: 'The debts are never repaid',
    explanation: 'With this budget something is still owed after 1,200 months; the interest eats up the payments.',
    whatToDo: 'Raise monthly_budget. Free debt advice: www.moneyhelper.org.uk.',
  },
  'unknown-debt': {
    status: 422,
    title: 'The plan has no such debt',
    explanation: 'The request names a debt that is not one of the plan. Names count to the letter.',
    whatToDo: 'Read the plan and use a name from there; a debt that is new needs a new plan.',
  },
  'debt-plan-full': {
    status: 409,
    title: 'The plan has no room for more',
    explanation: 'A plan can be changed 500 times and have 5,000 recorded payments; limit tells which is reached.',
    whatToDo: 'Make a new plan with the balances of today.',
  },
  'already-counted': {
    status: 409,
    title: 'The payment counts by itself',
    explanation:
      "A payment of the same amount to the debt's provider, payment_id, completed through this service within three days of paid_on.",
    whatToDo: 'Record nothing where it is that payment. Send separate as true where it is another one.',
  },
  'precondition-failed': {
    status: 412,
    title: 'It was changed meanwhile',
    explanation: 'If-Match names another revision than the present one, which revision tells. Nothing was changed.',
    whatToDo: 'Read it again, see whether the change is still wanted, and send it with the ETag that it has now.',
  },
  'no-income-on-record': {
    status: 422,
    title: 'There is no income on record',
    explanation: 'What somebody can afford is judged by their paychecks, and this owner has none yet.',
    whatToDo: 'Calculate a paycheck of the owner first.',
  },
  'clock-not-forward': {
    status: 422,
    title: 'The clock goes forward only',
    explanation: "The move would not take the sandbox's clock forward; now tells what it shows.",
    whatToDo: 'Advance by a duration above nothing, or name an instant that is still to come.',
  },
  'clock-too-far': {
    status: 422,
    title: 'The move is too far',
    explanation: "The sandbox's clock moves by ten years at a time and never beyond the year 2100: to latest at most.",
    whatToDo: 'Move it by less, several times where need be.',
  },
} as const satisfies Record<string, ProblemKind>;
