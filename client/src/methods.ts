// Generated from the contract by client/generate.ts. Run `npm run generate` to update it.

import type { Method } from './call.ts';

/** One method for each operation that a program can call. */
export interface Methods {
  /**
   * Register an account
   *
   * Creates an account. The email address is NFKC-normalised and trimmed, and compared without regard to case. The service then sends an email to this address, with a link. The person opens the link to verify the address. The password must have 12 to 256 characters of any kind. It must not be a common password, or the email address itself. While registration is closed, you must send an `invitation`, which works once.
   *
   * Needs no credential. `POST /api/v1/auth/register`
   */
  registerUser: Method<'registerUser'>;

  /**
   * Sign in with a password
   *
   * Returns a token set with every scope that a user can have. The response and the response time are the same for a
   * wrong password and for an unknown email address.
   *
   * After 10 failed sign-ins to an account in 15 minutes from one network, nobody can sign in to that account from
   * that network until the 15 minutes are over. Here, a network is one IPv4 address or one IPv6 /64 prefix. A
   * sign-in comes from a new place if neither its network nor its browser was used to sign in to the account before.
   * After 100 failed sign-ins from new places in 15 minutes, nobody can sign in to the account from a new place
   * until the 15 minutes are over. The operator can change these limits.
   *
   * Needs no credential. `POST /api/v1/auth/login`
   */
  login: Method<'login'>;

  /**
   * Refresh tokens
   *
   * Exchanges the refresh token for a new token set. For 30 seconds, the old refresh token returns the same new token set again, so that nobody is signed out by a lost response. If the old refresh token is used later, or by a different client, the service revokes all tokens of the sign-in. A refresh token expires 30 days after it was issued. A sign-in lasts at most 90 days.
   *
   * Needs no credential. `POST /api/v1/auth/refresh`
   */
  refreshTokens: Method<'refreshTokens'>;

  /**
   * Get the caller's profile
   *
   * For a user's token, returns the user's account. For an API key, returns what the key is allowed to do. `authenticated_by` says which of the two the caller used.
   *
   * Scope: `read:profile`. `GET /api/v1/auth/me`
   */
  getProfile: Method<'getProfile'>;

  /**
   * Update the caller's profile
   *
   * Sets the share of each wage that is locked as the safety buffer. A request for a paycheck calculation can override this share. Only users can call this operation.
   *
   * Scope: `write:profile`. `PATCH /api/v1/auth/me`
   */
  updateProfile: Method<'updateProfile'>;

  /**
   * Sign out
   *
   * Ends the sign-in of the caller's token, and revokes all tokens of the sign-in at once. If the token was issued to an application, the person stays signed in to this service in the browser. An API key gets 403, because it has no sign-in to end. Only an operator can revoke an API key.
   *
   * Any credential will do. `POST /api/v1/auth/logout`
   */
  logout: Method<'logout'>;

  /**
   * Request a password reset link
   *
   * Sends an email with a link to set a new password. The response and the response time are the same whether or not an account has this email address. The link works once and expires after 30 minutes. The service sends at most a few of these emails an hour to one account. Only the service's own page sends the body as a form.
   *
   * Needs no credential. `POST /api/v1/auth/forgot-password`
   */
  forgotPassword: Method<'forgotPassword'>;

  /**
   * Reset a password
   *
   * Sets a new password with the token from the link in the password reset email. The reset uses up the token, ends
   * all sessions of the user and revokes all tokens of the user. It does not sign the user in. The new password
   * follows the same rules as at registration.
   *
   * The reset also verifies the email address. If the address was unverified before, somebody else might have
   * registered it. The service then also removes the account's consents, payees and links to sign-in providers, and
   * cancels its pending payments.
   *
   * Only the service's own page sends the body as a form, with the password twice.
   *
   * Needs no credential. `POST /api/v1/auth/reset-password`
   */
  resetPassword: Method<'resetPassword'>;

  /**
   * Change the caller's password
   *
   * Sets a new password, and ends every other sign-in of the user. The request must include the current password. A wrong current password counts as a failed sign-in. Only users can call this operation.
   *
   * Scope: `write:profile`. `POST /api/v1/auth/change-password`
   */
  changePassword: Method<'changePassword'>;

  /**
   * Verify an email address
   *
   * Verifies the email address of an account. The request needs the account's password, and the token from the link in the verification email. The service sends this email after registration, and again on request. The link works once and expires after 24 hours. Sessions and tokens stay valid. A wrong password counts as a failed sign-in and does not use up the link. Only the service's own page sends the body as a form.
   *
   * Needs no credential. `POST /api/v1/auth/verify-email`
   */
  verifyEmail: Method<'verifyEmail'>;

  /**
   * Send a verification email
   *
   * Sends the email with the `verify-email` link to the email address of the account. If this address is already verified, no email is sent, but the response is the same. By default, the sixth request for an account within an hour gets 429. API keys cannot call this operation.
   *
   * Any credential will do. `POST /api/v1/auth/verification-mail`
   */
  sendVerificationMail: Method<'sendVerificationMail'>;

  /**
   * Exchange a grant for tokens
   *
   * The token endpoint of OAuth 2.0 (RFC 6749, sections 4.1.3 and 6). The body is a form or JSON.
   *
   * A confidential client sends its secret, by `client_secret` or by HTTP Basic, but not both. A public client has
   * no secret. It sends `client_id` and, with a code, the `code_verifier` of its PKCE challenge.
   *
   * An authorization code works once and expires after 60 seconds. A second use of a code revokes the tokens of the
   * first use.
   *
   * Each refresh replaces the refresh token. For 30 seconds, the old refresh token returns the same new token set
   * again, so that nobody is signed out by a lost response. If the old refresh token is used later, or by a
   * different client, the service revokes all tokens of the sign-in. A refresh needs `client_id` but no secret. If
   * you send a secret, it must be correct.
   *
   * Parameters that are unknown or have no value are ignored.
   *
   * Needs no credential. `POST /api/v1/auth/token`
   */
  exchangeToken: Method<'exchangeToken'>;

  /**
   * Revoke a token
   *
   * The revocation endpoint of OAuth 2.0 (RFC 7009). If you revoke a refresh token, all tokens of the same sign-in
   * are revoked too. If you revoke an access token, only this token is revoked. Revoked tokens stop working at
   * once.
   *
   * If the token is unknown, has expired or belongs to a different client, the response is the same, and nothing
   * happens. A confidential client must send its secret. A public client sends only its `client_id`.
   *
   * Needs no credential. `POST /api/v1/auth/revoke`
   */
  revokeToken: Method<'revokeToken'>;

  /**
   * Introspect a token
   *
   * The introspection endpoint of OAuth 2.0 (RFC 7662). Only a confidential client can introspect tokens, and it must send its secret. If the token is not valid, or was issued to a different client, the response contains only `active: false`.
   *
   * Needs no credential. `POST /api/v1/auth/introspect`
   */
  introspectToken: Method<'introspectToken'>;

  /**
   * Get authorization server metadata
   *
   * Returns the metadata (RFC 8414) with which OAuth libraries can configure themselves.
   *
   * Needs no credential. `GET /.well-known/oauth-authorization-server`
   */
  readAuthorizationServer: Method<'readAuthorizationServer'>;

  /**
   * Calculate a paycheck
   *
   * Splits a wage and moves the money. Each obligation's amount goes into its vault, the safety buffer is set aside,
   * and the rest is safe to spend.
   *
   * **Revisions.** `employee_id` and `pay_date` identify the paycheck. A further calculation of the same paycheck is
   * a revision, and adds one to `revision`. A revision moves only the differences between the old and new amounts.
   * An obligation with the same category and type as before keeps its vault and its allocation. A calculation with a
   * different `pay_date` counts as new income.
   *
   * A revision is refused in each of these cases:
   *
   * - The revision no longer covers what was already allocated, paid or spent: 409 `paycheck-already-committed`,
   *   with `committed` and `shortfall`.
   * - The newest revision is `asserted`, and the caller is not a key with the scope `assert:income`: 409
   *   `paycheck-asserted`.
   * - The revision reduces the income, but interest was posted for the day of the first calculation, or for a later
   *   day: 409 `paycheck-already-accrued`, with `gross_income`.
   *
   * **Dates and limits.** The response is 422 `pay-date-too-far` with `latest` if `pay_date` is more than 31 days
   * ahead. In production, the income that a key with `assert:income` can record is limited for each calendar month
   * in London, per owner and for all owners together. Above either limit the response is 422 `exceeds-income-limit`,
   * with `limit`, `asserted` and `scope`. For a revision of an asserted paycheck, only the difference from the
   * previous income counts towards the limits.
   *
   * **Buffer.** `locked_buffer` is `gross_pay` x `buffer_rate`, rounded half up to the penny. It is never more than
   * what is left after the bills.
   *
   * **Income from a document.** Instead of `gross_pay`, send the id of the employee's document as `payslip_doc_id`.
   * The net pay on the document is then the income to split. The caller also needs the scope `read:documents`. The
   * response is 409 `document-not-parsed` if the document is not `parsed`. It is 422 `document-confidence-too-low`
   * if the confidence is below 0.80, if there is no net pay, or if `review_reasons` names `register`,
   * `several-payslips` or `specimen`.
   *
   * Scope: `write:paycheck`. `POST /api/v1/engine/paycheck/calculate`
   */
  calculatePaycheck: Method<'calculatePaycheck'>;

  /**
   * Simulate a paycheck
   *
   * Takes the same body and returns the same figures as a calculation, but stores nothing and moves no money. It does not check whether a revision would be refused. `revision` is the number that the calculation would get. With `Accept: image/svg+xml`, the response is a chart of the split.
   *
   * Scope: `write:paycheck`. `POST /api/v1/engine/paycheck/simulate`
   */
  simulatePaycheck: Method<'simulatePaycheck'>;

  /**
   * List paycheck calculations
   *
   * Lists every stored calculation, including revisions, newest first.
   *
   * Scope: `read:paycheck`. `GET /api/v1/engine/paycheck/history`
   */
  listPaychecks: Method<'listPaychecks'>;

  /**
   * Explain a paycheck calculation
   *
   * Shows the steps of a stored calculation, from the gross income to what is safe to spend. With `Accept: image/svg+xml`, the response is a chart of the split.
   *
   * Scope: `read:paycheck`. `GET /api/v1/engine/paycheck/{id}/breakdown`
   */
  explainPaycheck: Method<'explainPaycheck'>;

  /**
   * Allocate money to a vault
   *
   * Moves money from what is safe to spend into the owner's vault with the given type and label. If there is no such
   * vault, the service creates it. Each call makes a separate allocation with its own id, from which bills can be
   * paid.
   *
   * The response is 422 `exceeds-safe-to-spend` with `safe_to_spend_available` if the amount is more than is safe
   * to spend.
   *
   * Scope: `write:allocations`. `POST /api/v1/allocations/allocate`
   */
  allocate: Method<'allocate'>;

  /**
   * Withdraw money from a vault
   *
   * Moves money from a vault back to what is safe to spend. The money comes from the oldest allocations first, or
   * only from the allocation that you name.
   *
   * The response is 422 `insufficient-vault-balance` with `available` if the amount is more than the vault or the
   * named allocation holds. The response is 422 `unknown-allocation` if the named allocation is not in this vault.
   *
   * Scope: `write:allocations`. `POST /api/v1/allocations/withdraw`
   */
  withdraw: Method<'withdraw'>;

  /**
   * Transfer money between vaults
   *
   * Moves money between two vaults of one owner. The money leaves the oldest allocations of the source vault and
   * becomes a new allocation in the destination vault. Identify the destination by `to_vault_id`, or by
   * `to_vault_type` with an optional `to_label`. If the owner has no vault with this type and label, the service
   * creates it.
   *
   * The response is 422 `insufficient-vault-balance` with `available` if the amount is more than the source vault
   * holds. The response is 422 `same-vault` if both vaults are the same.
   *
   * Scope: `write:allocations`. `POST /api/v1/allocations/transfer`
   */
  transferBetweenVaults: Method<'transferBetweenVaults'>;

  /**
   * List vault entries
   *
   * Lists every entry in the owner's vaults, newest first.
   *
   * Scope: `read:allocations`. `GET /api/v1/allocations/history/{user_id}`
   */
  listAllocationHistory: Method<'listAllocationHistory'>;

  /**
   * List vaults and balances
   *
   * Returns all balances of the owner as they were at one moment. If the service does not know the owner, all balances are zero.
   *
   * Scope: `read:allocations`. `GET /api/v1/allocations/vaults/{user_id}`
   */
  listVaults: Method<'listVaults'>;

  /**
   * Check a purchase's affordability
   *
   * Compares the monthly cost of a purchase with what is safe to spend now. The result is a score from 0 to 100 with
   * its reasons. No money moves. The check is stored in the history.
   *
   * The monthly equivalent is the cost of the purchase per month, rounded half up to the penny. It is 52 / 12 of a
   * `WEEKLY` amount, the whole of a `MONTHLY` amount, 1 / 3 of a `QUARTERLY` amount, and 1 / 12 of an `ANNUAL`
   * amount. In the table, `before` is what is safe to spend now. `after` is `before` less the monthly equivalent.
   *
   * | Factor | Weight | Value, from 0 to 1 |
   * |---|---|---|
   * | `headroom` | 0.55 | `after` / `before`; 0 if nothing is safe to spend |
   * | `stability` | 0.20 | 1 less the coefficient of variation (population) of the last 6 gross pays; 0.5 with fewer than 2 |
   * | `cushion` | 0.15 | the safety buffer / a tenth of the last gross pay |
   * | `punctuality` | 0.10 | payments on time / concluded payments of the last 12 months; 0.5 with none |
   *
   * A payment is concluded once it completes. A failed payment is concluded once its due date is over. A retry after the due date does not change this: the payment stays concluded, and counts as late. Cancelled and returned payments do not count. A
   * payment belongs to the last 12 months if its due date does. If it has no due date, its `execute_on` or the day
   * of the request decides. A payment without a due date counts as due on the day after `execute_on` or, if it has
   * no `execute_on`, on the day after the request.
   *
   * The score is 100 x the weighted sum of the values, rounded half up. A purchase gets 5 more points, up to 100 in
   * total, if its category is essential. The essential categories are `HOUSING`, `UTILITIES`, `COUNCIL_TAX`,
   * `INSURANCE`, `TRANSPORT`, `CHILDCARE` and `CREDIT`. A purchase is `affordable` if `after` is not below zero and
   * the score is at least 50. With the same frequency and category, a larger amount never gets a higher score.
   *
   * The response is 422 `no-income-on-record` if the owner has no paycheck.
   *
   * Scope: `write:affordability`. `POST /api/v1/engine/affordability/simulate`
   */
  simulateAffordability: Method<'simulateAffordability'>;

  /**
   * Get an affordability score
   *
   * Returns the score for a purchase of 0 pence, which shows the owner's financial position today. Nothing is stored. The response is 422 `no-income-on-record` if the owner has no paycheck.
   *
   * Scope: `read:affordability`. `GET /api/v1/engine/affordability/score/{user_id}`
   */
  readAffordabilityScore: Method<'readAffordabilityScore'>;

  /**
   * List affordability checks
   *
   * Lists the owner's checks with their original results, newest first.
   *
   * Scope: `read:affordability`. `GET /api/v1/engine/affordability/history/{user_id}`
   */
  listAffordabilityChecks: Method<'listAffordabilityChecks'>;

  /**
   * Simulate debt repayment
   *
   * Simulates the repayment of the debts month by month. Nothing is stored. In each month:
   *
   * 1. Interest of `balance` x `rate` / 10,000 / 12, rounded half up to the penny, is added to each open debt.
   * 2. The `minimum` of each open debt is paid, or the debt's whole balance if that is less.
   * 3. The rest of `monthly_budget` is paid to the debts in the strategy's order until the budget is used up. The
   *    budget stays the same after a debt is cleared.
   *
   * The service determines the strategy's order again each month, after it has added the interest. **avalanche**
   * pays the debt with the highest rate first and, among equal rates, the lowest balance. **snowball** pays the debt
   * with the lowest balance first and, among equal balances, the highest rate. Debts with the same rate and balance
   * keep the order of the request.
   *
   * `debt_free_date` is `total_months` months after today in London. The first payment is made a month after today,
   * and the last on `debt_free_date`. If a month does not have that day, the last day of the month is used. For
   * example, a month after 31 January is 28 or 29 February.
   *
   * The response is 422 `budget-below-minimums` with `required` and `shortfall` if the budget is less than the sum
   * of the minimums. It is 422 `debt-never-repaid` if something is still owed after 1,200 months.
   *
   * With `Accept: image/svg+xml`, the response is a chart of the balances by month.
   *
   * Scope: `read:debt`. `POST /api/v1/engine/debt/simulate`
   */
  simulateDebts: Method<'simulateDebts'>;

  /**
   * Create a debt plan
   *
   * Simulates the repayment of the debts from `start_date` on, and stores the simulation as a plan whose progress you can follow. Payments through this service to a debt's `provider_id` count automatically. All other payments count only if you record them.
   *
   * Scope: `write:debt`. `POST /api/v1/engine/debt/plan`
   */
  createDebtPlan: Method<'createDebtPlan'>;

  /**
   * List debt plans
   *
   * Lists an owner's plans without their schedules, newest first.
   *
   * Scope: `read:debt`. `GET /api/v1/engine/debt/plans`
   */
  listDebtPlans: Method<'listDebtPlans'>;

  /**
   * Get a debt plan
   *
   * Returns the latest revision of the plan with its schedule. With `Accept: image/svg+xml`, the response is a chart of the schedule's balances by month.
   *
   * Scope: `read:debt`. `GET /api/v1/engine/debt/{plan_id}`
   */
  getDebtPlan: Method<'getDebtPlan'>;

  /**
   * Change a debt plan
   *
   * Makes a new revision of the plan. The service simulates the repayment of today's balances with your changes, and
   * adds one to `revision`. Each debt starts with its `actual_balance` from the plan's progress, unless `debts`
   * gives a new balance. Fields that you leave out stay the same. Earlier revisions are kept.
   *
   * The new schedule counts its months from today, or from `start_date` if that is in the future. From the change
   * on, `expected_balance` in the progress follows the new schedule. If the change comes in the middle of a month of
   * the old schedule, the interest for that part of the month is added in the first month of the new schedule. No
   * such interest is added to a debt with a new balance.
   *
   * Send the plan's `ETag` as `If-Match` to make the change only if the plan is still as you read it. If the plan
   * has changed since then, the response is 412 `precondition-failed` with the current `revision`, and nothing
   * changes. Without `If-Match`, the change applies to the revision that is current. A plan can have at most 500
   * revisions, including the first. Any further change gets 409 `debt-plan-full`.
   *
   * Scope: `write:debt`. `PATCH /api/v1/engine/debt/{plan_id}`
   */
  changeDebtPlan: Method<'changeDebtPlan'>;

  /**
   * Get debt plan progress
   *
   * Compares what is owed today with what the plan expects.
   *
   * **Expected** is the balance in the latest revision's schedule after the whole months that have passed. The
   * months are counted from `start_date`, or from the day of the last change if that is later.
   *
   * **Actual** starts with the balances on the day when the plan began. Interest is added as in the simulation,
   * after each whole month since the plan's start or last change. Each payment is subtracted on its day, after that
   * day's interest.
   *
   * Two kinds of payments count: payments that you recorded, and completed payments that the owner made through this
   * service to a debt's provider. A payment through this service counts only if it was initiated on or after
   * `start_date`. It counts on the day of its completion. It no longer counts if its money was returned. If several
   * debts have the same provider, payments to this provider go to these debts in the strategy's order. The balance
   * of a debt never falls below zero: any excess is ignored. If a change gave a new balance for a debt, that balance
   * is what is owed on the day of the change, regardless of earlier payments.
   *
   * A completed payment counts in one plan only: the newest plan that was active and named the payment's provider
   * when the payment completed. A plan that is created later does not take over the payment, even if the plan's
   * `start_date` is earlier. A plan was active if something was owed on its debts, according to the records of the
   * service at that time. So a payment stays with its plan, even if money is later returned, a plan is changed, or
   * another payment is recorded.
   *
   * Scope: `read:debt`. `GET /api/v1/engine/debt/{plan_id}/progress`
   */
  readDebtProgress: Method<'readDebtProgress'>;

  /**
   * Record a debt payment
   *
   * Records a payment that was made outside this service. Payments through this service to the debt's provider count
   * automatically. This operation moves no money.
   *
   * You cannot delete a recorded payment. To correct one, change the plan and give the debt's correct balance. A
   * plan can have at most 5,000 recorded payments. Any further payment gets 409 `debt-plan-full`.
   *
   * The response is 409 `already-counted` with a `payment_id` if the payment seems to be counted already. This
   * happens if the plan's owner has already paid the same amount to the debt's provider through this service. The
   * earlier payment must have completed within three days of `paid_on` (days in London). It does not matter in which
   * plan that payment counts. If your payment is a different one, send `separate` as true to record it.
   *
   * Scope: `write:debt`. `POST /api/v1/engine/debt/{plan_id}/payments`
   */
  recordDebtPayment: Method<'recordDebtPayment'>;

  /**
   * Post a vault's interest
   *
   * Posts the interest that a vault has earned since its last accrual, up to but not including the day `as_of`. The
   * first accrual begins on the day on which the vault was created. An entry of the kind `interest` adds the money
   * to the vault. The service posts the interest of all vaults on the 1st of each month. Use this operation to post
   * the interest of a vault sooner.
   *
   * The interest of a day is balance x rate / 365, in leap years too. The balance at the end of the day in London
   * counts. The sum of the days' interest and the `remainder` of the last accrual is rounded half up to the penny.
   * The rounding difference is carried forward as the new `remainder`. Posted interest itself earns interest, from
   * the accrual's day `to` onwards.
   *
   * No day earns interest twice. If the interest for all days before `as_of` has already been posted, the response
   * is 200 with the accrual that includes the last of these days. If the rounded sum is 0, an accrual of 0 is stored
   * and no money moves.
   *
   * Scope: `write:yield`. `POST /api/v1/engine/yield/accrue`
   */
  accrueYield: Method<'accrueYield'>;

  /**
   * Get an owner's interest
   *
   * Returns the total interest of an owner's vaults, and the interest of each vault, oldest vault first. If the service does not know the owner, all interest is zero.
   *
   * Scope: `read:yield`. `GET /api/v1/engine/yield/aggregate/{user_id}`
   */
  aggregateYield: Method<'aggregateYield'>;

  /**
   * Get a vault's interest
   *
   * Returns the interest of one vault and a page of its accruals, newest first.
   *
   * Scope: `read:yield`. `GET /api/v1/engine/yield/vault/{vault_id}`
   */
  getVaultYield: Method<'getVaultYield'>;

  /**
   * Forecast an owner's interest
   *
   * Forecasts the interest that an owner's vaults will earn if no money except interest moves in or out. Nothing is
   * stored.
   *
   * Month k runs from today plus k-1 months to today plus k months. In each month, a vault earns balance x rate x
   * days / 365, rounded half up. With reinvestment, this interest is added to the vault's balance.
   *
   * `effective_apy` uses r, the average rate of the vaults, weighted by balance. It is ((1 + r/12)^12 - 1) x 100
   * with reinvestment, and r x 100 without.
   *
   * With `Accept: image/svg+xml`, the response is a chart of balance and interest by month.
   *
   * Scope: `read:yield`. `POST /api/v1/engine/yield/forecast`
   */
  forecastYield: Method<'forecastYield'>;

  /**
   * Execute a payment
   *
   * Pays a bill from an allocation. The service takes the money from the allocation, records the payment, and sends it to the bank at once or on `execute_on`. Poll the payment to follow its progress. A request that is repeated with the same `Idempotency-Key` within 24 hours pays only once.
   *
   * Scope: `write:payments`. `POST /api/v1/payments/execute`
   */
  executePayment: Method<'executePayment'>;

  /**
   * List payments
   *
   * Lists payments, newest first. A user sees their own payments. An API key sees the payments of the owner in `user_id` or, without `user_id`, of all owners of its application. To see a registered person's payments, a key must send the person's id as `user_id`. A key with the scope `admin:owners` sees all payments.
   *
   * Scope: `read:payments`. `GET /api/v1/payments`
   */
  listPayments: Method<'listPayments'>;

  /**
   * List payees
   *
   * Lists the caller's own payees and, in a sandbox, the nine sandbox payees. Bank details are masked.
   *
   * Scope: `read:payments`. `GET /api/v1/payments/providers`
   */
  listProviders: Method<'listProviders'>;

  /**
   * Add a payee
   *
   * Adds a payee. The service stores the name and bank details in the encrypted PII vault. Responses show only masked bank details. If you add the payee with an API key that has the scope `vouch:payees`, the key's application vouches for the payee. Payments to the payee then count towards credentials.
   *
   * Scope: `write:payments`. `POST /api/v1/payments/providers`
   */
  addProvider: Method<'addProvider'>;

  /**
   * Get a payment
   *
   * Returns the payment with its timeline, its attempts and the reason if it failed. You can poll this URL. With `If-None-Match`, the response is 304 while nothing has changed. `Retry-After` says when to poll again. `Prefer: wait=N` delays the response until the status changes, but for at most N seconds.
   *
   * Scope: `read:payments`. `GET /api/v1/payments/{payment_id}`
   */
  getPayment: Method<'getPayment'>;

  /**
   * Retry a failed payment
   *
   * Takes the money from the allocation again, and sends the payment to the bank as the next attempt. A payment can have at most 10 attempts. In production, the response is 422 `income-not-evidenced` if the owner's asserted income does not cover the payment, as for a first attempt.
   *
   * Scope: `write:payments`. `POST /api/v1/payments/{payment_id}/retry`
   */
  retryPayment: Method<'retryPayment'>;

  /**
   * Cancel a pending payment
   *
   * Cancels a payment that is still `pending`, which means that the bank has not accepted it. The money returns to the allocation.
   *
   * Scope: `write:payments`. `POST /api/v1/payments/{payment_id}/cancel`
   */
  cancelPayment: Method<'cancelPayment'>;

  /**
   * Upload a pay document
   *
   * Encrypts and stores a payslip, P60 or P45, and extracts its figures. The file must be a JPEG, PNG or PDF of at
   * most 5,242,880 bytes. The service looks at the content only. The file name, the media type of the part and the
   * order of the parts make no difference.
   *
   * The service waits up to 25 seconds for the document to be read, and then responds with 201. The status is
   * `parsed`, or `failed` with the reason. If reading takes longer, the response is 202 with the status
   * `processing`, and `Location` is the URL to poll. With `Prefer: respond-async`, the service responds at once,
   * usually with 202. With `Prefer: wait=N`, it waits up to N seconds instead of 25.
   *
   * If the owner uploads the same file again, the response has the same document. The HTTP status is then 200, or
   * 202 while the service is still reading the document. A repeated request with the same `Idempotency-Key` does not
   * create another document. It returns the document in its current state, because the service does not store the
   * figures with the key.
   *
   * At most five documents of one owner, and 20 of one application, can be in progress at once. One owner can upload
   * 200 documents within 24 hours, and one application 1,000, unless the operator sets different limits. Above these
   * limits, the response is 429 `too-many-documents`. A registered person's documents do not count towards the
   * limits of an application. A file that the owner uploaded before does not count again.
   *
   * Scope: `write:documents`. `POST /api/v1/legacy/payslip/upload`
   */
  uploadPayslip: Method<'uploadPayslip'>;

  /**
   * Get a pay document
   *
   * Returns the fields that the service found in the document, each with its confidence and page. A field that was
   * not found is null. You can poll this URL. With `If-None-Match`, the response is 304 while nothing has changed.
   * `Retry-After` says when to poll again. `Prefer: wait=N` delays the response until the document has been read,
   * but for at most N seconds.
   *
   * Scope: `read:documents`. `GET /api/v1/legacy/payslip/{doc_id}`
   */
  getPayslip: Method<'getPayslip'>;

  /**
   * Erase a pay document
   *
   * Destroys the file, the figures and the National Insurance number that were found in it, and all their encryption keys. This cannot be undone. Later requests for the document get 410. You can upload the same file again as a new document.
   *
   * Scope: `write:documents`. `DELETE /api/v1/legacy/payslip/{doc_id}`
   */
  deletePayslip: Method<'deletePayslip'>;

  /**
   * Get an owner's tax history
   *
   * Adds up the figures of the owner's documents for each tax year. The newest year comes first. Documents without a
   * tax year are left out.
   *
   * - A payslip counts once, even if you uploaded it as two files or photos. Two uploads are the same payslip if the
   *   employer, the pay date and all figures that both show are the same. Without a pay date, the periods must be
   *   the same.
   * - A P60 replaces the payslips and P45s of its employer in that year. The figures of P60s from different
   *   employers are added together. If one employer has several P60s or several P45s in one year, the last upload
   *   counts.
   * - A P45 replaces the payslips of its employer in that year, if there is no P60 from this employer.
   * - A P60 shows neither net pay nor pension, and a P45 does not show National Insurance either. These figures come
   *   from the replaced payslips if those payslips are complete, and are null otherwise.
   * - Payslips are complete if their total tax equals the tax on the P60 or P45. Their total National Insurance must
   *   also equal the National Insurance on the P60 or P45, if both have a figure. The pay on the P60 or P45 must not
   *   exceed the payslips' total gross pay. It must be at least their total gross pay less their total pension.
   * - If one of two documents has no employer, both usually count as documents of the same employer, so that nothing
   *   counts twice. Two P60s or two P45s count as documents of the same employer only if their gross pay and tax
   *   agree.
   * - A total is null if a counted document does not have the figure. The exception is a payslip that shows no
   *   pension: its pension counts as zero if another document of that year shows a pension.
   *
   * Scope: `read:documents`. `GET /api/v1/legacy/tax-history/{user_id}`
   */
  getTaxHistory: Method<'getTaxHistory'>;

  /**
   * Issue a credential
   *
   * Issues a credential that shows how reliably the owner paid bills in a period. The service counts the bills,
   * scores them, and signs the figures as an SD-JWT VC (ES256, `dc+sd-jwt`).
   *
   * **Payments that count.** A payment counts only if somebody vouches for the payee (see the payee's `vouched_by`).
   * `payments_left_out` is the number of concluded payments to payees for whom nobody vouches. The period ends today
   * in London and begins `period_months` months earlier. It includes its first and last day. The start day of a
   * payment is `execute_on` or, without `execute_on`, the day on which the payment was requested. A payment belongs
   * to the period if its due date is in the period. If a payment has no due date, its start day must be in the
   * period. A due date more than 31 days after the start day is ignored.
   *
   * **Payments on time.** A payment is concluded once it completes. A failed payment is concluded once its due date
   * is over. A payment that was retried after its due date is concluded at once. Cancelled and returned payments do
   * not count. A payment is on time if it completed by the end of its due date. Here, a payment without a due date
   * is due on the day after its start day.
   *
   * **Bills.** A bill consists of all payments to one account in one calendar month. A payment belongs to the month
   * in which it settled. If it did not settle, it belongs to the month of its due date or, without a due date, of
   * its start day. Several payees with the same account count as one payee. A bill counts if it comes to £1 or more.
   * A bill is on time if all its concluded payments were on time.
   *
   * **Score.** `reliability_score` is 700 R + 200 D + 100 S, rounded half up.
   *
   * - R is the share of bills that were on time, multiplied by min(1, `months_covered` / 6). Each bill has the
   *   weight 0.5^(d / 182.5). Here d is the number of days since the bill's last settlement or, if no payment
   *   settled, since its latest due date or start day.
   * - D is `months_covered` / 12, at most 1.
   * - S is n / 12, at most 1. Here n is the number of consecutive months, counted back from the newest month with a
   *   bill, in which all bills were on time. A month without a bill ends the count.
   *
   * The response is 422 `no-payment-history` with `payments_left_out` if no bill counts.
   *
   * The service responds once it has signed the credential. If signing takes longer than 25 seconds (by default),
   * the response is 503 with `credential_id`. The service still signs the credential later, and a request with the
   * same `Idempotency-Key` then returns it.
   *
   * Scope: `write:credential`. `POST /api/v1/credential/generate`
   */
  generateCredential: Method<'generateCredential'>;

  /**
   * Verify a presented credential
   *
   * Verifies an SD-JWT that a holder presented, with all, some or none of its disclosures. The response says whether
   * this service issued the credential, whether it is unchanged, and whether it is still valid.
   *
   * A credential is `tampered` if it was altered, was signed by somebody else, cannot be parsed, or is not on record
   * at this service. This service does not bind its credentials to a key, so a credential with a key binding JWT is
   * also `tampered`.
   *
   * Needs no credential. `POST /api/v1/credential/verify`
   */
  verifyPresentedCredential: Method<'verifyPresentedCredential'>;

  /**
   * Verify a credential by id
   *
   * Says whether a credential is valid, expired or revoked. Each call checks the signature of the stored record. If the record no longer matches its signature, the credential is `tampered`. With `Accept: text/html`, the result is an HTML page.
   *
   * Needs no credential. `GET /api/v1/credential/{credential_id}/verify`
   */
  verifyCredential: Method<'verifyCredential'>;

  /**
   * Revoke a credential
   *
   * Revokes a credential at once. A revocation is permanent. The next download of the status list shows the revocation. Revoking a credential again changes nothing.
   *
   * Scope: `write:credential`. `POST /api/v1/credential/{credential_id}/revoke`
   */
  revokeCredential: Method<'revokeCredential'>;

  /**
   * Export a credential
   *
   * Returns the credential in one of three formats:
   *
   * - JSON with the figures, the status and the SD-JWT
   * - the SD-JWT alone
   * - a signed PDF of one page with a chart, a QR code of the verification URL, and the SD-JWT attached
   *
   * The parameter `format` chooses the format. Without this parameter, the `Accept` header chooses. The default is
   * JSON. A revoked, expired or damaged credential is available as JSON only.
   *
   * Scope: `read:credential`. `GET /api/v1/credential/{credential_id}/export`
   */
  exportCredential: Method<'exportCredential'>;

  /**
   * Get a status list
   *
   * Returns a Token Status List (draft-ietf-oauth-status-list) as a signed JWT. It has one bit for each of its credentials, at the index in the credential's `status` claim. A bit of 1 means that the credential is revoked. `ttl` is the number of seconds for which you can cache the list. `exp` is when the list expires.
   *
   * Needs no credential. `GET /api/v1/credential/status-lists/{list_id}`
   */
  readStatusList: Method<'readStatusList'>;

  /**
   * Get credential type metadata
   *
   * Returns the type metadata (SD-JWT VC) of the credentials. The claim `vct` of each credential is the URL of this metadata.
   *
   * Needs no credential. `GET /api/v1/credential/types/payment-reliability`
   */
  readCredentialType: Method<'readCredentialType'>;

  /**
   * List public keys
   *
   * Lists the public keys that sign credentials, as a JWK set (RFC 7517). The set contains the current key, and the older keys that signed a credential or status list that has not expired. This service's access tokens are opaque, so the set contains no keys for access tokens.
   *
   * Needs no credential. `GET /.well-known/jwks.json`
   */
  readCredentialKeys: Method<'readCredentialKeys'>;

  /**
   * Get credential issuer metadata
   *
   * Returns the issuer metadata (SD-JWT VC), which tells a verifier where the public keys are.
   *
   * Needs no credential. `GET /.well-known/jwt-vc-issuer`
   */
  readCredentialIssuer: Method<'readCredentialIssuer'>;

  /**
   * Store a vault record
   *
   * Checks the data against the schema of its type, and reports up to 100 errors in one response. Encrypts the record with its own key (AES-256-CBC with HMAC-SHA-512) and stores it. Storing the same data twice makes two records.
   *
   * Scope: `write:vault`. `POST /api/v1/vault/store`
   */
  storeVaultRecord: Method<'storeVaultRecord'>;

  /**
   * Get several vault records
   *
   * Decrypts up to 100 records. The response must not be cached. `records` contains the records that could be read. `errors` contains the references of the other records, each with an error code. Both lists keep the order of the request.
   *
   * Scope: `reveal:vault`. `POST /api/v1/vault/batch-retrieve`
   */
  batchRetrieveVaultRecords: Method<'batchRetrieveVaultRecords'>;

  /**
   * Get a vault record
   *
   * Decrypts the record. The response must not be cached. The audit log records the access.
   *
   * Scope: `reveal:vault`. `GET /api/v1/vault/{vault_ref}`
   */
  getVaultRecord: Method<'getVaultRecord'>;

  /**
   * Erase a vault record
   *
   * Destroys the data and its key. This cannot be undone. The response is 409 if the service itself needs the data, such as the email address of an account.
   *
   * Scope: `write:vault`. `DELETE /api/v1/vault/{vault_ref}`
   */
  eraseVaultRecord: Method<'eraseVaultRecord'>;

  /**
   * Verify a vault field
   *
   * Checks whether a field has a given value, without revealing the stored value. The comparison ignores separators in phone numbers, sort codes and account numbers. It ignores letter case in email addresses, and letter case and spaces in codes such as postcodes. By default, after an application has sent 10 wrong values for one record within an hour, the response is 429 for the rest of that hour.
   *
   * Scope: `read:vault`. `POST /api/v1/vault/{vault_ref}/verify`
   */
  verifyVaultField: Method<'verifyVaultField'>;

  /**
   * Get a masked record
   *
   * Shows enough of each field for a person to recognise their own data, and no more.
   *
   * Scope: `read:profile` or `read:vault`. `GET /api/v1/vault/{vault_ref}/masked`
   */
  getMaskedVaultRecord: Method<'getMaskedVaultRecord'>;

  /**
   * List audit events
   *
   * Lists the audit log, newest first. The log contains, for example, status changes of payments, access to personal
   * data (even if refused), sign-ins, and changes of keys and consents.
   *
   * The events of one subject form a hash chain. `hash` covers the event and `previous_hash`. The command `npm run
   * admin -- audit verify` checks the hashes, and so detects a changed or missing event.
   *
   * An API key sees events whose subject belongs to the key's application, and events that a key of this application
   * caused. Only a key with `admin:owners` sees all events, including those of sign-ins, the clock and maintenance.
   *
   * A page can have fewer events than `limit`, or none, even if there are more pages. Continue until `next_cursor`
   * is null.
   *
   * Scope: `admin:audit`. `GET /api/v1/admin/audit-events`
   */
  listAuditEvents: Method<'listAuditEvents'>;

  /**
   * Get service health
   *
   * Checks whether the database, Temporal, the bank and the key service are available. Each check takes at most two seconds. The response also counts waiting work: messages for Temporal, emails, open payments, and payments that need an operator. If the database is not available, the response is 503.
   *
   * Scope: `admin:audit`. `GET /api/v1/admin/health`
   */
  readHealth: Method<'readHealth'>;

  /**
   * Get the business clock
   *
   * Returns the business time. It applies to pay, due and execution dates, interest, and most timestamps. Tokens, codes, rate limits and idempotency keys follow real time instead. This operation does not exist in production.
   *
   * Scope: `admin:audit`. `GET /api/v1/sandbox/clock`
   */
  readClock: Method<'readClock'>;

  /**
   * Advance the business clock
   *
   * Moves the clock forward by a duration (`advance`) or to a given time (`now`). One move covers at most ten years,
   * and the clock never goes beyond the year 2100. After the move, the clock continues at normal speed. A restart of
   * the service does not reset the clock.
   *
   * After the response, every request to any process of the service sees the new time. Payments whose `execute_on`
   * has now been reached start within five seconds. If the clock reaches or passes the 1st of a month, an interest
   * run also starts within five seconds. Concurrent moves run one after the other.
   *
   * This operation does not exist in production.
   *
   * Scope: `admin:audit`. `POST /api/v1/sandbox/clock`
   */
  moveClock: Method<'moveClock'>;

  /**
   * Check liveness
   *
   * Responds as long as the process is running. It checks nothing else.
   *
   * Needs no credential. `GET /livez`
   */
  checkLive: Method<'checkLive'>;

  /**
   * Check readiness
   *
   * Checks that the database is reachable and has the schema that this version needs. The response is 503 while the process is stopping.
   *
   * Needs no credential. `GET /readyz`
   */
  checkReady: Method<'checkReady'>;

  /**
   * Get the OpenAPI document
   *
   * Returns the whole contract of this environment as OpenAPI 3.1. It is also available as YAML at `/openapi.yaml`, and as web pages under `/docs`.
   *
   * Needs no credential. `GET /openapi.json`
   */
  readContract: Method<'readContract'>;

  /**
   * List problem codes
   *
   * Returns a page that lists the `code` of every possible error, with its status and meaning.
   *
   * Needs no credential. `GET /problems`
   */
  listProblems: Method<'listProblems'>;

  /**
   * Explain a problem code
   *
   * Returns a page that says when the error with this code occurs, and what to do about it. The `type` of a problem document is the URL of this page.
   *
   * Needs no credential. `GET /problems/{code}`
   */
  explainProblem: Method<'explainProblem'>;
}
