// Generated from the contract by client/generate.ts; `npm run generate` writes it anew.

import type { Method } from './call.ts';

/** One method for each operation of the contract. */
export interface Methods {
  /**
   * Make an account
   *
   * The e-mail address is NFKC-normalised and trimmed, and compared without regard to case. A link that verifies it is mailed there (`verify-email`). A password has 12 to 256 characters of any kind, is not one of the common ones and not the address itself.
   *
   * Needs no credential. `POST /api/v1/auth/register`
   */
  registerUser: Method<'registerUser'>;

  /**
   * Sign in with a password
   *
   * Gives a token set with every scope that a user can have. A wrong password and an unknown address are answered the same, in the same time. After 10 failed sign-ins in 15 minutes from one network the account is refused there until they are over; after 100 from everywhere, to all who never signed in to it.
   *
   * Needs no credential. `POST /api/v1/auth/login`
   */
  login: Method<'login'>;

  /**
   * Get new tokens for a refresh token
   *
   * The refresh token is used up and replaced. For 30 seconds the old one gets the very same new set again, so that a lost reply signs nobody out; used after that, or by another client, it ends the sign-in with all its tokens. Refresh tokens last 30 days from their issue, a sign-in at most 90.
   *
   * Needs no credential. `POST /api/v1/auth/refresh`
   */
  refreshTokens: Method<'refreshTokens'>;

  /**
   * Read who the caller is
   *
   * The account of a user's token, or what an API key may do; `authenticated_by` tells which.
   *
   * Scope: `read:profile`. `GET /api/v1/auth/me`
   */
  getProfile: Method<'getProfile'>;

  /**
   * Change the own account
   *
   * Sets what share of each wage is locked as a buffer, unless a calculation says otherwise. Users only.
   *
   * Scope: `write:profile`. `PATCH /api/v1/auth/me`
   */
  updateProfile: Method<'updateProfile'>;

  /**
   * Sign out
   *
   * Ends the sign-in that the caller's token comes from, with all its tokens, from the next request on. Where it was granted to an application, the browser in which that happened stays signed in. An API key is not signed in: it gets 403 and goes on working until an operator revokes it.
   *
   * Any credential will do. `POST /api/v1/auth/logout`
   */
  logout: Method<'logout'>;

  /**
   * Have a link mailed to set a new password
   *
   * The answer and its time are the same whether the address has an account or not. The link in the letter works once, for 30 minutes. An account gets a few letters an hour at most. As a form it is sent by our own page alone.
   *
   * Needs no credential. `POST /api/v1/auth/forgot-password`
   */
  forgotPassword: Method<'forgotPassword'>;

  /**
   * Set a new password by the token of a mailed link
   *
   * Uses the token up and ends every session and every token of the user; nobody is signed in by it. It verifies the address. Where that was not done before, somebody else may have registered it: so what applications were allowed and other providers' links end too, pending payments are cancelled, and the payees are removed. The rules for the password are those of registering. As a form it is sent by our own page alone, with the password twice.
   *
   * Needs no credential. `POST /api/v1/auth/reset-password`
   */
  resetPassword: Method<'resetPassword'>;

  /**
   * Change the own password
   *
   * Takes the current password and a new one, and ends every other sign-in of the user. A wrong current password counts like a failed sign-in. Users only.
   *
   * Scope: `write:profile`. `POST /api/v1/auth/change-password`
   */
  changePassword: Method<'changePassword'>;

  /**
   * Verify an e-mail address by the token of a mailed link
   *
   * Registering mails the link, which works once, for 24 hours. With the password of the account it verifies the address, and nothing ends. A wrong password counts like a failed sign-in and does not use the link up. As a form it is sent by our own page alone.
   *
   * Needs no credential. `POST /api/v1/auth/verify-email`
   */
  verifyEmail: Method<'verifyEmail'>;

  /**
   * Have a link mailed to verify the own e-mail address
   *
   * Sends the link of `verify-email` to the address of the account, a few times an hour at most. Where the address is verified already nothing is sent, and the answer is the same. People only.
   *
   * Any credential will do. `POST /api/v1/auth/verification-mail`
   */
  sendVerificationMail: Method<'sendVerificationMail'>;

  /**
   * Exchange an authorization code or a refresh token for tokens
   *
   * RFC 6749 (4.1.3 and 6), as a form or as JSON. A confidential client sends its secret, by `client_secret` or by HTTP Basic, never both; a public one sends `client_id` only, and the `code_verifier` of its PKCE challenge. A code works once, for 60 seconds; a second use ends the tokens of the first. A refresh token is replaced with each use: for 30 seconds the old one gets the very same set again, so that a lost reply signs nobody out; used after that, or by another client, it ends the sign-in with all its tokens. Refreshing takes `client_id` without a secret; a secret that is sent must be right. Parameters that are not known, or have no value, are ignored.
   *
   * Needs no credential. `POST /api/v1/auth/token`
   */
  exchangeToken: Method<'exchangeToken'>;

  /**
   * End a token
   *
   * RFC 7009. A refresh token ends with everything that descends from the same sign-in, an access token ends alone, both from the next request on. A token that is unknown, ended already or another client's is answered the same, and nothing happens. The client authenticates as for tokens: a confidential one with its secret, a public one by `client_id`.
   *
   * Needs no credential. `POST /api/v1/auth/revoke`
   */
  revokeToken: Method<'revokeToken'>;

  /**
   * Ask what a token is good for
   *
   * RFC 7662. A confidential client asks, with its secret, about tokens that were issued to it. Of a token that does not work, and of another client's, it learns `active: false` and nothing more.
   *
   * Needs no credential. `POST /api/v1/auth/introspect`
   */
  introspectToken: Method<'introspectToken'>;

  /**
   * Where OAuth's endpoints are and what they take
   *
   * The metadata of RFC 8414, by which OAuth libraries set themselves up.
   *
   * Needs no credential. `GET /.well-known/oauth-authorization-server`
   */
  readAuthorizationServer: Method<'readAuthorizationServer'>;

  /**
   * Calculate a paycheck and book it
   *
   * Takes a wage apart and moves the money: each obligation's amount into its vault, the safety buffer aside, the rest to
   * safe to spend.
   * `employee_id` and `pay_date` name the paycheck. Calculating it again **revises** it: only the differences move, an
   * obligation of the same category and type keeps its vault and its allocation, and `revision` goes up. A revision that
   * no longer covers what was already allocated, paid or spent of it is refused with 409 `paycheck-already-committed`,
   * `committed` and `shortfall`. Another `pay_date` is new income.
   * A paycheck whose newest revision is `asserted` is revised only by a key with the scope `assert:income`: 409 `paycheck-asserted`.
   * Once interest was posted for a day since the paycheck was first calculated, no revision makes it smaller: 409
   * `paycheck-already-accrued` with `gross_income`. A `pay_date` more than 31 days ahead is refused with 422 `pay-date-too-far`
   * and `latest`.
   * In production a key with `assert:income` has limits for each calendar month in London, for one owner and for all of them.
   * An assertion beyond either is refused with 422 `exceeds-income-limit`, `limit`, `asserted` and `scope`. A revision counts by its
   * difference.
   * `locked_buffer` is `gross_pay` x `buffer_rate`, rounded half up to the penny, and never more than the bills leave.
   * Instead of `gross_pay`, `payslip_doc_id` may name a document of the employee's: its net pay is the income to split. That
   * needs the scope `read:documents` as well. A document that is not `parsed` is refused with 409 `document-not-parsed`, one
   * that was not read with a confidence of 0.80 or more, or has no net pay, with 422 `document-confidence-too-low`.
   *
   * Scope: `write:paycheck`. `POST /api/v1/engine/paycheck/calculate`
   */
  calculatePaycheck: Method<'calculatePaycheck'>;

  /**
   * Calculate a paycheck without booking it
   *
   * The same body and the same figures as calculate, but nothing is stored and no money moves. `revision` is the one that a calculation of this paycheck would get now. `Accept: image/svg+xml` gets the split as a picture.
   *
   * Scope: `write:paycheck`. `POST /api/v1/engine/paycheck/simulate`
   */
  simulatePaycheck: Method<'simulatePaycheck'>;

  /**
   * List an employee's calculations
   *
   * Every stored calculation, revisions too, the one calculated last first.
   *
   * Scope: `read:paycheck`. `GET /api/v1/engine/paycheck/history`
   */
  listPaychecks: Method<'listPaychecks'>;

  /**
   * Explain a calculation
   *
   * How a stored calculation comes to its figures, step by step from the gross to what is safe to spend. `Accept: image/svg+xml` gets the split as a picture.
   *
   * Scope: `read:paycheck`. `GET /api/v1/engine/paycheck/{id}/breakdown`
   */
  explainPaycheck: Method<'explainPaycheck'>;

  /**
   * Put money into a vault
   *
   * Moves money from what is safe to spend into the owner's vault of this type and label, which is made if it is not there.
   * Each call makes an allocation of its own, with its own id, from which bills can be paid.
   * More than is safe to spend is refused with 422 `exceeds-safe-to-spend` and `safe_to_spend_available`.
   *
   * Scope: `write:allocations`. `POST /api/v1/allocations/allocate`
   */
  allocate: Method<'allocate'>;

  /**
   * Take money out of a vault
   *
   * Moves money from a vault back to what is safe to spend: from the oldest allocations first, or from the named one only.
   * More than is there is refused with 422 `insufficient-vault-balance` and `available`; an allocation that is not of this
   * vault with 422 `unknown-allocation`.
   *
   * Scope: `write:allocations`. `POST /api/v1/allocations/withdraw`
   */
  withdraw: Method<'withdraw'>;

  /**
   * Move money between two vaults of an owner
   *
   * Takes from the oldest allocations of one vault and makes a new allocation in the other. The other is named either by
   * `to_vault_id` or by `to_vault_type` with an optional `to_label`; by type and label it is made if it is not there.
   * More than is there is refused with 422 `insufficient-vault-balance` and `available`, a vault to itself with 422
   * `same-vault`.
   *
   * Scope: `write:allocations`. `POST /api/v1/allocations/transfer`
   */
  transferBetweenVaults: Method<'transferBetweenVaults'>;

  /**
   * List what went into and out of an owner's vaults
   *
   * Every entry on the owner's vaults, newest first.
   *
   * Scope: `read:allocations`. `GET /api/v1/allocations/history/{user_id}`
   */
  listAllocationHistory: Method<'listAllocationHistory'>;

  /**
   * Where an owner's money is
   *
   * All balances of one moment. An owner that is not known yet has nothing.
   *
   * Scope: `read:allocations`. `GET /api/v1/allocations/vaults/{user_id}`
   */
  listVaults: Method<'listVaults'>;

  /**
   * Check whether a recurring purchase fits
   *
   * Sets what the purchase comes to in a month against what is safe to spend now, and gives a score of 0 to 100 with its
   * reasons. No money moves; the check is kept for the history.
   * The monthly equivalent is the amount x 52/12 (`WEEKLY`), / 3 (`QUARTERLY`) or / 12 (`ANNUAL`), rounded half up. `before`
   * is what is safe to spend now, `after` is `before` less the monthly equivalent.
   * | Factor | Weight | Value, from 0 to 1 |
   * |---|---|---|
   * | `headroom` | 0.55 | `after` / `before`; 0 where nothing is safe to spend |
   * | `stability` | 0.20 | 1 less the coefficient of variation (population) of the last 6 gross pays; 0.5 with fewer than 2 |
   * | `cushion` | 0.15 | the safety buffer / a tenth of the last gross pay |
   * | `punctuality` | 0.10 | payments on time / payments concluded in the last 12 months; 0.5 with none |
   * The score is 100 x the weighted sum, rounded half up once, and 5 more for an essential category: `HOUSING`, `UTILITIES`,
   * `COUNCIL_TAX`, `INSURANCE`, `TRANSPORT`, `CHILDCARE`, `CREDIT`. `affordable` means that `after` is not below zero and the
   * score is at least 50. A higher amount never scores higher.
   * An owner without a paycheck is refused with 422 `no-income-on-record`.
   *
   * Scope: `write:affordability`. `POST /api/v1/engine/affordability/simulate`
   */
  simulateAffordability: Method<'simulateAffordability'>;

  /**
   * Read an owner's current score
   *
   * The score of a purchase of nothing: how well the owner stands as it is. Nothing is kept. An owner without a paycheck is refused with 422 `no-income-on-record`.
   *
   * Scope: `read:affordability`. `GET /api/v1/engine/affordability/score/{user_id}`
   */
  readAffordabilityScore: Method<'readAffordabilityScore'>;

  /**
   * List an owner's checks
   *
   * Every check as it was answered, the latest first.
   *
   * Scope: `read:affordability`. `GET /api/v1/engine/affordability/history/{user_id}`
   */
  listAffordabilityChecks: Method<'listAffordabilityChecks'>;

  /**
   * Simulate repaying debts
   *
   * Repays the debts month by month and stores nothing. In each month
   * 1. interest of `balance` x `rate` / 10,000 / 12, rounded half up to the penny, is added to each debt that is owed;
   * 2. each of them gets its `minimum`, or what is left of it where that is less;
   * 3. the rest of `monthly_budget` goes down the strategy's order until it is used up. Minimums of debts that are cleared
   *    stay in the budget.
   * The order is looked at each month, after interest. **avalanche**: highest rate first, of the same rate the lower balance.
   * **snowball**: lowest balance first, of the same balance the higher rate. Then as given.
   * `debt_free_date` is `total_months` months after today in London: the first payment is made a month from today, the last
   * on `debt_free_date`. Where a month has no such day, its last day is meant: a month after 31 January is 28 or 29 February.
   * A budget that is less than the minimums together is refused with 422 `budget-below-minimums`, `required` and
   * `shortfall`; one with which something is still owed after 1,200 months with 422 `debt-never-repaid`.
   * `Accept: image/svg+xml` gets the balances month by month as a picture.
   *
   * Scope: `read:debt`. `POST /api/v1/engine/debt/simulate`
   */
  simulateDebts: Method<'simulateDebts'>;

  /**
   * Make a repayment plan
   *
   * Simulates as simulate does, from `start_date` on, and keeps it as a plan whose progress can be followed. Payments that are made through this service to a debt's `provider_id` count by themselves; others are recorded.
   *
   * Scope: `write:debt`. `POST /api/v1/engine/debt/plan`
   */
  createDebtPlan: Method<'createDebtPlan'>;

  /**
   * List an owner's plans
   *
   * Newest first, without their schedules.
   *
   * Scope: `read:debt`. `GET /api/v1/engine/debt/plans`
   */
  listDebtPlans: Method<'listDebtPlans'>;

  /**
   * Read a plan
   *
   * The plan as its latest revision has it, with the schedule of that. `Accept: image/svg+xml` gets the schedule's balances month by month as a picture.
   *
   * Scope: `read:debt`. `GET /api/v1/engine/debt/{plan_id}`
   */
  getDebtPlan: Method<'getDebtPlan'>;

  /**
   * Change a plan
   *
   * Makes a new revision: the balances of today, as progress has them or as `debts` gives them anew, are simulated with what
   * is to change, and `revision` goes up by one. What is left out stays as it is. Earlier revisions are kept.
   * The new schedule counts its months from today (from `start_date`, where that is still to come), and so does the
   * `expected_balance` of progress from then on. Interest of the days since the last whole month, by their share of it, is
   * added with the first month, unless a balance is given.
   * Send the `ETag` of the plan as `If-Match` to change just the revision that you know: where it was changed meanwhile, the
   * answer is 412 `precondition-failed`, with the present `revision`, and nothing changes. Without it the change applies to
   * whatever revision there is. A plan can be changed 500 times; then 409 `debt-plan-full`.
   *
   * Scope: `write:debt`. `PATCH /api/v1/engine/debt/{plan_id}`
   */
  changeDebtPlan: Method<'changeDebtPlan'>;

  /**
   * See how a plan goes
   *
   * What is owed today against what should be.
   * **Expected** is what the schedule of the latest revision leaves after as many whole months as passed since it began: since
   * `start_date`, or since the day of the last change.
   * **Actual** is what the debts were when the plan began, with interest added in the same way on each day that is a whole
   * number of months after that, and with payments taken off on the day they were made, after that day's interest: those that
   * were recorded, and those made through this service by the plan's owner to a debt's provider, begun on or after
   * `start_date` and completed (by the day of completion; one that came back no longer counts). Where several debts have
   * the same provider, its payments go to them in the strategy's order. No debt falls below nothing: what is paid beyond
   * it counts for nothing. Where a change gave a balance, that is what is owed on that day, whatever was paid before.
   * A completed payment counts in one plan: the newest that was active and named its provider when the payment completed. A
   * plan made later does not take it away, even with an earlier `start_date`. A plan was active if something was owed on it
   * by what was known then, so that a later return, change or record moves no payment to another plan.
   *
   * Scope: `read:debt`. `GET /api/v1/engine/debt/{plan_id}/progress`
   */
  readDebtProgress: Method<'readDebtProgress'>;

  /**
   * Record a payment to a debt
   *
   * For payments that were not made through this service to the debt's provider, as those count by themselves. It moves no money. A wrong one cannot be taken back; give the debt's right balance in a change of the plan. A plan takes 5,000 of them; then 409 `debt-plan-full`. If a payment of the same amount by the plan's owner to the debt's provider completed through this service within three days of `paid_on` (days in London), the answer is 409 `already-counted` with its `payment_id`, in whichever plan it counts. Send `separate` as true to record another payment all the same.
   *
   * Scope: `write:debt`. `POST /api/v1/engine/debt/{plan_id}/payments`
   */
  recordDebtPayment: Method<'recordDebtPayment'>;

  /**
   * Post the interest of a vault
   *
   * Posts what a vault has earned since its last accrual, or since it was made, for the days up to but not including `as_of`:
   * as a lot of money in the vault, with `source` interest. The service does it for all vaults on the 1st of each month;
   * this is for those who want it sooner.
   * Each day earns balance x rate / 365 on the balance at its end in London, in leap years too. The sum of the days, and
   * what the last posting left of a penny, is rounded half up once; the difference is carried on as `remainder`. Interest
   * earns in its turn from the day `to` on.
   * Nothing is ever accrued twice: where the days up to `as_of` are accrued already, the answer is 200 with the accrual
   * that has the last of them. Where less than half a penny was earned, an accrual of 0 is stored and no money moves.
   *
   * Scope: `write:yield`. `POST /api/v1/engine/yield/accrue`
   */
  accrueYield: Method<'accrueYield'>;

  /**
   * What an owner's vaults have earned
   *
   * The interest of all vaults of an owner, and of each of them, the oldest vault first. An owner that is not known yet has earned nothing.
   *
   * Scope: `read:yield`. `GET /api/v1/engine/yield/aggregate/{user_id}`
   */
  aggregateYield: Method<'aggregateYield'>;

  /**
   * What a vault has earned
   *
   * The interest of one vault and its accruals, newest first, page by page.
   *
   * Scope: `read:yield`. `GET /api/v1/engine/yield/vault/{vault_id}`
   */
  getVaultYield: Method<'getVaultYield'>;

  /**
   * What an owner's vaults will earn
   *
   * What the vaults of an owner will earn if nothing else comes or goes. Nothing is stored. Month k has the days from today
   * plus k-1 months up to today plus k months; in it each vault earns balance x rate x days / 365, rounded half up. With
   * reinvestment that is added to its balance.
   * `effective_apy` is of the rate r weighted by balance: ((1 + r/12)^12 - 1) x 100 with reinvestment, r x 100 without.
   * `Accept: image/svg+xml` gets balance and interest month by month as a picture.
   *
   * Scope: `read:yield`. `POST /api/v1/engine/yield/forecast`
   */
  forecastYield: Method<'forecastYield'>;

  /**
   * Pay a bill from an allocation
   *
   * Takes the money out of the allocation, records the payment and has it handed to the bank, at once or on `execute_on`. Poll the payment for how it goes on. Sent again with the same `Idempotency-Key` it pays once.
   *
   * Scope: `write:payments`. `POST /api/v1/payments/execute`
   */
  executePayment: Method<'executePayment'>;

  /**
   * List payments
   *
   * Newest first. A user sees its own; an API key those of `user_id`, or of all owners of its application. Persons must be named. With `admin:owners` a key sees all.
   *
   * Scope: `read:payments`. `GET /api/v1/payments`
   */
  listPayments: Method<'listPayments'>;

  /**
   * List payees
   *
   * The caller's own and, in a sandbox, the nine sandbox payees. Bank details are masked.
   *
   * Scope: `read:payments`. `GET /api/v1/payments/providers`
   */
  listProviders: Method<'listProviders'>;

  /**
   * Add a payee
   *
   * Name and bank details go into the encrypted vault; the details are shown masked from then on. Where a key with the scope `vouch:payees` adds it, the application vouches for it, so that payments to it count in credentials.
   *
   * Scope: `write:payments`. `POST /api/v1/payments/providers`
   */
  addProvider: Method<'addProvider'>;

  /**
   * Read a payment
   *
   * The payment with its timeline, attempts and, where it failed, why. Made for polling: `If-None-Match` answers 304 while nothing changed, `Retry-After` says when to come again, `Prefer: wait=N` holds the answer until the status changes.
   *
   * Scope: `read:payments`. `GET /api/v1/payments/{payment_id}`
   */
  getPayment: Method<'getPayment'>;

  /**
   * Try a failed payment again
   *
   * Takes the money out of the allocation once more and hands it to the bank as the next attempt; 10 at most. Production refuses it, like a first attempt, with 422 `income-not-evidenced` where the owner's asserted income does not cover it.
   *
   * Scope: `write:payments`. `POST /api/v1/payments/{payment_id}/retry`
   */
  retryPayment: Method<'retryPayment'>;

  /**
   * Cancel a pending payment
   *
   * Possible while the bank has accepted nothing. The money goes back to the allocation.
   *
   * Scope: `write:payments`. `POST /api/v1/payments/{payment_id}/cancel`
   */
  cancelPayment: Method<'cancelPayment'>;

  /**
   * Upload a payslip, P60 or P45
   *
   * Stores the document encrypted and has it read. What the file is, is told by its content: JPEG, PNG or PDF, at most
   * 5,242,880 bytes; its name and the type sent with it make no difference, nor does the order of the parts.
   * The answer is held until the document is read, for up to 25 seconds: then 201, with the status `parsed`, or `failed` and
   * why. Where it takes longer, 202 with `processing`, and `Location` says what to poll. `Prefer: respond-async` gets the 202
   * at once; `Prefer: wait=N` waits N seconds instead of 25.
   * The same file of the same owner again is the same document: 200. With an `Idempotency-Key`, a request that is sent
   * again makes nothing new, and is answered with the document as it is by then: what was read is not kept under the key.
   * Five documents of one owner, and 20 of one application, may be in progress at once. 200 and 1,000 may come within 24
   * hours, unless the operator sets other numbers. One more is refused with 429 `too-many-documents`. A registered person
   * counts by itself, and a file that was sent before does not count.
   *
   * Scope: `write:documents`. `POST /api/v1/legacy/payslip/upload`
   */
  uploadPayslip: Method<'uploadPayslip'>;

  /**
   * Read what a document says
   *
   * What was read, each field with its confidence and page; what was not found is null, and nothing is guessed. Made for polling: `If-None-Match` answers 304 while nothing changed, `Retry-After` says when to come again, `Prefer: wait=N` holds the answer until the document is read.
   *
   * Scope: `read:documents`. `GET /api/v1/legacy/payslip/{doc_id}`
   */
  getPayslip: Method<'getPayslip'>;

  /**
   * Erase a document
   *
   * Destroys the file, what was read from it, the National Insurance number found on it, and the keys of all of them, for good. Later calls answer 410. The same file may be uploaded again; it is a new document then.
   *
   * Scope: `write:documents`. `DELETE /api/v1/legacy/payslip/{doc_id}`
   */
  deletePayslip: Method<'deletePayslip'>;

  /**
   * Sum up tax years from documents
   *
   * What the documents of an owner say of each tax year, newest first. Documents on which no tax year was found are left out.
   * - The same payslip counts once, also as two files or photos: the same employer, pay date (else period) and figures.
   * - A P60 replaces the payslips and P45s of its employer in that year; P60s of different employers add up. Of several P60s of
   *   one employer in one year the one uploaded last counts.
   * - A P45 replaces the payslips of its employer in that year, where there is no P60 of it.
   * - What a P60 or P45 does not print (net pay, pension; on a P45 also National Insurance) is taken from the payslips that it
   *   replaces where those are complete: their tax adds up to its tax to the penny, and its pay lies between their gross pay
   *   less pension and their gross pay. Else it is null.
   * - Where the employer was not found on one of two documents, they are taken to be of the same one: nothing counts twice.
   * - A total is null where a document that counts does not say the figure. Only a payslip that prints no pension counts as
   *   zero, where another document of that year prints one.
   *
   * Scope: `read:documents`. `GET /api/v1/legacy/tax-history/{user_id}`
   */
  getTaxHistory: Method<'getTaxHistory'>;

  /**
   * Issue a credential of somebody's payments
   *
   * Counts the owner's bills of a period, scores them, and signs the figures as an SD-JWT VC (ES256, `dc+sd-jwt`). Only payments to
   * payees for whom somebody vouches count (`vouched_by` of a provider); `payments_left_out` tells how many others there are.
   * The period that is looked at ends today in London and begins `period_months` before, both days included. A payment belongs to it
   * by its due date, else by the day of its initiation. A due date more than 31 days after the day on which the payment was made
   * counts as none. A payment is concluded once it is completed, or once it failed and was not retried by the end of its due date (of
   * the day after its initiation where it has none). It is on time if it was completed by then.
   * A bill is what was paid to one account in one calendar month: the month of settlement; of what never settled, the month of the
   * due date, else of `execute_on`, else of initiation. Several payees with one account are one. A bill counts from £1 in sum. It is
   * on time if all its concluded payments were.
   * `reliability_score` is 700 R + 200 D + 100 S, rounded half up. R is the share of bills on time times min(1, `months_covered` / 6);
   * each bill is weighted by 0.5^(age in days of its last settlement / 182.5). D is `months_covered` / 12, at most 1. S is the months
   * in a row / 12, at most 1, from the newest month that has a bill back, that each have a bill and all of them on time.
   * Without any bill the answer is 422 `no-payment-history` with `payments_left_out`.
   * The answer comes once the credential is signed. Where that takes longer than 25 seconds the answer is 503 with
   * `credential_id`; the credential will be signed nevertheless, and the same `Idempotency-Key` gives that very one.
   *
   * Scope: `write:credential`. `POST /api/v1/credential/generate`
   */
  generateCredential: Method<'generateCredential'>;

  /**
   * Check a credential that somebody presents
   *
   * Takes an SD-JWT as its holder gives it, with all of its disclosures, some, or none, and says whether this service issued it as it is, and whether it still counts. Anything that was altered, was signed by somebody else, or cannot be read is `tampered`. No key is bound to a credential, so one with a key binding JWT is none of ours.
   *
   * Needs no credential. `POST /api/v1/credential/verify`
   */
  verifyPresentedCredential: Method<'verifyPresentedCredential'>;

  /**
   * Check a credential by its id
   *
   * Says whether a credential is valid, expired or revoked. The signature of what is stored is checked each time: a record that is not as it was signed is `tampered`. `Accept: text/html` gets a page for people.
   *
   * Needs no credential. `GET /api/v1/credential/{credential_id}/verify`
   */
  verifyCredential: Method<'verifyCredential'>;

  /**
   * Revoke a credential
   *
   * It is revoked for good, at once, and the status list says so from the next look on. Revoking it again changes nothing.
   *
   * Scope: `write:credential`. `POST /api/v1/credential/{credential_id}/revoke`
   */
  revokeCredential: Method<'revokeCredential'>;

  /**
   * Export a credential
   *
   * As JSON with its figures, its status and the SD-JWT; as the SD-JWT alone; or as a signed PDF of one page with a chart, a QR code of the address at which it is verified, and the SD-JWT attached. `format` decides, else the `Accept` header, else it is JSON. What is revoked or expired is exported as JSON only.
   *
   * Scope: `read:credential`. `GET /api/v1/credential/{credential_id}/export`
   */
  exportCredential: Method<'exportCredential'>;

  /**
   * Which credentials are revoked
   *
   * A Token Status List (draft-ietf-oauth-status-list) as a signed JWT: one bit for each credential, at the index that its `status` claim names; 1 is revoked. It says how long it may be kept as `ttl`, in seconds, and until when it counts as `exp`.
   *
   * Needs no credential. `GET /api/v1/credential/status-lists/{list_id}`
   */
  readStatusList: Method<'readStatusList'>;

  /**
   * What the credentials mean
   *
   * Type metadata of SD-JWT VC, at the address that is the credentials' `vct`.
   *
   * Needs no credential. `GET /api/v1/credential/types/payment-reliability`
   */
  readCredentialType: Method<'readCredentialType'>;

  /**
   * The keys that sign credentials
   *
   * The public keys as a JWK set (RFC 7517): the current one, and older ones as long as something that they signed counts. Tokens of this service are opaque, so that no key here is for them.
   *
   * Needs no credential. `GET /.well-known/jwks.json`
   */
  readCredentialKeys: Method<'readCredentialKeys'>;

  /**
   * Who issues the credentials
   *
   * Issuer metadata of SD-JWT VC, by which a verifier finds the keys.
   *
   * Needs no credential. `GET /.well-known/jwt-vc-issuer`
   */
  readCredentialIssuer: Method<'readCredentialIssuer'>;

  /**
   * Store personal data
   *
   * Checks the data against the schema of its type, naming every fault at once, and stores it encrypted (AES-256-CBC with HMAC-SHA-512) under a key of its own. The same data stored twice makes two records.
   *
   * Scope: `write:vault`. `POST /api/v1/vault/store`
   */
  storeVaultRecord: Method<'storeVaultRecord'>;

  /**
   * Read several records
   *
   * Decrypts up to 100 records, each afresh. Those that can be given stand in `records`, the others in `errors` by what stands in their way, both in the order in which they were asked for.
   *
   * Scope: `reveal:vault`. `POST /api/v1/vault/batch-retrieve`
   */
  batchRetrieveVaultRecords: Method<'batchRetrieveVaultRecords'>;

  /**
   * Read a record
   *
   * Decrypts afresh at each call; nothing is cached, and each call is on record.
   *
   * Scope: `reveal:vault`. `GET /api/v1/vault/{vault_ref}`
   */
  getVaultRecord: Method<'getVaultRecord'>;

  /**
   * Erase a record
   *
   * Destroys the data and its key for good. What the service itself depends on, such as the e-mail address of an account, is refused with 409 and goes with what uses it.
   *
   * Scope: `write:vault`. `DELETE /api/v1/vault/{vault_ref}`
   */
  eraseVaultRecord: Method<'eraseVaultRecord'>;

  /**
   * Compare a value with a record
   *
   * Tells whether a field has this value, without telling the value. Spelling that makes no difference is set aside: separators of numbers, the letter case of codes and of e-mail addresses. After 10 wrong values for one record within an hour it answers 429 for the rest of that hour, whoever asks.
   *
   * Scope: `read:vault`. `POST /api/v1/vault/{vault_ref}/verify`
   */
  verifyVaultField: Method<'verifyVaultField'>;

  /**
   * Read a record masked
   *
   * Enough of each field for its owner to recognise it, and not more.
   *
   * Scope: `read:profile` or `read:vault`. `GET /api/v1/vault/{vault_ref}/masked`
   */
  getMaskedVaultRecord: Method<'getMaskedVaultRecord'>;

  /**
   * List what happened
   *
   * The audit log, newest first: every transition of a payment, every access to personal data (refused ones too), sign-ins, changes of keys and consents. Events of one subject are chained: `hash` covers the event and `previous_hash`, so that none can be changed or taken out unseen; `npm run admin -- audit verify` recomputes them. A key sees the events whose subject belongs to its application, and what its application's keys did. Events of sign-ins, of the clock and of upkeep need `admin:owners`, which shows all events. A page may hold fewer events than `limit`, or none, and still have a `next_cursor`: go on until that is null.
   *
   * Scope: `admin:audit`. `GET /api/v1/admin/audit-events`
   */
  listAuditEvents: Method<'listAuditEvents'>;

  /**
   * Whether all that the service needs is there
   *
   * Asks each part now, for at most two seconds: the database, Temporal, the bank, the key service. And how much waits: to be told to Temporal, to be sent by mail, at the bank, for an operator.
   *
   * Scope: `admin:audit`. `GET /api/v1/admin/health`
   */
  readHealth: Method<'readHealth'>;

  /**
   * Read the business clock
   *
   * What time it is for all business: pay, due and execution dates, interest, timestamps of records. Security (tokens, codes, rate limits, idempotency keys) goes by real time. In production there is nothing at this address.
   *
   * Scope: `admin:audit`. `GET /api/v1/sandbox/clock`
   */
  readClock: Method<'readClock'>;

  /**
   * Move the business clock forward
   *
   * By a duration (`advance`) or to an instant (`now`), one of the two; forward only, by ten years at a time at most, and
   * never beyond the year 2100. The clock goes on from there at its usual pace, and keeps the time over restarts.
   * Once this is answered, every request to every process of the service sees the new time. What became due by the
   * move starts within five seconds: payments that waited for `execute_on`, and the interest of each first of a month
   * that was passed. Moves that are sent at the same time all count, one after the other.
   * In production there is nothing at this address.
   *
   * Scope: `admin:audit`. `POST /api/v1/sandbox/clock`
   */
  moveClock: Method<'moveClock'>;

  /**
   * Whether the process lives
   *
   * Answers as long as the process can answer at all; asks nothing else.
   *
   * Needs no credential. `GET /livez`
   */
  checkLive: Method<'checkLive'>;

  /**
   * Whether requests can be served
   *
   * The database is reachable and its schema is the one of this version. Answers 503 while the process stops.
   *
   * Needs no credential. `GET /readyz`
   */
  checkReady: Method<'checkReady'>;

  /**
   * This document
   *
   * The whole contract as OpenAPI 3.1, as this environment has it. As YAML it is at `/openapi.yaml`, for people under `/docs`.
   *
   * Needs no credential. `GET /openapi.json`
   */
  readContract: Method<'readContract'>;

  /**
   * Every refusal there is
   *
   * A page with each `code` that a problem document may have, its status and its meaning.
   *
   * Needs no credential. `GET /problems`
   */
  listProblems: Method<'listProblems'>;

  /**
   * What a refusal means
   *
   * A page that says when the code is answered and what to do. The `type` of a problem document leads here.
   *
   * Needs no credential. `GET /problems/{code}`
   */
  explainProblem: Method<'explainProblem'>;
}
