// Generated from the contract by tools/contract/client.ts. Run `npm run generate` to update it.

import type { Method } from './call.ts';

/** One method for each operation that a program can call. */
export interface Methods {
  /**
   * Register an account
   *
   * Creates an account, and emails a link for verifying the address. The password must not be a common password or the email address. While registration is closed, the request needs an `invitation`.
   *
   * Needs no credential. `POST /api/v1/auth/register`
   */
  registerUser: Method<'registerUser'>;

  /**
   * Sign in with a password
   *
   * Signs a user in, and returns tokens with every scope that a user can have. Too many failed sign-ins to an account lead to 429.
   *
   * Needs no credential. `POST /api/v1/auth/login`
   */
  login: Method<'login'>;

  /**
   * Refresh tokens
   *
   * Exchanges a refresh token for a new token set. For 30 seconds after its first use, a refresh token returns the same new token set again. Using a refresh token again more than 30 seconds after its first use revokes all tokens of the sign-in. A refresh token expires after 30 days, and the sign-in after 90 days.
   *
   * Needs no credential. `POST /api/v1/auth/refresh`
   */
  refreshTokens: Method<'refreshTokens'>;

  /**
   * Get the caller's profile
   *
   * Returns the account of the user, or the application and scopes of the API key.
   *
   * Scope: `read:profile`. `GET /api/v1/auth/me`
   */
  getProfile: Method<'getProfile'>;

  /**
   * Update the caller's profile
   *
   * Sets the user's default `buffer_rate` for paycheck calculations. API keys cannot call this operation.
   *
   * Scope: `write:profile`. `PATCH /api/v1/auth/me`
   */
  updateProfile: Method<'updateProfile'>;

  /**
   * Sign out
   *
   * Revokes all tokens of the caller's sign-in. The person's browser session does not end. API keys cannot call this operation.
   *
   * Any credential will do. `POST /api/v1/auth/logout`
   */
  logout: Method<'logout'>;

  /**
   * Request a password reset link
   *
   * Emails a link for setting a new password, if an account has the email address. The response does not reveal whether an account has the address. The link works once and expires after 30 minutes. An account gets a limited number of reset emails each hour.
   *
   * Needs no credential. `POST /api/v1/auth/forgot-password`
   */
  forgotPassword: Method<'forgotPassword'>;

  /**
   * Reset a password
   *
   * Sets a new password with the token from the password reset email. The reset ends all sessions of the user, and
   * revokes all tokens of the user. It cancels the pending payments that these sign-ins scheduled.
   *
   * The reset also verifies the email address. If the address was unverified before, the service removes the
   * account's consents, payees and links to sign-in providers, and cancels pending payments.
   *
   * Needs no credential. `POST /api/v1/auth/reset-password`
   */
  resetPassword: Method<'resetPassword'>;

  /**
   * Change the caller's password
   *
   * Sets a new password, ends the user's other sign-ins, and cancels the pending payments that they scheduled. A wrong current password counts as a failed sign-in. API keys cannot call this operation.
   *
   * Scope: `write:profile`. `POST /api/v1/auth/change-password`
   */
  changePassword: Method<'changePassword'>;

  /**
   * Verify an email address
   *
   * Verifies an account's email address with the token from the verification email and the account's password. The token works once and expires after 24 hours. A wrong password counts as a failed sign-in.
   *
   * Needs no credential. `POST /api/v1/auth/verify-email`
   */
  verifyEmail: Method<'verifyEmail'>;

  /**
   * Send a verification email
   *
   * Sends the verification email, unless the user's address is already verified. By default, the sixth request of a user within an hour gets 429. API keys cannot call this operation.
   *
   * Any credential will do. `POST /api/v1/auth/verification-mail`
   */
  sendVerificationMail: Method<'sendVerificationMail'>;

  /**
   * Exchange a grant for tokens
   *
   * The token endpoint of OAuth 2.0 (RFC 6749, sections 4.1.3 and 6). To exchange a code, a confidential client
   * sends `client_secret` or uses HTTP Basic, but not both. To exchange a code, a public client sends `client_id`
   * and `code_verifier`. A refresh needs `client_id` but no secret.
   *
   * An authorization code works once and expires after 60 seconds. A second use of a code revokes the tokens of the
   * first use.
   *
   * For 30 seconds after its first use, a refresh token returns the same new token set again. Using a refresh token
   * again more than 30 seconds after its first use revokes all tokens of the sign-in.
   *
   * Needs no credential. `POST /api/v1/auth/token`
   */
  exchangeToken: Method<'exchangeToken'>;

  /**
   * Revoke a token
   *
   * The revocation endpoint of OAuth 2.0 (RFC 7009). Revoking a refresh token revokes all tokens of the sign-in. Revoking an access token revokes only this token. The response is the same for a token that is unknown or belongs to a different client. A confidential client must send its secret.
   *
   * Needs no credential. `POST /api/v1/auth/revoke`
   */
  revokeToken: Method<'revokeToken'>;

  /**
   * Introspect a token
   *
   * The introspection endpoint of OAuth 2.0 (RFC 7662). Only a confidential client can introspect tokens. If the token is not valid, or was issued to a different client, `active` is false.
   *
   * Needs no credential. `POST /api/v1/auth/introspect`
   */
  introspectToken: Method<'introspectToken'>;

  /**
   * Get authorization server metadata
   *
   * Returns metadata with which OAuth libraries can configure themselves (RFC 8414).
   *
   * Needs no credential. `GET /.well-known/oauth-authorization-server`
   */
  readAuthorizationServer: Method<'readAuthorizationServer'>;

  /**
   * Calculate a paycheck
   *
   * Splits a wage and moves the money. Each obligation's amount goes into a vault, the safety buffer is locked, and
   * the rest is safe to spend.
   *
   * **Revisions.** `employee_id` and `pay_date` identify the paycheck. A further calculation of the same paycheck is
   * a revision, which moves only the differences. The money for a bill stays in its vault, also if the vault was
   * renamed since. More money for a bill whose vault was closed gets 409 `vault-closed`. A calculation with a
   * different `pay_date` counts as new income, and so does a further wage of the same day.
   *
   * A revision that no longer covers money already used gets 409 `paycheck-already-committed`. In production,
   * a revision also gets this error if the owner's payments need the asserted income that it takes away. A
   * revision of an `asserted` paycheck by a caller without the scope `assert:income` gets 409 `paycheck-asserted`.
   * A revision that reduces the income gets 409 `paycheck-already-accrued` if interest was posted for the London
   * day of the first calculation or a later day. The response is the same if the paycheck's own allocations, or
   * other new money, have earned interest that is not posted yet. Money is new if the vault held less before the
   * day of the first calculation.
   *
   * **Limits.** The operator can limit the income that an API key with the scope `assert:income` asserts in a
   * calendar month. If the asserted income would exceed a limit of the API key, the response is 422
   * `exceeds-income-limit`. A reduction frees only income that the same key asserted in the same month. An owner
   * can have at most 500 open vaults, and 2,000 in all. If the obligations need more, the response is 422
   * `too-many-vaults`.
   *
   * **Income from a document.** With `payslip_doc_id`, the caller also needs the scope `read:documents`. The
   * response is 422 `document-confidence-too-low` if the document was not read with enough confidence.
   *
   * **Income from a wage.** With `wage_id`, the income is a confirmed wage in the person's bank account, and the caller
   * also needs the scope `read:bank`. A wage is income once: again, the response is 409 `wage-already-calculated`. The
   * first wage of a day revises the paycheck of that day, unless its income is `asserted`. It reduces that paycheck only
   * if the person confirmed the wage while signed in to this service, else the response is 409 `wage-below-paycheck`.
   * Each further wage of the day is a paycheck of its own, with its own revision 1.
   *
   * Scope: `write:paycheck`. `POST /api/v1/engine/paycheck/calculate`
   */
  calculatePaycheck: Method<'calculatePaycheck'>;

  /**
   * Simulate a paycheck
   *
   * Returns the figures of a calculation, without storing anything or moving money. The simulation does not check whether a revision would be refused, or a wage was calculated before. With `Accept: image/svg+xml`, the response is a chart of the split.
   *
   * Scope: `write:paycheck`. `POST /api/v1/engine/paycheck/simulate`
   */
  simulatePaycheck: Method<'simulatePaycheck'>;

  /**
   * List paycheck calculations
   *
   * Lists the employee's calculations, including revisions, newest first.
   *
   * Scope: `read:paycheck`. `GET /api/v1/engine/paycheck/history`
   */
  listPaychecks: Method<'listPaychecks'>;

  /**
   * Explain a paycheck calculation
   *
   * Returns the steps of a stored calculation. With `Accept: image/svg+xml`, the response is a chart of the split.
   *
   * Scope: `read:paycheck`. `GET /api/v1/engine/paycheck/{id}/breakdown`
   */
  explainPaycheck: Method<'explainPaycheck'>;

  /**
   * List paydays
   *
   * Lists what the standing split made of the owner's wages, newest first: the calculation, the payments, and what was left out and why. An access token lists the person's own. With an API key, send the person's id as `user_id`.
   *
   * Scope: `read:paycheck`. `GET /api/v1/engine/paycheck/paydays`
   */
  listPaydays: Method<'listPaydays'>;

  /**
   * Get a standing split
   *
   * Returns what happens with each confirmed wage of the owner. Without a standing split, the response is 404.
   *
   * Scope: `read:paycheck`. `GET /api/v1/engine/standing-split/{user_id}`
   */
  readStandingSplit: Method<'readStandingSplit'>;

  /**
   * Set the standing split
   *
   * Says what happens with each wage from now on. A confirmed wage is split as in `calculatePaycheck`: each entry sets
   * its `amount` aside, in the vault of its `category` and `type`. If the wage does not cover them all, entries at the end
   * of the list are left out.
   *
   * **Bills.** An entry with a `provider_id` also pays. With a day in `pay_on`, it pays once a calendar month, however many
   * wages come. A shorter month counts with its last day. With `on_arrival`, it pays with each wage. The payment is made in
   * the name of the person or key that last changed the entry. If they may no longer pay for the owner, the entry is left
   * out.
   *
   * **Changes.** Send back the `entry_id` of each entry that stays. An entry without one is new, and one that you leave out
   * is dropped. If nobody else in the split pays its payee, its scheduled payment is cancelled. To rename an entry renames its
   * vault. If the split has paid a payee for this month, a new entry for this payee pays from next month on. So does an entry
   * that gets this payee, or another day.
   *
   * To add, change, pause or drop an entry with a `provider_id` also needs the scope `write:payments`. A new password pauses
   * the split. To avoid overwriting another change, send the `ETag` as `If-Match`.
   *
   * Scope: `write:paycheck`. `PUT /api/v1/engine/standing-split/{user_id}`
   */
  setStandingSplit: Method<'setStandingSplit'>;

  /**
   * Delete a standing split
   *
   * Drops all entries. Wages are no longer split by themselves, and scheduled payments of the split are cancelled. To delete it again changes nothing. If an entry has a `provider_id`, this needs the scope `write:payments` too.
   *
   * Scope: `write:paycheck`. `DELETE /api/v1/engine/standing-split/{user_id}`
   */
  deleteStandingSplit: Method<'deleteStandingSplit'>;

  /**
   * Allocate money to a vault
   *
   * Moves money from what is safe to spend into the owner's vault with the given type and label. If the owner has no open vault with this type and label, the service creates the vault. The response is 422 `exceeds-safe-to-spend` if the amount is more than is safe to spend. An owner can have at most 500 open vaults, and 2,000 in all. For a further vault, the response is 422 `too-many-vaults`.
   *
   * Scope: `write:allocations`. `POST /api/v1/allocations/allocate`
   */
  allocate: Method<'allocate'>;

  /**
   * Withdraw money from a vault
   *
   * Moves money from a vault back to what is safe to spend. The response is 422 `insufficient-vault-balance` if the amount is more than the vault or the named allocation holds. One request can take money from at most 1,000 allocations. If the amount needs more, the response is 422 `too-many-allocations`, and `available` gives the amount that one request can take.
   *
   * Scope: `write:allocations`. `POST /api/v1/allocations/withdraw`
   */
  withdraw: Method<'withdraw'>;

  /**
   * Transfer money between vaults
   *
   * Moves money from the oldest allocations of a vault into a new allocation in another vault of the same owner. If the owner has no open vault with the given `to_vault_type` and `to_label`, the service creates the vault. The response is 422 `insufficient-vault-balance` if the amount is more than the source vault holds. The limits and errors for new vaults are those of an allocation. The limit and error for the number of allocations are those of a withdrawal.
   *
   * Scope: `write:allocations`. `POST /api/v1/allocations/transfer`
   */
  transferBetweenVaults: Method<'transferBetweenVaults'>;

  /**
   * List vault entries
   *
   * Lists the entries of the owner's vaults, newest first.
   *
   * Scope: `read:allocations`. `GET /api/v1/allocations/history/{user_id}`
   */
  listAllocationHistory: Method<'listAllocationHistory'>;

  /**
   * Rename a vault
   *
   * Gives a vault a new label, which its earlier entries show too. Money for the old label then goes into a new vault. If another open vault of the owner has the same type and label, the response is 409 `label-taken`. If the vault is closed, the response is 409 `vault-closed`.
   *
   * Scope: `write:allocations`. `PATCH /api/v1/allocations/vault/{vault_id}`
   */
  renameVault: Method<'renameVault'>;

  /**
   * Close a vault
   *
   * Closes an empty vault. It leaves the list of vaults, and its history stays. If you allocate money to its label,
   * the service opens a new vault. To close a closed vault again changes nothing.
   *
   * The response is 409 `vault-not-empty` if the vault holds money, has interest that is not posted yet, or pays a
   * payment that is pending or processing. If a payment comes back later, its money is in the closed vault. The list
   * then shows the vault until the money is withdrawn, transferred or paid.
   *
   * Scope: `write:allocations`. `DELETE /api/v1/allocations/vault/{vault_id}`
   */
  closeVault: Method<'closeVault'>;

  /**
   * List vaults and balances
   *
   * Returns the balances of an owner. A closed vault is there only while it holds money that came back.
   *
   * Scope: `read:allocations`. `GET /api/v1/allocations/vaults/{user_id}`
   */
  listVaults: Method<'listVaults'>;

  /**
   * Check a purchase's affordability
   *
   * Checks whether an owner can afford a recurring purchase, and stores the result in the history. No money moves.
   *
   * The monthly cost of a `WEEKLY` amount is 52 / 12 of the amount. The monthly cost of a `QUARTERLY` amount is 1 /
   * 3 of the amount. The monthly cost of an `ANNUAL` amount is 1 / 12 of the amount. The monthly cost is rounded
   * half up to the penny. In the table, `before` is what is safe to spend now. With a standing split that is not paused,
   * it is the lowest amount of the next 31 days in the outlook, at least 0. The amount `after` is `before` less
   * the monthly cost.
   *
   * | Factor | Weight | Value, from 0 to 1 |
   * |---|---|---|
   * | `headroom` | 0.55 | `after` / `before`; 0 if nothing is safe to spend |
   * | `stability` | 0.20 | 1 less the coefficient of variation (population) of the last 6 gross pays; 0.5 with fewer than 2 |
   * | `cushion` | 0.15 | the safety buffer / a tenth of the last gross pay |
   * | `punctuality` | 0.10 | payments on time / (payments on time + missed payments) of the last 12 months; 0.5 with none |
   *
   * A payment is on time if it completed by the end of its due date. A payment is missed if it completed or was
   * retried after its due date. A failed payment is missed once its due date is over. A payment without a due date
   * is due on the day after `execute_on` or, without `execute_on`, on the day after the request. Cancelled and
   * returned payments do not count.
   *
   * The score is 100 x the weighted sum of the values, rounded half up. An essential category adds 5 points, up to a
   * score of 100. The essential categories are `HOUSING`, `UTILITIES`, `COUNCIL_TAX`, `INSURANCE`, `TRANSPORT`,
   * `CHILDCARE` and `CREDIT`.
   *
   * The response is 422 `no-income-on-record` if the owner has no paycheck.
   *
   * Scope: `write:affordability`. `POST /api/v1/engine/affordability/simulate`
   */
  simulateAffordability: Method<'simulateAffordability'>;

  /**
   * Get an affordability score
   *
   * Returns the score for a purchase of 0 pence, without storing a check. It uses the outlook as a check does. The response is 422 `no-income-on-record` if the owner has no paycheck.
   *
   * Scope: `read:affordability`. `GET /api/v1/engine/affordability/score/{user_id}`
   */
  readAffordabilityScore: Method<'readAffordabilityScore'>;

  /**
   * List affordability checks
   *
   * Lists the owner's affordability checks, newest first.
   *
   * Scope: `read:affordability`. `GET /api/v1/engine/affordability/history/{user_id}`
   */
  listAffordabilityChecks: Method<'listAffordabilityChecks'>;

  /**
   * Look ahead
   *
   * Says what will be safe to spend, day by day, if everything goes as planned. The first day is today in London.
   *
   * `in` is what the next wages will add to the money that is safe to spend. The standing split's amounts and the safety
   * buffer are set aside first. A payer's next wages follow from the rhythm of their credits. The person must have a
   * confirmed wage from them.
   *
   * `out` is what bills and debts will take from that money: the part of a bill with a day that its vault will not
   * cover, and the monthly budget of debt plans. `bills` names what is paid on the day, also from vaults.
   *
   * `short_on` is the first day on which more is due than is safe to spend, or null.
   *
   * Scope: `read:affordability`. `GET /api/v1/engine/affordability/outlook/{user_id}`
   */
  readOutlook: Method<'readOutlook'>;

  /**
   * Simulate debt repayment
   *
   * Simulates the repayment of debts month by month. Nothing is stored.
   *
   * Each month has three steps. First, interest of `balance` x `rate` / 120,000, rounded half up to the penny, is
   * added to each open debt. Second, the `minimum` of each open debt is paid, or the debt's whole balance if that is
   * less. Third, the rest of `monthly_budget` is paid to the debts in the order of the strategy.
   *
   * The strategy's order is determined anew each month, after the interest is added. Among equal rates, `avalanche`
   * pays the debt with the lowest balance first. Among equal balances, `snowball` pays the debt with the highest
   * rate first.
   *
   * The first payment is a month after today in London. The response is 422 `budget-below-minimums` if
   * `monthly_budget` is less than the sum of the minimums. The response is 422 `debt-never-repaid` if something is
   * still owed after 1,200 months.
   *
   * With `Accept: image/svg+xml`, the response is a chart of the balances by month.
   *
   * Scope: `read:debt`. `POST /api/v1/engine/debt/simulate`
   */
  simulateDebts: Method<'simulateDebts'>;

  /**
   * Create a debt plan
   *
   * Simulates the repayment of debts from `start_date`, and stores the result as a plan. Payments outside this service count only if you record them. An owner can have at most 200 plans that are not closed, and 1,000 in all. For a further plan, the response is 422 `too-many-debt-plans`.
   *
   * Scope: `write:debt`. `POST /api/v1/engine/debt/plan`
   */
  createDebtPlan: Method<'createDebtPlan'>;

  /**
   * List debt plans
   *
   * Lists an owner's plans that are not closed, newest first, without their schedules.
   *
   * Scope: `read:debt`. `GET /api/v1/engine/debt/plans`
   */
  listDebtPlans: Method<'listDebtPlans'>;

  /**
   * Get a debt plan
   *
   * Returns the latest revision of a plan. With `Accept: image/svg+xml`, the response is a chart of the schedule's balances by month.
   *
   * Scope: `read:debt`. `GET /api/v1/engine/debt/{plan_id}`
   */
  getDebtPlan: Method<'getDebtPlan'>;

  /**
   * Change a debt plan
   *
   * Makes a new revision of a plan, and simulates the repayment again from today's balances. Each debt starts with
   * `actual_balance` from the plan's progress, unless `debts` gives a new balance. Fields that you leave out stay
   * the same. The new schedule counts its months from today, or from `start_date` if `start_date` is later.
   *
   * To avoid overwriting another change, send the plan's `ETag` as `If-Match`. If the plan has changed, the response
   * is 412 `precondition-failed`. A plan can have at most 500 revisions.
   *
   * Scope: `write:debt`. `PATCH /api/v1/engine/debt/{plan_id}`
   */
  changeDebtPlan: Method<'changeDebtPlan'>;

  /**
   * Close a debt plan
   *
   * Closes a plan, whether it is active or completed. It leaves the list of plans, and counts no more payments. Its progress until today stays readable by its id. To close a closed plan again changes nothing. A request to change the plan or to record a payment then gets 409 `plan-closed`.
   *
   * Scope: `write:debt`. `DELETE /api/v1/engine/debt/{plan_id}`
   */
  closeDebtPlan: Method<'closeDebtPlan'>;

  /**
   * Get debt plan progress
   *
   * Compares what is owed today with the schedule of the plan's latest revision. The expected balance is the balance
   * in the schedule after the whole months that have passed.
   *
   * The actual balance starts with the plan's first balances, grows by interest after each whole month, and falls
   * with each counted payment. If a change gave a new balance for a debt, the actual balance continues from that
   * balance.
   *
   * Recorded payments count. A completed payment through this service counts in the newest plan that was active and
   * named the payee when the payment completed. A payment through this service does not count if it was initiated
   * before `start_date`. A payment whose money was returned does not count.
   *
   * Scope: `read:debt`. `GET /api/v1/engine/debt/{plan_id}/progress`
   */
  readDebtProgress: Method<'readDebtProgress'>;

  /**
   * Record a debt payment
   *
   * Records a payment that was made outside this service. No money moves. A recorded payment cannot be deleted. To
   * correct a payment, change the plan with the debt's correct balance.
   *
   * The response is 409 `already-counted` if a similar payment completed through this service. To record the payment
   * anyway, send `separate` as true. A plan can have at most 5,000 recorded payments.
   *
   * Scope: `write:debt`. `POST /api/v1/engine/debt/{plan_id}/payments`
   */
  recordDebtPayment: Method<'recordDebtPayment'>;

  /**
   * Post a vault's interest
   *
   * Posts the interest that a vault has earned since its last accrual, for the days before `as_of`. The service also
   * posts interest on the 1st of each month.
   *
   * The interest of a day is the balance at the end of the day in London x rate / 365, in leap years too. The sum of
   * the days' interest and the `remainder` of the last accrual is rounded half up to the penny. Posted interest earns
   * interest from the day `to` of its accrual, however late it is posted.
   *
   * If the interest for all days before `as_of` was already posted, the response is 200 with the accrual that
   * includes the last of these days.
   *
   * Scope: `write:yield`. `POST /api/v1/engine/yield/accrue`
   */
  accrueYield: Method<'accrueYield'>;

  /**
   * Get an owner's interest
   *
   * Returns the interest of an owner's vaults, in total and for each vault.
   *
   * Scope: `read:yield`. `GET /api/v1/engine/yield/aggregate/{user_id}`
   */
  aggregateYield: Method<'aggregateYield'>;

  /**
   * Get a vault's interest
   *
   * Returns the interest of a vault, and a page of the vault's accruals, newest first.
   *
   * Scope: `read:yield`. `GET /api/v1/engine/yield/vault/{vault_id}`
   */
  getVaultYield: Method<'getVaultYield'>;

  /**
   * Forecast an owner's interest
   *
   * Forecasts the interest of an owner's vaults, if no money except interest moves in or out. In each month, a vault
   * earns balance x rate x days / 365, rounded half up.
   *
   * `effective_apy` is ((1 + r/12)^12 - 1) x 100 with reinvestment, and r x 100 without. In this formula, r is the
   * vaults' average rate, weighted by balance.
   *
   * With `Accept: image/svg+xml`, the response is a chart of balance and interest by month.
   *
   * Scope: `read:yield`. `POST /api/v1/engine/yield/forecast`
   */
  forecastYield: Method<'forecastYield'>;

  /**
   * Execute a payment
   *
   * Pays a bill from an allocation. The amount leaves the allocation at once, even if `execute_on` is in the future.
   * To follow the progress of the payment, get the payment.
   *
   * The person's newest authorised connection to the payee pays, within the limits that the person set at the bank.
   * An owner who never connected a bank to pay with is paid for by the operator's account, if there is one.
   *
   * Scope: `write:payments`. `POST /api/v1/payments/execute`
   */
  executePayment: Method<'executePayment'>;

  /**
   * List payments
   *
   * Lists payments, newest first. A user's access token lists that user's payments. Without `user_id`, an API key lists the payments of its application's owners, or of all owners if it has the scope `admin:owners`. To list only a registered user's payments with an API key, send the user's id as `user_id`.
   *
   * Scope: `read:payments`. `GET /api/v1/payments`
   */
  listPayments: Method<'listPayments'>;

  /**
   * List payees
   *
   * Lists the payees of the user, or of the API key's application, newest first. In a sandbox, the list also contains the sandbox payees.
   *
   * Scope: `read:payments`. `GET /api/v1/payments/providers`
   */
  listProviders: Method<'listProviders'>;

  /**
   * Add a payee
   *
   * Adds a payee for the user, or for the API key's application. If the API key has the scope `vouch:payees`, payments to the payee can count towards credentials.
   *
   * Scope: `write:payments`. `POST /api/v1/payments/providers`
   */
  addProvider: Method<'addProvider'>;

  /**
   * Rename a payee
   *
   * Gives a payee of the user, or of the API key's application, a new name. Payments that the bank does not have yet are sent with the new name. The response is 409 `payee-in-use` at the moment in which a payment to the payee might be at the bank without a clear response. If payments to the payee get 409 `payee-unconfirmed` since the service was restored from a backup, a person confirms the payee by sending its present name.
   *
   * Scope: `write:payments`. `PATCH /api/v1/payments/providers/{provider_id}`
   */
  renameProvider: Method<'renameProvider'>;

  /**
   * Remove a payee
   *
   * Removes a payee of the user, or of the API key's application, and erases its bank details. Earlier payments stay, and a failed one cannot be retried. The response is 409 `payee-in-use` while a payment to the payee is pending or processing. To remove a removed payee again changes nothing.
   *
   * Scope: `write:payments`. `DELETE /api/v1/payments/providers/{provider_id}`
   */
  removeProvider: Method<'removeProvider'>;

  /**
   * Get a payment
   *
   * Returns a payment with its timeline and attempts. Poll this operation while the response has a `Retry-After` header.
   *
   * Scope: `read:payments`. `GET /api/v1/payments/{payment_id}`
   */
  getPayment: Method<'getPayment'>;

  /**
   * Retry a failed payment
   *
   * Takes the amount from the allocation again and starts the next attempt. A payment can have at most 10 attempts. A payment cannot be retried if `retryable` is false in `failure`.
   *
   * Scope: `write:payments`. `POST /api/v1/payments/{payment_id}/retry`
   */
  retryPayment: Method<'retryPayment'>;

  /**
   * Cancel a pending payment
   *
   * Cancels a payment whose status is `pending`. The amount returns to the allocation.
   *
   * Scope: `write:payments`. `POST /api/v1/payments/{payment_id}/cancel`
   */
  cancelPayment: Method<'cancelPayment'>;

  /**
   * List banks
   *
   * Lists the banks that this service can reach. `reads` says whether the service can read a person's accounts there. `pays` says which payees it can pay from there.
   *
   * Scope: `read:bank`. `GET /api/v1/bank/banks`
   */
  listBanks: Method<'listBanks'>;

  /**
   * List connections
   *
   * Lists the connections of a person, newest first. An access token lists the person's own. With an API key, send the person's id as `user_id`.
   *
   * Scope: `read:bank`. `GET /api/v1/bank/connections`
   */
  listConnections: Method<'listConnections'>;

  /**
   * Connect a bank
   *
   * Prepares a connection to a person's bank, to read the accounts (`accounts`) or to pay one payee (`payments`).
   * Nothing happens at the bank yet: send the person's browser to `authorise_url` within 30 minutes. There the
   * person signs in, sees what is asked, and goes to the bank.
   *
   * `provider_id` and `limits` go together, and with `payments` only. In production, the person must have verified
   * their email address before a connection can make payments.
   *
   * Scope: `write:bank`. `POST /api/v1/bank/connections`
   */
  connectBank: Method<'connectBank'>;

  /**
   * Get a connection
   *
   * Returns a connection. Poll this operation while the response has a `Retry-After` header: it does while `authorise_url` is set, and while the accounts are being read.
   *
   * Scope: `read:bank`. `GET /api/v1/bank/connections/{connection_id}`
   */
  getConnection: Method<'getConnection'>;

  /**
   * End a connection
   *
   * Ends a connection here at once, and its consent at the bank. If the bank does not respond, the response is 202, and the service goes on until the bank has ended the consent. To end an ended connection again changes nothing.
   *
   * Scope: `write:bank`. `DELETE /api/v1/bank/connections/{connection_id}`
   */
  disconnectBank: Method<'disconnectBank'>;

  /**
   * Authorise a connection again
   *
   * Prepares a new journey to the bank, with the same institution, payee and limits. Send the person's browser to `authorise_url` within 30 minutes. Until the person has authorised the connection again, it works as before.
   *
   * Scope: `write:bank`. `POST /api/v1/bank/connections/{connection_id}/reauthorise`
   */
  reauthoriseConnection: Method<'reauthoriseConnection'>;

  /**
   * Confirm further reading
   *
   * The service may read a person's accounts for 90 days after the person allowed or confirmed it. Only the person can confirm: an access token must come from `login`, and not from an OAuth client. Some banks ask for a new journey instead. Then the response is 409 `bank-authorisation-needed`, with an `authorise_url`.
   *
   * Scope: `write:bank`. `POST /api/v1/bank/connections/{connection_id}/reconfirm`
   */
  reconfirmConnection: Method<'reconfirmConnection'>;

  /**
   * Read the accounts now
   *
   * Asks the bank for the balances and the new transactions of the connection's accounts. Poll `getConnection` until
   * its response has no `Retry-After` header; `last_sync` then says how it went. If the accounts are being read
   * already, this request joins that reading.
   *
   * Banks allow few reads a day without the person. If no account may be read now, the response is 429
   * `bank-read-limit`. A person's own request does not count if they signed in within the last five minutes: with
   * an access token from `login`, at most 20 times a day.
   *
   * Scope: `write:bank`. `POST /api/v1/bank/connections/{connection_id}/sync`
   */
  syncConnection: Method<'syncConnection'>;

  /**
   * List bank transactions
   *
   * Lists the booked transactions of a person's current and savings accounts in pounds, the latest booked first. An access token lists the person's own. With an API key, send the person's id as `user_id`. Transactions are kept for 400 days.
   *
   * Scope: `read:bank`. `GET /api/v1/bank/transactions`
   */
  listTransactions: Method<'listTransactions'>;

  /**
   * List wages
   *
   * Lists the credits in a person's accounts that are, or may be, a wage, the latest received first. An access token lists the person's own. With an API key, send the person's id as `user_id`.
   *
   * Scope: `read:bank`. `GET /api/v1/bank/wages`
   */
  listWages: Method<'listWages'>;

  /**
   * Confirm a wage
   *
   * Says that a credit is a wage, whether or not the service has suggested it. From then on, its payer is known: later
   * credits of this payer are confirmed by themselves, if they are half to twice the last confirmed amount.
   *
   * The person must act themselves if the payer is not known yet or not named, or if the amount is outside this range.
   * They use an access token from `login`, or the page in `confirm_url` of the response 403 `own-sign-in-required`.
   *
   * A confirmed wage is income, so the request needs the scope `write:paycheck` too.
   *
   * Scope: `write:bank`. `POST /api/v1/bank/wages`
   */
  confirmWage: Method<'confirmWage'>;

  /**
   * Compare vaults with the bank
   *
   * Compares what a person has set aside in this service with what their own bank accounts hold.
   *
   * `bank_balance` is the sum over the current and savings accounts in pounds that the person's authorised
   * connections read. Each account counts once. Borrowed money does not count: it is `available` less `credit_line`
   * or, if the bank does not say both, `balance`. Cards and other currencies are never counted.
   *
   * Scope: `read:bank`. `GET /api/v1/bank/backing/{user_id}`
   */
  getBacking: Method<'getBacking'>;

  /**
   * Upload a pay document
   *
   * Encrypts and stores a payslip, P60 or P45, and extracts the figures.
   *
   * By default, the service waits up to 25 seconds for the document to be read. If reading takes longer, the
   * response is 202 with the status `processing`. Poll the URL in `Location` until the status changes. If the owner
   * uploads the same file again, the response is the same document, unless the document was erased.
   *
   * At most five documents of one owner, and 20 of one application, can be in progress at once. By default, one
   * owner can upload 200 documents within 24 hours, and one application 1,000. If a limit is exceeded, the response
   * is 429 `too-many-documents`. A registered user's documents do not count towards the limits of an application.
   *
   * Scope: `write:documents`. `POST /api/v1/legacy/payslip/upload`
   */
  uploadPayslip: Method<'uploadPayslip'>;

  /**
   * Get a pay document
   *
   * Returns a document with the figures that were found. Poll this operation while the response has a `Retry-After` header.
   *
   * Scope: `read:documents`. `GET /api/v1/legacy/payslip/{doc_id}`
   */
  getPayslip: Method<'getPayslip'>;

  /**
   * Erase a pay document
   *
   * Permanently destroys the file and the data that was read from the file. Later requests for the document get 410. You can upload the same file again as a new document.
   *
   * Scope: `write:documents`. `DELETE /api/v1/legacy/payslip/{doc_id}`
   */
  deletePayslip: Method<'deletePayslip'>;

  /**
   * Get an owner's tax history
   *
   * Adds up the figures of the owner's documents for each tax year, newest year first. Documents without a tax year
   * are left out. If the owner has more than 1,000 documents with the status `parsed`, only the 1,000 that were
   * uploaded last count.
   *
   * Two payslips count once if their employer, their pay date or period, and their figures agree.
   *
   * A P60 replaces the payslips and P45s of the same employer in that year. Without a P60, a P45 replaces the
   * payslips of the same employer in that year. Of several P60s or P45s from one employer in one year, the last
   * upload counts.
   *
   * If the replaced payslips agree with the P60 or P45, figures that the P60 or P45 does not show come from these
   * payslips. If a figure is missing, the total is null, but a missing pension can count as zero.
   *
   * Scope: `read:documents`. `GET /api/v1/legacy/tax-history/{user_id}`
   */
  getTaxHistory: Method<'getTaxHistory'>;

  /**
   * Issue a credential
   *
   * Issues a credential that shows how reliably the owner paid bills in a period, signed as an SD-JWT VC. The period
   * ends today in London and begins `period_months` months earlier.
   *
   * **Payments.** Payments count only if somebody vouches for the payee. A payment is in the period if its due date
   * is in the period. A payment without a due date is in the period if its execution day is in the period. Without
   * `execute_on`, the execution day is the day of the request. A due date more than 31 days after the execution day
   * is ignored. Cancelled and returned payments do not count.
   *
   * **On time.** A payment is on time if it completed by the end of its due date. A payment without a due date is
   * due on the day after its execution day. A failed payment counts as missed once its due date is over. A payment
   * that was retried after its due date counts as missed.
   *
   * **Bills.** A bill is all counted payments to one account in one calendar month, if they come to £1 or more. A
   * payment belongs to the month in which it settled. An unsettled payment belongs to the month of its due date or,
   * without a due date, of its execution day. A bill is on time if all its payments were on time.
   *
   * **Score.** `reliability_score` is 700 R + 200 D + 100 S, rounded half up. R is the weighted share of bills on
   * time, multiplied by min(1, `months_covered` / 6). The weight of a bill is 0.5^(d / 182.5), where d is the number
   * of days since the bill's last settlement. If no payment of a bill settled, d counts from the latest due date or
   * execution day. D is min(1, `months_covered` / 12). S is min(1, n / 12), where n is the number of months in a row
   * with every bill on time. These months are counted back from the newest month with a bill, and a month without a
   * bill ends the count.
   *
   * The response is 422 `no-payment-history` if no bill counts. If signing takes too long, the response is 503. To
   * get the credential after a 503, send the request again with the same `Idempotency-Key`.
   *
   * Scope: `write:credential`. `POST /api/v1/credential/generate`
   */
  generateCredential: Method<'generateCredential'>;

  /**
   * Verify a presented credential
   *
   * Verifies an SD-JWT that a holder presented, with all, some or none of the disclosures. White space in it does not count. A credential that was altered is `tampered`, and so is one with a key binding JWT, because this service does not bind credentials to keys. Text that is no SD-JWT gets 422 `not-a-credential`.
   *
   * Needs no credential. `POST /api/v1/credential/verify`
   */
  verifyPresentedCredential: Method<'verifyPresentedCredential'>;

  /**
   * Verify a credential by id
   *
   * Checks whether a credential is valid, expired, revoked or `tampered`. With `Accept: text/html`, the result is an HTML page.
   *
   * Needs no credential. `GET /api/v1/credential/{credential_id}/verify`
   */
  verifyCredential: Method<'verifyCredential'>;

  /**
   * Revoke a credential
   *
   * Revokes a credential permanently. Revoking a credential again changes nothing.
   *
   * Scope: `write:credential`. `POST /api/v1/credential/{credential_id}/revoke`
   */
  revokeCredential: Method<'revokeCredential'>;

  /**
   * Export a credential
   *
   * Returns a credential as JSON, as an SD-JWT, or as a signed PDF of one page. A revoked, expired or damaged credential is available as JSON only.
   *
   * Scope: `read:credential`. `GET /api/v1/credential/{credential_id}/export`
   */
  exportCredential: Method<'exportCredential'>;

  /**
   * Get a status list
   *
   * Returns a Token Status List (draft-ietf-oauth-status-list) as a signed JWT. The bit at the index in a credential's `status` claim is 1 if the credential is revoked.
   *
   * Needs no credential. `GET /api/v1/credential/status-lists/{list_id}`
   */
  readStatusList: Method<'readStatusList'>;

  /**
   * Get credential type metadata
   *
   * Returns the type metadata of the credentials (SD-JWT VC). The claim `vct` of a credential is the URL of this metadata.
   *
   * Needs no credential. `GET /api/v1/credential/types/payment-reliability`
   */
  readCredentialType: Method<'readCredentialType'>;

  /**
   * List public keys
   *
   * Lists the public keys for verifying credentials and status lists, as a JWK set (RFC 7517).
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
   * Encrypts and stores a record of personal data, and returns the record's reference.
   *
   * Scope: `write:vault`. `POST /api/v1/vault/store`
   */
  storeVaultRecord: Method<'storeVaultRecord'>;

  /**
   * Get several vault records
   *
   * Returns several records with their decrypted personal data. `records` contains the records that could be read. `errors` contains the references of the records that could not be read. Both lists keep the order of the request.
   *
   * Scope: `reveal:vault`. `POST /api/v1/vault/batch-retrieve`
   */
  batchRetrieveVaultRecords: Method<'batchRetrieveVaultRecords'>;

  /**
   * Get a vault record
   *
   * Returns a record with its decrypted personal data. The audit log records the access.
   *
   * Scope: `reveal:vault`. `GET /api/v1/vault/{vault_ref}`
   */
  getVaultRecord: Method<'getVaultRecord'>;

  /**
   * Erase a vault record
   *
   * Permanently destroys the data of a record. The response is 409 `pii-in-use` if an account or a payee of this service needs the record.
   *
   * Scope: `write:vault`. `DELETE /api/v1/vault/{vault_ref}`
   */
  eraseVaultRecord: Method<'eraseVaultRecord'>;

  /**
   * Verify a vault field
   *
   * Checks whether a field has a given value, without revealing the stored value. The comparison ignores separators in phone numbers, sort codes and account numbers. The comparison ignores letter case in email addresses and in codes such as postcodes. By default, after 10 wrong values for one record within an hour, the application gets 429 for that record.
   *
   * Scope: `read:vault`. `POST /api/v1/vault/{vault_ref}/verify`
   */
  verifyVaultField: Method<'verifyVaultField'>;

  /**
   * Get a masked record
   *
   * Returns the masked fields of a record, for display.
   *
   * Scope: `read:profile` or `read:vault`. `GET /api/v1/vault/{vault_ref}/masked`
   */
  getMaskedVaultRecord: Method<'getMaskedVaultRecord'>;

  /**
   * List audit events
   *
   * Lists audit events, newest first. Without the scope `admin:owners`, an API key lists only events whose subject
   * belongs to its application, or that its application's keys caused.
   *
   * A page can have fewer events than `limit`, or none, even if there are more pages. Continue until `next_cursor`
   * is null.
   *
   * The events of one subject form a hash chain, so a changed event can be detected.
   *
   * Scope: `admin:audit`. `GET /api/v1/admin/audit-events`
   */
  listAuditEvents: Method<'listAuditEvents'>;

  /**
   * Get service health
   *
   * Checks whether the database, Temporal, the bank and the key service are available, and counts waiting work. The response is 503 if the database is not available.
   *
   * Scope: `admin:audit`. `GET /api/v1/admin/health`
   */
  readHealth: Method<'readHealth'>;

  /**
   * Get the business clock
   *
   * Returns the business time, which applies to business dates, interest and most timestamps. Tokens, codes, rate limits and idempotency keys follow real time. This operation does not exist in production.
   *
   * Scope: `admin:audit`. `GET /api/v1/sandbox/clock`
   */
  readClock: Method<'readClock'>;

  /**
   * Advance the business clock
   *
   * Moves the business clock forward, by `advance` or to `now`. One move covers at most ten years, and the clock
   * cannot go beyond the year 2100. After the move, the clock continues at normal speed.
   *
   * Payments whose `execute_on` has been reached start within five seconds. If the clock reaches or passes the 1st
   * of a month, an interest run also starts within five seconds. This operation does not exist in production.
   *
   * Scope: `admin:audit`. `POST /api/v1/sandbox/clock`
   */
  moveClock: Method<'moveClock'>;

  /**
   * Check liveness
   *
   * Responds while the process is running, and checks nothing else.
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
   * Returns the contract as an OpenAPI 3.1 document. The contract is also available as YAML at `/openapi.yaml`, and as web pages under `/docs`.
   *
   * Needs no credential. `GET /openapi.json`
   */
  readContract: Method<'readContract'>;

  /**
   * List problem codes
   *
   * Returns a page that lists the error codes, with their status and meaning.
   *
   * Needs no credential. `GET /problems`
   */
  listProblems: Method<'listProblems'>;

  /**
   * Explain a problem code
   *
   * Returns a page that says when the error with this code occurs, and what to do. The `type` of a problem document is the URL of this page.
   *
   * Needs no credential. `GET /problems/{code}`
   */
  explainProblem: Method<'explainProblem'>;
}
