import type { ProblemKind } from './kind.ts';

export const MONEY_PROBLEMS = {
  'obligations-exceed-income': {
    status: 422,
    title: 'The obligations are larger than the income',
    explanation:
      'The sum of the obligations is more than the income. The field "shortfall" gives the difference in pence.',
    whatToDo: 'Reduce or remove obligations until their sum is at most the income.',
  },
  'paycheck-already-committed': {
    status: 409,
    title: 'Money from this paycheck has already been used',
    explanation:
      'A part of the paycheck (an obligation, the buffer, or the money that is safe to spend) would become smaller than the money that was already taken from it. In production, the owner’s payments might also need the asserted income that the revision takes away. The field "committed" gives the money already used, and "shortfall" gives the missing amount, both in pence.',
    whatToDo:
      'Withdraw money from the vaults or cancel pending payments first, or send an income and obligations that cover the money already used.',
  },
  'paycheck-already-accrued': {
    status: 409,
    title: 'Money from this paycheck has earned interest',
    explanation:
      'Interest was posted for the day on which the paycheck was first calculated, or for a later day. Or an interest-earning vault of the owner has held more money on a night since then than before, so new money has earned interest that is not posted yet. Or an allocation of this paycheck has been in such a vault on a night. So the new income must not be less than the current income. The field gross_income gives the current income in pence.',
    whatToDo:
      'Send an income of at least gross_income. If the current income is too high, correct it in the next paycheck.',
  },
  'paycheck-asserted': {
    status: 409,
    title: 'Only a payroll API key can change this paycheck',
    explanation:
      'An API key with the scope assert:income calculated this paycheck. Only an API key with that scope can change it.',
    whatToDo: 'Ask the person who runs the payroll to calculate the paycheck again.',
  },
  'wage-below-paycheck': {
    status: 409,
    title: 'The wage is smaller than the paycheck',
    explanation:
      'A paycheck of this day exists, with a higher income. Only a wage that the person named while signed in to this service makes a paycheck smaller. The field "gross_income" gives the income of the paycheck in pence.',
    whatToDo:
      'Send the person to the page of this service on which they name the credit as their wage, then calculate again.',
  },
  'wage-not-confirmed': {
    status: 409,
    title: 'The wage is not confirmed',
    explanation:
      'Only a confirmed wage can be calculated. The field "wage_status" says whether this one is only suggested, or was reversed.',
    whatToDo: 'If the credit is a wage, name it with POST /api/v1/bank/wages, then calculate again.',
  },
  'wage-already-calculated': {
    status: 409,
    title: 'The wage has its paycheck already',
    explanation: 'A wage is income once. The field "calculation_id" gives the paycheck that was calculated from it.',
    whatToDo: 'Use the paycheck in "calculation_id".',
  },
  'unknown-entry': {
    status: 422,
    title: 'The standing split has no entry with this id',
    explanation:
      'An entry_id names an entry that the standing split has now. An entry that was left out of a change is dropped, and its id does not come back.',
    whatToDo: 'Read the standing split again. To add an entry, leave out its entry_id.',
  },
  'pay-date-too-far': {
    status: 422,
    title: 'The pay date is too far ahead',
    explanation: 'The pay date can be at most 31 days ahead. The field "latest" gives the latest allowed date.',
    whatToDo: 'Send an earlier pay date, or calculate the paycheck later.',
  },
  'exceeds-income-limit': {
    status: 422,
    title: 'The income exceeds the limit of the API key',
    explanation:
      'The income that an API key can assert in a calendar month is limited. The field "limit" gives the limit that was reached, and "asserted" gives the income asserted so far this month, both in pence. The field "scope" is owner if the limit is for this owner, or month if the limit is for all owners together.',
    whatToDo: 'Check the amount. If it is right, ask the operator for an API key with higher limits.',
  },
  'exceeds-safe-to-spend': {
    status: 422,
    title: 'The amount is more than is safe to spend',
    explanation:
      'The amount is larger than the money that is safe to spend now. The field safe_to_spend_available gives the amount that is safe to spend, in pence.',
    whatToDo: 'Allocate at most safe_to_spend_available, or withdraw money from a vault first.',
  },
  'insufficient-vault-balance': {
    status: 422,
    title: 'The vault does not hold enough money',
    explanation:
      'The amount is larger than the balance of the vault or the named allocation. The field "available" gives the balance in pence.',
    whatToDo: 'Use an amount that is not larger than "available".',
  },
  'same-vault': {
    status: 422,
    title: 'Both vaults are the same',
    explanation: 'A transfer must go from one vault to a different vault.',
    whatToDo: 'Name two different vaults.',
  },
  'unknown-vault': {
    status: 422,
    title: 'The owner has no vault with this id',
    explanation: 'This owner has no vault with the id in the request.',
    whatToDo: 'List the vaults of the owner, and use an id from that list.',
  },
  'label-taken': {
    status: 409,
    title: 'Another vault has this label',
    explanation:
      'Another open vault of the owner has the same type and label. The field vault_id gives its id. Nothing was changed.',
    whatToDo: 'Choose a different label. Or move the money to the other vault, and close this one.',
  },
  'vault-closed': {
    status: 409,
    title: 'The vault is closed',
    explanation:
      'A closed vault cannot be renamed, and neither a transfer nor a revised paycheck puts money into it. Its history stays.',
    whatToDo:
      'Use an open vault. If you allocate money to the label of the closed vault, the service opens a new vault.',
  },
  'vault-not-empty': {
    status: 409,
    title: 'The vault is not empty',
    explanation:
      'Only a vault without money can be closed. The field "balance" gives the money in the vault. The field "in_flight" gives the money that pending and processing payments took from the vault, which comes back if they fail. The field "unposted" gives the interest that the vault has earned and that is not posted yet. All three are in pence.',
    whatToDo:
      'Withdraw or transfer the balance. Wait until the payments end, or cancel the pending ones. Interest is posted on the first day of each month.',
  },
  'unknown-allocation': {
    status: 422,
    title: 'The owner or vault has no allocation with this id',
    explanation: 'This owner or vault has no allocation with the id in the request.',
    whatToDo:
      'Use the allocation id from the response that allocated or transferred the money, or that calculated the paycheck.',
  },
  'balance-limit': {
    status: 422,
    title: 'The balance would be too large',
    explanation:
      'With this amount, the income or interest that the owner has received in total would be too large for the service to represent exactly. The field "limit" gives the largest total in pence.',
    whatToDo: 'Check the amount. If it is right, use a different owner for the money.',
  },
  'too-many-vaults': {
    status: 422,
    title: 'The owner cannot have more vaults',
    explanation:
      'An owner can have a limited number of open vaults, and a limited number in all. The request would make a vault beyond one of these limits. The field "limit" gives the limit.',
    whatToDo:
      'List the vaults of the owner, and use the type and label of an existing vault. Or close an empty vault, or give it a new label. For a paycheck, use the same obligation types each time.',
  },
  'too-many-allocations': {
    status: 422,
    title: 'The money is in too many allocations',
    explanation:
      'One request can take money from a limited number of allocations. The field "limit" gives that number. The field "available" gives the amount, in pence, that one request can take now.',
    whatToDo: 'Send a request for at most the amount in "available". Then send further requests for the rest.',
  },
  'budget-below-minimums': {
    status: 422,
    title: 'The budget does not cover the minimum payments',
    explanation:
      'The monthly_budget is less than the minimum payments of all debts together. The field "required" gives the sum of the minimum payments, and "shortfall" gives the missing amount, both in pence a month.',
    whatToDo: 'Raise monthly_budget by the shortfall, or agree lower minimum payments with the lenders.',
  },
  'debt-never-repaid': {
    status: 422,
    title: 'The debts are never repaid',
    explanation: 'With this budget, something is still owed after 1,200 months.',
    whatToDo: 'Raise monthly_budget. For free debt advice, see www.moneyhelper.org.uk.',
  },
  'unknown-debt': {
    status: 422,
    title: 'The plan has no debt with this name',
    explanation: 'The request names a debt that is not in the plan. The name must match exactly.',
    whatToDo: 'Get the plan, and use a name from the plan. To add a debt, make a new plan.',
  },
  'debt-plan-full': {
    status: 409,
    title: 'The plan cannot have more revisions or payments',
    explanation:
      'A plan can have at most 500 revisions, including the first, and 5,000 recorded payments. The field "limit" gives the limit that was reached.',
    whatToDo: 'Make a new plan with the current balances.',
  },
  'debt-plan-busy': {
    status: 409,
    title: 'Too many changes of this plan are under way',
    explanation: 'The changes of a plan are made one after another, and too many are waiting. Nothing was changed.',
    whatToDo:
      'Wait for the number of seconds in the Retry-After header, then send the same request again. Put several changes into one request.',
  },
  'too-many-debt-plans': {
    status: 422,
    title: 'The owner cannot have more debt plans',
    explanation:
      'An owner can have a limited number of debt plans that are not closed, and a limited number in all. Completed plans count too. The field "limit" gives the limit that was reached.',
    whatToDo: 'Close a plan that the owner no longer needs, or change an existing plan.',
  },
  'plan-closed': {
    status: 409,
    title: 'The plan is closed',
    explanation: 'A closed plan cannot be changed, and counts no more payments. Its progress can still be read.',
    whatToDo: 'Use another plan of the owner, or make a new one.',
  },
  'already-counted': {
    status: 409,
    title: 'The payment might already be counted',
    explanation:
      "A payment of the same amount to the debt's provider completed through this service within three days of paid_on. That payment might already count, in this plan or a different plan. The field payment_id gives its id.",
    whatToDo: 'If you mean that payment, do not record it. If you mean a different payment, send "separate" as true.',
  },
  'precondition-failed': {
    status: 412,
    title: 'The resource has changed since you got it',
    explanation:
      'The If-Match header names a revision that is no longer current. The field "revision" gives the current revision. Nothing was changed.',
    whatToDo: 'Get the resource again, check whether you still want the change, and send the change with the new ETag.',
  },
  'no-income-on-record': {
    status: 422,
    title: 'The owner has no income on record',
    explanation: 'The affordability check uses the paychecks of the owner, and this owner has no paycheck yet.',
    whatToDo: 'Calculate a paycheck for the owner first.',
  },
  'clock-not-forward': {
    status: 422,
    title: 'The clock can only move forward',
    explanation:
      'The request would not move the clock of the sandbox forward. The field "now" gives the current time of the clock.',
    whatToDo: 'Advance the clock by a duration of more than zero, or send a time after "now".',
  },
  'clock-too-far': {
    status: 422,
    title: 'The clock cannot move that far',
    explanation:
      'The clock of the sandbox can move at most ten years at a time, and never beyond the year 2100. The field "latest" gives the latest allowed time.',
    whatToDo: 'Move the clock at most to "latest". You can then move it again, up to the year 2100.',
  },
} as const satisfies Record<string, ProblemKind>;
