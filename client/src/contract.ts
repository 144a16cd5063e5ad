// Generated from the contract by client/generate.ts; `npm run generate` writes it anew.

export interface paths {
  '/api/v1/auth/register': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make an account
     * @description The e-mail address is NFKC-normalised and trimmed, and compared without regard to case. A link that verifies it is mailed there (`verify-email`). A password has 12 to 256 characters of any kind, is not one of the common ones and not the address itself.
     */
    post: operations['registerUser'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/login': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sign in with a password
     * @description Gives a token set with every scope that a user can have. A wrong password and an unknown address are answered the same, in the same time. After 10 failed sign-ins in 15 minutes from one network the account is refused there until they are over; after 100 from everywhere, to all who never signed in to it.
     */
    post: operations['login'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/refresh': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Get new tokens for a refresh token
     * @description The refresh token is used up and replaced. For 30 seconds the old one gets the very same new set again, so that a lost reply signs nobody out; used after that, or by another client, it ends the sign-in with all its tokens. Refresh tokens last 30 days from their issue, a sign-in at most 90.
     */
    post: operations['refreshTokens'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/me': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read who the caller is
     * @description The account of a user's token, or what an API key may do; `authenticated_by` tells which.
     */
    get: operations['getProfile'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change the own account
     * @description Sets what share of each wage is locked as a buffer, unless a calculation says otherwise. Users only.
     */
    patch: operations['updateProfile'];
    trace?: never;
  };
  '/api/v1/auth/logout': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sign out
     * @description Ends the sign-in that the caller's token comes from, with all its tokens, from the next request on. Where it was granted to an application, the browser in which that happened stays signed in. An API key is not signed in: it gets 403 and goes on working until an operator revokes it.
     */
    post: operations['logout'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/authorize': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Send a person to sign in and allow an application
     * @description The authorization endpoint of OAuth 2.0 (RFC 6749, 4.1), to which an application sends the person's browser. Without a session there it shows the sign-in page, else it asks the person whether to allow it; then the person is sent back to `redirect_uri` with `code`, `state` and `iss` (RFC 9207), or with `error=access_denied`. An unknown client or a `redirect_uri` that is not registered gets an error page and is sent nowhere; anything else that is wrong is told to the application by a redirect. PKCE with S256 is open to all clients and required of public ones. A code lives 60 seconds and works once. Further parameters are ignored.
     */
    get: operations['authorize'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/sign-in': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * The form of the sign-in page
     * @description Sent by our own page alone, which gives it the `csrf` of its browser. Signs the browser in for 12 hours and sends it on to the authorization request that it came from. After a wrong password the page comes again.
     */
    post: operations['signIn'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/consent': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * The form of the consent page
     * @description Sent by our own page alone. Sends the browser back to the application, with a code where the person allowed it. Where nobody is signed in any more it leads to the sign-in page.
     */
    post: operations['answerConsent'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/sign-out': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sign a browser out
     * @description The form "Sign out" of the consent page: ends the browser's session with the tokens that were granted in it, and leads to the sign-in page.
     */
    post: operations['signOut'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/forgot-password': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The page for a forgotten password
     * @description Asks for the address to which a link for a new password is sent.
     */
    get: operations['showForgotPassword'];
    put?: never;
    /**
     * Have a link mailed to set a new password
     * @description The answer and its time are the same whether the address has an account or not. The link in the letter works once, for 30 minutes. An account gets a few letters an hour at most. As a form it is sent by our own page alone.
     */
    post: operations['forgotPassword'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/reset-password': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The page that the mailed link opens
     * @description Looking at it does not use the link up.
     */
    get: operations['showResetPassword'];
    put?: never;
    /**
     * Set a new password by the token of a mailed link
     * @description Uses the token up and ends every session and every token of the user; nobody is signed in by it. It verifies the address. Where that was not done before, somebody else may have registered it: so what applications were allowed and other providers' links end too, pending payments are cancelled, and the payees are removed. The rules for the password are those of registering. As a form it is sent by our own page alone, with the password twice.
     */
    post: operations['resetPassword'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/change-password': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Change the own password
     * @description Takes the current password and a new one, and ends every other sign-in of the user. A wrong current password counts like a failed sign-in. Users only.
     */
    post: operations['changePassword'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/verify-email': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The page that the link of a verification letter opens
     * @description It asks for the password of the account. Looking at it does not use the link up.
     */
    get: operations['showVerifyEmail'];
    put?: never;
    /**
     * Verify an e-mail address by the token of a mailed link
     * @description Registering mails the link, which works once, for 24 hours. With the password of the account it verifies the address, and nothing ends. A wrong password counts like a failed sign-in and does not use the link up. As a form it is sent by our own page alone.
     */
    post: operations['verifyEmail'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/verification-mail': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Have a link mailed to verify the own e-mail address
     * @description Sends the link of `verify-email` to the address of the account, a few times an hour at most. Where the address is verified already nothing is sent, and the answer is the same. People only.
     */
    post: operations['sendVerificationMail'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/link-provider': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The page that the link of a letter opens to sign in with another provider
     * @description Only in the browser in which the sign-in was begun. It asks whether the provider may sign the person in to the account from now on. Looking at it does not use the link up.
     */
    get: operations['showLinkProvider'];
    put?: never;
    /**
     * The forms by which a person proves an account for another provider
     * @description Sent by our own pages alone, with the `request` that the callback's page holds and the account's password, or with `by` to have a link mailed to the account's address; or with the `token` of that link. Links the provider to the account and signs the browser in. A wrong password counts like a failed sign-in.
     */
    post: operations['linkProvider'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/sign-in/{provider_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Send a browser to sign in with another provider
     * @description A link of the sign-in page. Sends the browser to an OpenID Connect provider that the operator registered; it comes back to the callback below, within 10 minutes and in the same browser.
     */
    get: operations['signInWithProvider'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/sign-in/{provider_id}/callback': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Where another provider sends browsers back to
     * @description Finds out who signed in there, and signs the browser in: as the account that is linked with that person at the provider, else as a new account without a password. Where there is an account with the e-mail address that the provider has verified, a page asks the person to prove it first, once (`link-provider`). Then the authorization request goes on. Further parameters are ignored.
     */
    get: operations['completeProviderSignIn'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/token': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Exchange an authorization code or a refresh token for tokens
     * @description RFC 6749 (4.1.3 and 6), as a form or as JSON. A confidential client sends its secret, by `client_secret` or by HTTP Basic, never both; a public one sends `client_id` only, and the `code_verifier` of its PKCE challenge. A code works once, for 60 seconds; a second use ends the tokens of the first. A refresh token is replaced with each use: for 30 seconds the old one gets the very same set again, so that a lost reply signs nobody out; used after that, or by another client, it ends the sign-in with all its tokens. Refreshing takes `client_id` without a secret; a secret that is sent must be right. Parameters that are not known, or have no value, are ignored.
     */
    post: operations['exchangeToken'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/revoke': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End a token
     * @description RFC 7009. A refresh token ends with everything that descends from the same sign-in, an access token ends alone, both from the next request on. A token that is unknown, ended already or another client's is answered the same, and nothing happens. The client authenticates as for tokens: a confidential one with its secret, a public one by `client_id`.
     */
    post: operations['revokeToken'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/auth/introspect': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Ask what a token is good for
     * @description RFC 7662. A confidential client asks, with its secret, about tokens that were issued to it. Of a token that does not work, and of another client's, it learns `active: false` and nothing more.
     */
    post: operations['introspectToken'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/oauth-authorization-server': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Where OAuth's endpoints are and what they take
     * @description The metadata of RFC 8414, by which OAuth libraries set themselves up.
     */
    get: operations['readAuthorizationServer'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/paycheck/calculate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Calculate a paycheck and book it
     * @description Takes a wage apart and moves the money: each obligation's amount into its vault, the safety buffer aside, the rest to
     *     safe to spend.
     *
     *     `employee_id` and `pay_date` name the paycheck. Calculating it again **revises** it: only the differences move, an
     *     obligation of the same category and type keeps its vault and its allocation, and `revision` goes up. A revision that
     *     no longer covers what was already allocated, paid or spent of it is refused with 409 `paycheck-already-committed`,
     *     `committed` and `shortfall`. Another `pay_date` is new income.
     *
     *     A paycheck whose newest revision is `asserted` is revised only by a key with the scope `assert:income`: 409 `paycheck-asserted`.
     *     Once interest was posted for a day since the paycheck was first calculated, no revision makes it smaller: 409
     *     `paycheck-already-accrued` with `gross_income`. A `pay_date` more than 31 days ahead is refused with 422 `pay-date-too-far`
     *     and `latest`.
     *
     *     In production a key with `assert:income` has limits for each calendar month in London, for one owner and for all of them.
     *     An assertion beyond either is refused with 422 `exceeds-income-limit`, `limit`, `asserted` and `scope`. A revision counts by its
     *     difference.
     *
     *     `locked_buffer` is `gross_pay` x `buffer_rate`, rounded half up to the penny, and never more than the bills leave.
     *
     *     Instead of `gross_pay`, `payslip_doc_id` may name a document of the employee's: its net pay is the income to split. That
     *     needs the scope `read:documents` as well. A document that is not `parsed` is refused with 409 `document-not-parsed`, one
     *     that was not read with a confidence of 0.80 or more, or has no net pay, with 422 `document-confidence-too-low`.
     */
    post: operations['calculatePaycheck'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/paycheck/simulate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Calculate a paycheck without booking it
     * @description The same body and the same figures as calculate, but nothing is stored and no money moves. `revision` is the one that a calculation of this paycheck would get now. `Accept: image/svg+xml` gets the split as a picture.
     */
    post: operations['simulatePaycheck'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/paycheck/history': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List an employee's calculations
     * @description Every stored calculation, revisions too, the one calculated last first.
     */
    get: operations['listPaychecks'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/paycheck/{id}/breakdown': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Explain a calculation
     * @description How a stored calculation comes to its figures, step by step from the gross to what is safe to spend. `Accept: image/svg+xml` gets the split as a picture.
     */
    get: operations['explainPaycheck'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/allocations/allocate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Put money into a vault
     * @description Moves money from what is safe to spend into the owner's vault of this type and label, which is made if it is not there.
     *     Each call makes an allocation of its own, with its own id, from which bills can be paid.
     *
     *     More than is safe to spend is refused with 422 `exceeds-safe-to-spend` and `safe_to_spend_available`.
     */
    post: operations['allocate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/allocations/withdraw': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Take money out of a vault
     * @description Moves money from a vault back to what is safe to spend: from the oldest allocations first, or from the named one only.
     *
     *     More than is there is refused with 422 `insufficient-vault-balance` and `available`; an allocation that is not of this
     *     vault with 422 `unknown-allocation`.
     */
    post: operations['withdraw'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/allocations/transfer': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Move money between two vaults of an owner
     * @description Takes from the oldest allocations of one vault and makes a new allocation in the other. The other is named either by
     *     `to_vault_id` or by `to_vault_type` with an optional `to_label`; by type and label it is made if it is not there.
     *
     *     More than is there is refused with 422 `insufficient-vault-balance` and `available`, a vault to itself with 422
     *     `same-vault`.
     */
    post: operations['transferBetweenVaults'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/allocations/history/{user_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List what went into and out of an owner's vaults
     * @description Every entry on the owner's vaults, newest first.
     */
    get: operations['listAllocationHistory'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/allocations/vaults/{user_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Where an owner's money is
     * @description All balances of one moment. An owner that is not known yet has nothing.
     */
    get: operations['listVaults'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/affordability/simulate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Check whether a recurring purchase fits
     * @description Sets what the purchase comes to in a month against what is safe to spend now, and gives a score of 0 to 100 with its
     *     reasons. No money moves; the check is kept for the history.
     *
     *     The monthly equivalent is the amount x 52/12 (`WEEKLY`), / 3 (`QUARTERLY`) or / 12 (`ANNUAL`), rounded half up. `before`
     *     is what is safe to spend now, `after` is `before` less the monthly equivalent.
     *
     *     | Factor | Weight | Value, from 0 to 1 |
     *     |---|---|---|
     *     | `headroom` | 0.55 | `after` / `before`; 0 where nothing is safe to spend |
     *     | `stability` | 0.20 | 1 less the coefficient of variation (population) of the last 6 gross pays; 0.5 with fewer than 2 |
     *     | `cushion` | 0.15 | the safety buffer / a tenth of the last gross pay |
     *     | `punctuality` | 0.10 | payments on time / payments concluded in the last 12 months; 0.5 with none |
     *
     *     The score is 100 x the weighted sum, rounded half up once, and 5 more for an essential category: `HOUSING`, `UTILITIES`,
     *     `COUNCIL_TAX`, `INSURANCE`, `TRANSPORT`, `CHILDCARE`, `CREDIT`. `affordable` means that `after` is not below zero and the
     *     score is at least 50. A higher amount never scores higher.
     *
     *     An owner without a paycheck is refused with 422 `no-income-on-record`.
     */
    post: operations['simulateAffordability'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/affordability/score/{user_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read an owner's current score
     * @description The score of a purchase of nothing: how well the owner stands as it is. Nothing is kept. An owner without a paycheck is refused with 422 `no-income-on-record`.
     */
    get: operations['readAffordabilityScore'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/affordability/history/{user_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List an owner's checks
     * @description Every check as it was answered, the latest first.
     */
    get: operations['listAffordabilityChecks'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/debt/simulate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Simulate repaying debts
     * @description Repays the debts month by month and stores nothing. In each month
     *
     *     1. interest of `balance` x `rate` / 10,000 / 12, rounded half up to the penny, is added to each debt that is owed;
     *     2. each of them gets its `minimum`, or what is left of it where that is less;
     *     3. the rest of `monthly_budget` goes down the strategy's order until it is used up. Minimums of debts that are cleared
     *        stay in the budget.
     *
     *     The order is looked at each month, after interest. **avalanche**: highest rate first, of the same rate the lower balance.
     *     **snowball**: lowest balance first, of the same balance the higher rate. Then as given.
     *
     *     `debt_free_date` is `total_months` months after today in London: the first payment is made a month from today, the last
     *     on `debt_free_date`. Where a month has no such day, its last day is meant: a month after 31 January is 28 or 29 February.
     *
     *     A budget that is less than the minimums together is refused with 422 `budget-below-minimums`, `required` and
     *     `shortfall`; one with which something is still owed after 1,200 months with 422 `debt-never-repaid`.
     *
     *     `Accept: image/svg+xml` gets the balances month by month as a picture.
     */
    post: operations['simulateDebts'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/debt/plan': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a repayment plan
     * @description Simulates as simulate does, from `start_date` on, and keeps it as a plan whose progress can be followed. Payments that are made through this service to a debt's `provider_id` count by themselves; others are recorded.
     */
    post: operations['createDebtPlan'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/debt/plans': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List an owner's plans
     * @description Newest first, without their schedules.
     */
    get: operations['listDebtPlans'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/debt/{plan_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a plan
     * @description The plan as its latest revision has it, with the schedule of that. `Accept: image/svg+xml` gets the schedule's balances month by month as a picture.
     */
    get: operations['getDebtPlan'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change a plan
     * @description Makes a new revision: the balances of today, as progress has them or as `debts` gives them anew, are simulated with what
     *     is to change, and `revision` goes up by one. What is left out stays as it is. Earlier revisions are kept.
     *
     *     The new schedule counts its months from today (from `start_date`, where that is still to come), and so does the
     *     `expected_balance` of progress from then on. Interest of the days since the last whole month, by their share of it, is
     *     added with the first month, unless a balance is given.
     *
     *     Send the `ETag` of the plan as `If-Match` to change just the revision that you know: where it was changed meanwhile, the
     *     answer is 412 `precondition-failed`, with the present `revision`, and nothing changes. Without it the change applies to
     *     whatever revision there is. A plan can be changed 500 times; then 409 `debt-plan-full`.
     */
    patch: operations['changeDebtPlan'];
    trace?: never;
  };
  '/api/v1/engine/debt/{plan_id}/progress': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * See how a plan goes
     * @description What is owed today against what should be.
     *
     *     **Expected** is what the schedule of the latest revision leaves after as many whole months as passed since it began: since
     *     `start_date`, or since the day of the last change.
     *
     *     **Actual** is what the debts were when the plan began, with interest added in the same way on each day that is a whole
     *     number of months after that, and with payments taken off on the day they were made, after that day's interest: those that
     *     were recorded, and those made through this service by the plan's owner to a debt's provider, begun on or after
     *     `start_date` and completed (by the day of completion; one that came back no longer counts). Where several debts have
     *     the same provider, its payments go to them in the strategy's order. No debt falls below nothing: what is paid beyond
     *     it counts for nothing. Where a change gave a balance, that is what is owed on that day, whatever was paid before.
     *
     *     A completed payment counts in one plan: the newest that was active and named its provider when the payment completed. A
     *     plan made later does not take it away, even with an earlier `start_date`. A plan was active if something was owed on it
     *     by what was known then, so that a later return, change or record moves no payment to another plan.
     */
    get: operations['readDebtProgress'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/debt/{plan_id}/payments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Record a payment to a debt
     * @description For payments that were not made through this service to the debt's provider, as those count by themselves. It moves no money. A wrong one cannot be taken back; give the debt's right balance in a change of the plan. A plan takes 5,000 of them; then 409 `debt-plan-full`. If a payment of the same amount by the plan's owner to the debt's provider completed through this service within three days of `paid_on` (days in London), the answer is 409 `already-counted` with its `payment_id`, in whichever plan it counts. Send `separate` as true to record another payment all the same.
     */
    post: operations['recordDebtPayment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/yield/accrue': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Post the interest of a vault
     * @description Posts what a vault has earned since its last accrual, or since it was made, for the days up to but not including `as_of`:
     *     as a lot of money in the vault, with `source` interest. The service does it for all vaults on the 1st of each month;
     *     this is for those who want it sooner.
     *
     *     Each day earns balance x rate / 365 on the balance at its end in London, in leap years too. The sum of the days, and
     *     what the last posting left of a penny, is rounded half up once; the difference is carried on as `remainder`. Interest
     *     earns in its turn from the day `to` on.
     *
     *     Nothing is ever accrued twice: where the days up to `as_of` are accrued already, the answer is 200 with the accrual
     *     that has the last of them. Where less than half a penny was earned, an accrual of 0 is stored and no money moves.
     */
    post: operations['accrueYield'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/yield/aggregate/{user_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What an owner's vaults have earned
     * @description The interest of all vaults of an owner, and of each of them, the oldest vault first. An owner that is not known yet has earned nothing.
     */
    get: operations['aggregateYield'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/yield/vault/{vault_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What a vault has earned
     * @description The interest of one vault and its accruals, newest first, page by page.
     */
    get: operations['getVaultYield'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/engine/yield/forecast': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * What an owner's vaults will earn
     * @description What the vaults of an owner will earn if nothing else comes or goes. Nothing is stored. Month k has the days from today
     *     plus k-1 months up to today plus k months; in it each vault earns balance x rate x days / 365, rounded half up. With
     *     reinvestment that is added to its balance.
     *
     *     `effective_apy` is of the rate r weighted by balance: ((1 + r/12)^12 - 1) x 100 with reinvestment, r x 100 without.
     *
     *     `Accept: image/svg+xml` gets balance and interest month by month as a picture.
     */
    post: operations['forecastYield'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/payments/execute': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Pay a bill from an allocation
     * @description Takes the money out of the allocation, records the payment and has it handed to the bank, at once or on `execute_on`. Poll the payment for how it goes on. Sent again with the same `Idempotency-Key` it pays once.
     */
    post: operations['executePayment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/payments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List payments
     * @description Newest first. A user sees its own; an API key those of `user_id`, or of all owners of its application. Persons must be named. With `admin:owners` a key sees all.
     */
    get: operations['listPayments'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/payments/providers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List payees
     * @description The caller's own and, in a sandbox, the nine sandbox payees. Bank details are masked.
     */
    get: operations['listProviders'];
    put?: never;
    /**
     * Add a payee
     * @description Name and bank details go into the encrypted vault; the details are shown masked from then on. Where a key with the scope `vouch:payees` adds it, the application vouches for it, so that payments to it count in credentials.
     */
    post: operations['addProvider'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/payments/{payment_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a payment
     * @description The payment with its timeline, attempts and, where it failed, why. Made for polling: `If-None-Match` answers 304 while nothing changed, `Retry-After` says when to come again, `Prefer: wait=N` holds the answer until the status changes.
     */
    get: operations['getPayment'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/payments/{payment_id}/retry': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Try a failed payment again
     * @description Takes the money out of the allocation once more and hands it to the bank as the next attempt; 10 at most. Production refuses it, like a first attempt, with 422 `income-not-evidenced` where the owner's asserted income does not cover it.
     */
    post: operations['retryPayment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/payments/{payment_id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a pending payment
     * @description Possible while the bank has accepted nothing. The money goes back to the allocation.
     */
    post: operations['cancelPayment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/legacy/payslip/upload': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Upload a payslip, P60 or P45
     * @description Stores the document encrypted and has it read. What the file is, is told by its content: JPEG, PNG or PDF, at most
     *     5,242,880 bytes; its name and the type sent with it make no difference, nor does the order of the parts.
     *
     *     The answer is held until the document is read, for up to 25 seconds: then 201, with the status `parsed`, or `failed` and
     *     why. Where it takes longer, 202 with `processing`, and `Location` says what to poll. `Prefer: respond-async` gets the 202
     *     at once; `Prefer: wait=N` waits N seconds instead of 25.
     *
     *     The same file of the same owner again is the same document: 200. With an `Idempotency-Key`, a request that is sent
     *     again makes nothing new, and is answered with the document as it is by then: what was read is not kept under the key.
     *
     *     Five documents of one owner, and 20 of one application, may be in progress at once. 200 and 1,000 may come within 24
     *     hours, unless the operator sets other numbers. One more is refused with 429 `too-many-documents`. A registered person
     *     counts by itself, and a file that was sent before does not count.
     */
    post: operations['uploadPayslip'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/legacy/payslip/{doc_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what a document says
     * @description What was read, each field with its confidence and page; what was not found is null, and nothing is guessed. Made for polling: `If-None-Match` answers 304 while nothing changed, `Retry-After` says when to come again, `Prefer: wait=N` holds the answer until the document is read.
     */
    get: operations['getPayslip'];
    put?: never;
    post?: never;
    /**
     * Erase a document
     * @description Destroys the file, what was read from it, the National Insurance number found on it, and the keys of all of them, for good. Later calls answer 410. The same file may be uploaded again; it is a new document then.
     */
    delete: operations['deletePayslip'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/legacy/tax-history/{user_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Sum up tax years from documents
     * @description What the documents of an owner say of each tax year, newest first. Documents on which no tax year was found are left out.
     *
     *     - The same payslip counts once, also as two files or photos: the same employer, pay date (else period) and figures.
     *     - A P60 replaces the payslips and P45s of its employer in that year; P60s of different employers add up. Of several P60s of
     *       one employer in one year the one uploaded last counts.
     *     - A P45 replaces the payslips of its employer in that year, where there is no P60 of it.
     *     - What a P60 or P45 does not print (net pay, pension; on a P45 also National Insurance) is taken from the payslips that it
     *       replaces where those are complete: their tax adds up to its tax to the penny, and its pay lies between their gross pay
     *       less pension and their gross pay. Else it is null.
     *     - Where the employer was not found on one of two documents, they are taken to be of the same one: nothing counts twice.
     *     - A total is null where a document that counts does not say the figure. Only a payslip that prints no pension counts as
     *       zero, where another document of that year prints one.
     */
    get: operations['getTaxHistory'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/credential/generate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Issue a credential of somebody's payments
     * @description Counts the owner's bills of a period, scores them, and signs the figures as an SD-JWT VC (ES256, `dc+sd-jwt`). Only payments to
     *     payees for whom somebody vouches count (`vouched_by` of a provider); `payments_left_out` tells how many others there are.
     *
     *     The period that is looked at ends today in London and begins `period_months` before, both days included. A payment belongs to it
     *     by its due date, else by the day of its initiation. A due date more than 31 days after the day on which the payment was made
     *     counts as none. A payment is concluded once it is completed, or once it failed and was not retried by the end of its due date (of
     *     the day after its initiation where it has none). It is on time if it was completed by then.
     *
     *     A bill is what was paid to one account in one calendar month: the month of settlement; of what never settled, the month of the
     *     due date, else of `execute_on`, else of initiation. Several payees with one account are one. A bill counts from £1 in sum. It is
     *     on time if all its concluded payments were.
     *
     *     `reliability_score` is 700 R + 200 D + 100 S, rounded half up. R is the share of bills on time times min(1, `months_covered` / 6);
     *     each bill is weighted by 0.5^(age in days of its last settlement / 182.5). D is `months_covered` / 12, at most 1. S is the months
     *     in a row / 12, at most 1, from the newest month that has a bill back, that each have a bill and all of them on time.
     *
     *     Without any bill the answer is 422 `no-payment-history` with `payments_left_out`.
     *
     *     The answer comes once the credential is signed. Where that takes longer than 25 seconds the answer is 503 with
     *     `credential_id`; the credential will be signed nevertheless, and the same `Idempotency-Key` gives that very one.
     */
    post: operations['generateCredential'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/credential/verify': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Check a credential that somebody presents
     * @description Takes an SD-JWT as its holder gives it, with all of its disclosures, some, or none, and says whether this service issued it as it is, and whether it still counts. Anything that was altered, was signed by somebody else, or cannot be read is `tampered`. No key is bound to a credential, so one with a key binding JWT is none of ours.
     */
    post: operations['verifyPresentedCredential'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/credential/{credential_id}/verify': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Check a credential by its id
     * @description Says whether a credential is valid, expired or revoked. The signature of what is stored is checked each time: a record that is not as it was signed is `tampered`. `Accept: text/html` gets a page for people.
     */
    get: operations['verifyCredential'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/credential/{credential_id}/revoke': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Revoke a credential
     * @description It is revoked for good, at once, and the status list says so from the next look on. Revoking it again changes nothing.
     */
    post: operations['revokeCredential'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/credential/{credential_id}/export': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Export a credential
     * @description As JSON with its figures, its status and the SD-JWT; as the SD-JWT alone; or as a signed PDF of one page with a chart, a QR code of the address at which it is verified, and the SD-JWT attached. `format` decides, else the `Accept` header, else it is JSON. What is revoked or expired is exported as JSON only.
     */
    get: operations['exportCredential'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/credential/status-lists/{list_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Which credentials are revoked
     * @description A Token Status List (draft-ietf-oauth-status-list) as a signed JWT: one bit for each credential, at the index that its `status` claim names; 1 is revoked. It says how long it may be kept as `ttl`, in seconds, and until when it counts as `exp`.
     */
    get: operations['readStatusList'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/credential/types/payment-reliability': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What the credentials mean
     * @description Type metadata of SD-JWT VC, at the address that is the credentials' `vct`.
     */
    get: operations['readCredentialType'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/jwks.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The keys that sign credentials
     * @description The public keys as a JWK set (RFC 7517): the current one, and older ones as long as something that they signed counts. Tokens of this service are opaque, so that no key here is for them.
     */
    get: operations['readCredentialKeys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/jwt-vc-issuer': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Who issues the credentials
     * @description Issuer metadata of SD-JWT VC, by which a verifier finds the keys.
     */
    get: operations['readCredentialIssuer'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/vault/store': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Store personal data
     * @description Checks the data against the schema of its type, naming every fault at once, and stores it encrypted (AES-256-CBC with HMAC-SHA-512) under a key of its own. The same data stored twice makes two records.
     */
    post: operations['storeVaultRecord'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/vault/batch-retrieve': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Read several records
     * @description Decrypts up to 100 records, each afresh. Those that can be given stand in `records`, the others in `errors` by what stands in their way, both in the order in which they were asked for.
     */
    post: operations['batchRetrieveVaultRecords'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/vault/{vault_ref}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a record
     * @description Decrypts afresh at each call; nothing is cached, and each call is on record.
     */
    get: operations['getVaultRecord'];
    put?: never;
    post?: never;
    /**
     * Erase a record
     * @description Destroys the data and its key for good. What the service itself depends on, such as the e-mail address of an account, is refused with 409 and goes with what uses it.
     */
    delete: operations['eraseVaultRecord'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/vault/{vault_ref}/verify': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Compare a value with a record
     * @description Tells whether a field has this value, without telling the value. Spelling that makes no difference is set aside: separators of numbers, the letter case of codes and of e-mail addresses. After 10 wrong values for one record within an hour it answers 429 for the rest of that hour, whoever asks.
     */
    post: operations['verifyVaultField'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/vault/{vault_ref}/masked': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a record masked
     * @description Enough of each field for its owner to recognise it, and not more.
     */
    get: operations['getMaskedVaultRecord'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/admin/audit-events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List what happened
     * @description The audit log, newest first: every transition of a payment, every access to personal data (refused ones too), sign-ins, changes of keys and consents. Events of one subject are chained: `hash` covers the event and `previous_hash`, so that none can be changed or taken out unseen; `npm run admin -- audit verify` recomputes them. A key sees the events whose subject belongs to its application, and what its application's keys did. Events of sign-ins, of the clock and of upkeep need `admin:owners`, which shows all events. A page may hold fewer events than `limit`, or none, and still have a `next_cursor`: go on until that is null.
     */
    get: operations['listAuditEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/admin/health': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether all that the service needs is there
     * @description Asks each part now, for at most two seconds: the database, Temporal, the bank, the key service. And how much waits: to be told to Temporal, to be sent by mail, at the bank, for an operator.
     */
    get: operations['readHealth'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/sandbox/clock': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the business clock
     * @description What time it is for all business: pay, due and execution dates, interest, timestamps of records. Security (tokens, codes, rate limits, idempotency keys) goes by real time. In production there is nothing at this address.
     */
    get: operations['readClock'];
    put?: never;
    /**
     * Move the business clock forward
     * @description By a duration (`advance`) or to an instant (`now`), one of the two; forward only, by ten years at a time at most, and
     *     never beyond the year 2100. The clock goes on from there at its usual pace, and keeps the time over restarts.
     *
     *     Once this is answered, every request to every process of the service sees the new time. What became due by the
     *     move starts within five seconds: payments that waited for `execute_on`, and the interest of each first of a month
     *     that was passed. Moves that are sent at the same time all count, one after the other.
     *
     *     In production there is nothing at this address.
     */
    post: operations['moveClock'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/livez': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether the process lives
     * @description Answers as long as the process can answer at all; asks nothing else.
     */
    get: operations['checkLive'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/readyz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether requests can be served
     * @description The database is reachable and its schema is the one of this version. Answers 503 while the process stops.
     */
    get: operations['checkReady'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/openapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * This document
     * @description The whole contract as OpenAPI 3.1, as this environment has it. As YAML it is at `/openapi.yaml`, for people under `/docs`.
     */
    get: operations['readContract'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/problems': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Every refusal there is
     * @description A page with each `code` that a problem document may have, its status and its meaning.
     */
    get: operations['listProblems'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/problems/{code}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What a refusal means
     * @description A page that says when the code is answered and what to do. The `type` of a problem document leads here.
     */
    get: operations['explainProblem'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /**
     * E-mail address
     * @description Normalised (NFKC) and trimmed before it is looked at; then at most 254 characters.
     * @example ada@example.org
     */
    Email: string;
    /**
     * Password
     * @description 12 to 256 characters, whatever they are.
     * @example seven green lanterns
     */
    Password: string;
    /** Registration */
    RegisterRequest: {
      email: components['schemas']['Email'];
      password: components['schemas']['Password'];
    };
    /**
     * User
     * @description The user, and the owner of its money.
     * @example usr_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
     */
    UserId: string;
    /**
     * Timestamp
     * Format: date-time
     * @description An instant, ISO 8601 in UTC with milliseconds.
     * @example 2026-11-21T09:30:00.000Z
     */
    Timestamp: string;
    /** Account */
    Account: {
      user_id: components['schemas']['UserId'];
      email: components['schemas']['Email'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Input fault */
    InputFault: {
      /** @description JSON pointer into the body, or `/query/…`, `/path/…`, `/header/…`. */
      pointer: string;
      /** @description What is wrong there. */
      detail: string;
    };
    /**
     * Problem
     * @description Why a request was refused, in the form of RFC 9457. Programs decide by `code`; people read `detail`. A refusal may carry further members with the figures that explain it, such as `available` or `shortfall` in pence.
     */
    Problem: {
      /**
       * Format: uri-reference
       * @description Address of a page of this service that explains the code.
       */
      type: string;
      /** @description The code in words; the same for every refusal of this kind. */
      title: string;
      /** @description The HTTP status code of the answer. */
      status: number;
      /** @description What was wrong with this request and what to do about it. */
      detail: string;
      /**
       * Format: uri-reference
       * @description The path that was asked for and, after `#`, the id of the request.
       */
      instance: string;
      /** @description Stable name of the refusal, in kebab case. */
      code: string;
      /** @description Every fault of an invalid request. */
      errors?: components['schemas']['InputFault'][];
    } & {
      [key: string]: unknown;
    };
    /** Sign-in */
    LoginRequest: {
      email: components['schemas']['Email'];
      password: components['schemas']['Password'];
    };
    /**
     * Token set
     * @description What a sign-in gives, and what each refresh replaces.
     */
    TokenSet: {
      /**
       * @description Sent as `Authorization: Bearer …`; works for an hour.
       * @example rf_at_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0
       */
      access_token: string;
      /**
       * @description Gets the next set, once.
       * @example rf_rt_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0
       */
      refresh_token: string;
      /** @constant */
      token_type: 'bearer';
      /**
       * @description Seconds until the access token ends.
       * @example 3600
       */
      expires_in: number;
      /**
       * @description The scopes granted, separated by spaces.
       * @example read:profile write:profile read:paycheck write:paycheck
       */
      scope: string;
    };
    /** Refresh */
    RefreshRequest: {
      /** @description The latest refresh token of the sign-in. */
      refresh_token: string;
      /** @description The client that the tokens were issued to; left out for a sign-in with a password. */
      client_id?: string;
    };
    /**
     * Scopes
     * @description What the credential may do; `write:x` includes `read:x`.
     * @example [
     *       "read:profile",
     *       "write:payments"
     *     ]
     */
    Scopes: string[];
    /**
     * Rate
     * @description A decimal ratio from 0 to 1 with at most 4 decimals, as text.
     * @example 0.10
     */
    Rate: string;
    /** Profile of a user */
    UserProfile: {
      user_id: components['schemas']['UserId'];
      email: components['schemas']['Email'];
      /** @description Whether somebody proved to have the mailbox. In production a person without it adds no payees and pays nobody. */
      email_verified: boolean;
      created_at: components['schemas']['Timestamp'];
      scopes: components['schemas']['Scopes'];
      buffer_rate: components['schemas']['Rate'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      authenticated_by: 'user';
    };
    /** Profile of an API key */
    KeyProfile: {
      /** @example key_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11 */
      key_id: string;
      /** @example app_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11 */
      app_id: string;
      scopes: components['schemas']['Scopes'];
      /** @enum {string} */
      environment: 'sandbox' | 'production';
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      authenticated_by: 'api_key';
    };
    /** Profile */
    Profile: components['schemas']['UserProfile'] | components['schemas']['KeyProfile'];
    /** Profile change */
    UpdateProfileRequest: {
      buffer_rate: components['schemas']['Rate'];
    };
    /**
     * Continue
     * @description The query of the authorization request that the person came with; judged again at each step.
     */
    Continue: string;
    /**
     * Field of a form
     * @description A field as a browser sends it; what is wrong with it is told on the page.
     */
    FormText: string;
    /**
     * CSRF token
     * @description What our page put into the form for this browser.
     */
    Csrf: string;
    /** Sign-in form */
    SignInForm: {
      continue?: components['schemas']['Continue'];
      email?: components['schemas']['FormText'];
      password?: components['schemas']['FormText'];
      csrf?: components['schemas']['Csrf'];
    };
    /** Consent form */
    ConsentForm: {
      continue?: components['schemas']['Continue'];
      /**
       * @description What the person decided.
       * @enum {string}
       */
      decision: 'allow' | 'deny';
      csrf?: components['schemas']['Csrf'];
    };
    /** Sign-out form */
    SignOutForm: {
      continue?: components['schemas']['Continue'];
      csrf?: components['schemas']['Csrf'];
    };
    /** Forgotten password */
    ForgotPasswordRequest: {
      email: components['schemas']['Email'];
    };
    /** Forgotten password, as a form */
    ForgotPasswordForm: {
      email?: components['schemas']['FormText'];
      csrf?: components['schemas']['Csrf'];
    };
    /** Accepted */
    Accepted: {
      /** @constant */
      status: 'accepted';
    };
    /** Password reset */
    ResetPasswordRequest: {
      /** @description The token of the letter's link. */
      token: string;
      password: components['schemas']['Password'];
    };
    /** Password reset, as a form */
    ResetPasswordForm: {
      token?: components['schemas']['Csrf'];
      password?: components['schemas']['FormText'];
      password_again?: components['schemas']['FormText'];
      csrf?: components['schemas']['Csrf'];
    };
    /** Password change */
    ChangePasswordRequest: {
      /** @description The password as it is now. */
      current_password: string;
      password: components['schemas']['Password'];
    };
    /** Verification of an address */
    VerifyEmailRequest: {
      /** @description The token of the letter's link. */
      token: string;
      /** @description The password of the account. */
      password: string;
    };
    /** Verification of an address, as a form */
    VerifyEmailForm: {
      token?: components['schemas']['Csrf'];
      password?: components['schemas']['FormText'];
      csrf?: components['schemas']['Csrf'];
    };
    /** Proof of an account for another provider */
    LinkProviderForm: {
      /** @description What our page put into the form for the sign-in that waits. */
      request?: string;
      password?: components['schemas']['FormText'];
      /**
       * @description How the person wants to prove the account instead of by its password.
       * @enum {string}
       */
      by?: 'mail';
      /** @description The token of the letter's link. */
      token?: string;
      csrf?: components['schemas']['Csrf'];
    };
    /**
     * Identifier
     * Format: printable
     * @description An identifier that this service gave, a prefix and a UUID. No control or format characters.
     * @example alloc_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
     */
    ResourceId: string;
    /**
     * OAuth client
     * @description Who the client is; left out where it authenticates by HTTP Basic.
     */
    ClientId: string;
    /**
     * Secret of an OAuth client
     * @description Of a confidential client that does not authenticate by HTTP Basic.
     */
    ClientSecret: string;
    /**
     * Token request
     * @description What is missing or does not go together is refused with an error of RFC 6749.
     */
    TokenRequest: {
      /**
       * @description `authorization_code` or `refresh_token`. Left out, it is the one whose credential is sent.
       * @example authorization_code
       */
      grant_type?: string;
      /** @description The authorization code that came to the redirect address. */
      code?: string;
      client_id?: components['schemas']['ClientId'];
      client_secret?: components['schemas']['ClientSecret'];
      /**
       * Format: printable
       * @description The very same as in the authorization request. No control or format characters.
       */
      redirect_uri?: string;
      /** @description What the PKCE challenge of the authorization request was made of (RFC 7636), 43 to 128 characters. */
      code_verifier?: string;
      /** @description The latest refresh token. */
      refresh_token?: string;
      /** @description On a refresh, fewer scopes for the new access token than were granted; separated by spaces. */
      scope?: string;
    } & {
      [key: string]: unknown;
    };
    /**
     * OAuth error
     * @description A refusal in the form of RFC 6749, 5.2. Programs decide by `error`; people read `error_description`.
     */
    OAuthError: {
      /** @enum {string} */
      error:
        | 'invalid_request'
        | 'invalid_client'
        | 'invalid_grant'
        | 'unauthorized_client'
        | 'unsupported_grant_type'
        | 'invalid_scope'
        | 'temporarily_unavailable'
        | 'server_error';
      error_description: string;
    };
    /** A token and who asks */
    TokenReference: {
      /** @description An access token or a refresh token. */
      token: string;
      /** @description `access_token` or `refresh_token`. Not needed, since a token tells its kind; a wrong one does no harm. */
      token_type_hint?: string;
      client_id?: components['schemas']['ClientId'];
      client_secret?: components['schemas']['ClientSecret'];
    } & {
      [key: string]: unknown;
    };
    /** A token that does not work */
    InactiveToken: {
      /** @constant */
      active: false;
    };
    /** A token that works */
    ActiveToken: {
      /** @constant */
      active: true;
      /** @description What it is good for, separated by spaces; of a refresh token, what its access tokens can be good for. */
      scope: string;
      /** @description Whom it was issued to. */
      client_id: string;
      /**
       * @description `bearer` for an access token; a refresh token is good at the token endpoint only.
       * @enum {string}
       */
      token_type: 'bearer' | 'refresh_token';
      /** @description When it ends, in seconds since 1970. */
      exp: number;
      /** @description When it was issued, in seconds since 1970. */
      iat: number;
      /** @description The user whom it acts for. */
      sub: string;
      /** @description This service. */
      iss: string;
    };
    /** Introspection */
    Introspection: components['schemas']['InactiveToken'] | components['schemas']['ActiveToken'];
    /**
     * Address
     * Format: uri
     * @description A URL of this service.
     */
    Address: string;
    /** Names */
    Names: string[];
    /** Authorization server metadata */
    AuthorizationServer: {
      issuer: components['schemas']['Address'];
      authorization_endpoint: components['schemas']['Address'];
      token_endpoint: components['schemas']['Address'];
      token_endpoint_auth_methods_supported: components['schemas']['Names'];
      revocation_endpoint: components['schemas']['Address'];
      revocation_endpoint_auth_methods_supported: components['schemas']['Names'];
      introspection_endpoint: components['schemas']['Address'];
      introspection_endpoint_auth_methods_supported: components['schemas']['Names'];
      scopes_supported: components['schemas']['Names'];
      response_types_supported: components['schemas']['Names'];
      response_modes_supported: components['schemas']['Names'];
      grant_types_supported: components['schemas']['Names'];
      code_challenge_methods_supported: components['schemas']['Names'];
      /** @constant */
      authorization_response_iss_parameter_supported: true;
      service_documentation: components['schemas']['Address'];
    };
    /**
     * Owner
     * Format: printable
     * @description Whose money it is. A registered user is its own owner, by its `usr_…` id. An API key names the owners of its application by ids of your own, such as employee numbers of another system; no registration is needed first. An id that is new belongs to the application whose key first stores something for it. A key acts for a registered user while they grant its application the scope.
     * @example emp-1042
     */
    OwnerId: string;
    /**
     * Amount
     * Format: int64
     * @description An amount of money in pence, above zero.
     * @example 45000
     */
    Amount: number;
    /**
     * Label
     * Format: printable
     * @description A name for people to read. No control or format characters.
     * @example Rent
     */
    Label: string;
    /**
     * Vault type
     * @description What a vault is for, bills that come anyway, savings, or wishes.
     * @enum {string}
     */
    VaultType: 'FIXED' | 'SAVINGS' | 'DISCRETIONARY';
    /** Obligation */
    Obligation: {
      /** @description What it is for; also the label of its vault. */
      type: components['schemas']['Label'];
      amount: components['schemas']['Amount'];
      category: components['schemas']['VaultType'];
    };
    /**
     * Date
     * Format: date
     * @description A calendar date; business dates are dates in Europe/London.
     * @example 2026-11-30
     */
    CalendarDate: string;
    /**
     * Paycheck request
     * @description What came in is sent as `gross_pay`, or named by `payslip_doc_id`; exactly one of the two.
     * @example {
     *       "employee_id": "emp-1042",
     *       "gross_pay": 300000,
     *       "pay_date": "2026-11-30",
     *       "obligations": [
     *         {
     *           "type": "Rent",
     *           "amount": 120000,
     *           "category": "FIXED"
     *         },
     *         {
     *           "type": "Holiday",
     *           "amount": 20000,
     *           "category": "SAVINGS"
     *         }
     *       ],
     *       "buffer_rate": "0.10",
     *       "include_history": true
     *     }
     */
    PaycheckRequest: {
      employee_id: components['schemas']['OwnerId'];
      /** @description What came in, in pence. */
      gross_pay?: components['schemas']['Amount'];
      /**
       * @description A document whose net pay is what came in, in place of `gross_pay`.
       * @example doc_01934f3e-9a51-7d0c-8a55-1c6e2f0b7d42
       */
      payslip_doc_id?: components['schemas']['ResourceId'];
      /** @description What must be set aside, each into the vault of its category and type. Together at most `gross_pay`. */
      obligations: components['schemas']['Obligation'][];
      /** @description Names the paycheck; today in London when left out. At most 10 years back and 31 days ahead. */
      pay_date?: components['schemas']['CalendarDate'];
      /** @description The share of the gross for the safety buffer. When left out, the profile's, else "0.10". */
      buffer_rate?: components['schemas']['Rate'];
      /**
       * @description Adds `previous` and `comparison`.
       * @default false
       */
      include_history?: boolean;
    };
    /**
     * Amount, possibly zero
     * Format: int64
     * @description An amount of money in pence that may be zero.
     * @example 0
     */
    AmountOrZero: number;
    /** Funded obligation */
    FundedObligation: {
      type: components['schemas']['Label'];
      amount: components['schemas']['Amount'];
      category: components['schemas']['VaultType'];
      /** @description The vault that holds it. */
      vault_id: components['schemas']['ResourceId'];
      /** @description Its own lot of money in the vault; bills are paid from it. */
      allocation_id: components['schemas']['ResourceId'];
    };
    /** Paycheck calculation */
    PaycheckCalculation: {
      /** @description The calculation. */
      id: components['schemas']['ResourceId'];
      employee_id: components['schemas']['OwnerId'];
      pay_date: components['schemas']['CalendarDate'];
      /** @description 1 for the first calculation of this employee and pay date, one more for each after it. */
      revision: number;
      /** @description What came in. */
      gross_income: components['schemas']['Amount'];
      /** @description The sum of the obligations. */
      locked_for_bills: components['schemas']['AmountOrZero'];
      /** @description The safety buffer. */
      locked_buffer: components['schemas']['AmountOrZero'];
      /** @description What remains, `gross_income` less `locked_for_bills` less `locked_buffer`. */
      clean_safe_to_spend: components['schemas']['AmountOrZero'];
      /** @description One entry for each submitted obligation, in the order sent. */
      vaults: components['schemas']['FundedObligation'][];
      /** @description The rate that was used. */
      buffer_rate: components['schemas']['Rate'];
      /**
       * @description What the income rests on: `asserted` by an API key with the scope `assert:income`, a `payslip` that was used for no other pay date and covers this one, or only `stated`. Production pays bills from asserted income alone.
       * @enum {string}
       */
      income_evidence: 'asserted' | 'payslip' | 'stated';
      /** @description The document that the income was taken from; only where one was named. */
      payslip_doc_id?: components['schemas']['ResourceId'];
      calculated_at: components['schemas']['Timestamp'];
    };
    /**
     * Signed pence
     * Format: int64
     * @description Pence with a sign; negative is less, or out.
     * @example -45000
     */
    SignedPence: number;
    /**
     * Paycheck comparison
     * @description Each figure of the new calculation less that of the previous one.
     */
    PaycheckComparison: {
      gross_income: components['schemas']['SignedPence'];
      locked_for_bills: components['schemas']['SignedPence'];
      locked_buffer: components['schemas']['SignedPence'];
      clean_safe_to_spend: components['schemas']['SignedPence'];
    };
    /** Calculated paycheck */
    CalculatedPaycheck: {
      /** @description The calculation. */
      id: components['schemas']['ResourceId'];
      employee_id: components['schemas']['OwnerId'];
      pay_date: components['schemas']['CalendarDate'];
      /** @description 1 for the first calculation of this employee and pay date, one more for each after it. */
      revision: number;
      /** @description What came in. */
      gross_income: components['schemas']['Amount'];
      /** @description The sum of the obligations. */
      locked_for_bills: components['schemas']['AmountOrZero'];
      /** @description The safety buffer. */
      locked_buffer: components['schemas']['AmountOrZero'];
      /** @description What remains, `gross_income` less `locked_for_bills` less `locked_buffer`. */
      clean_safe_to_spend: components['schemas']['AmountOrZero'];
      /** @description One entry for each submitted obligation, in the order sent. */
      vaults: components['schemas']['FundedObligation'][];
      /** @description The rate that was used. */
      buffer_rate: components['schemas']['Rate'];
      /**
       * @description What the income rests on: `asserted` by an API key with the scope `assert:income`, a `payslip` that was used for no other pay date and covers this one, or only `stated`. Production pays bills from asserted income alone.
       * @enum {string}
       */
      income_evidence: 'asserted' | 'payslip' | 'stated';
      /** @description The document that the income was taken from; only where one was named. */
      payslip_doc_id?: components['schemas']['ResourceId'];
      calculated_at: components['schemas']['Timestamp'];
      /** @description The employee's latest stored calculation before this one; null where there is none. With `include_history` only. */
      previous?: components['schemas']['PaycheckCalculation'] | null;
      /** @description New less previous; null where there is no previous. With `include_history` only. */
      comparison?: components['schemas']['PaycheckComparison'] | null;
    };
    /** Simulated paycheck */
    SimulatedPaycheck: {
      /**
       * @description Nothing of this was stored.
       * @constant
       */
      simulated: true;
      employee_id: components['schemas']['OwnerId'];
      pay_date: components['schemas']['CalendarDate'];
      /** @description 1 for the first calculation of this employee and pay date, one more for each after it. */
      revision: number;
      /** @description What came in. */
      gross_income: components['schemas']['Amount'];
      /** @description The sum of the obligations. */
      locked_for_bills: components['schemas']['AmountOrZero'];
      /** @description The safety buffer. */
      locked_buffer: components['schemas']['AmountOrZero'];
      /** @description What remains, `gross_income` less `locked_for_bills` less `locked_buffer`. */
      clean_safe_to_spend: components['schemas']['AmountOrZero'];
      /** @description One entry for each submitted obligation, in the order sent. */
      vaults: components['schemas']['Obligation'][];
      /** @description The rate that was used. */
      buffer_rate: components['schemas']['Rate'];
      /**
       * @description What the income rests on: `asserted` by an API key with the scope `assert:income`, a `payslip` that was used for no other pay date and covers this one, or only `stated`. Production pays bills from asserted income alone.
       * @enum {string}
       */
      income_evidence: 'asserted' | 'payslip' | 'stated';
      /** @description The document that the income was taken from; only where one was named. */
      payslip_doc_id?: components['schemas']['ResourceId'];
      calculated_at: components['schemas']['Timestamp'];
      /** @description The employee's latest stored calculation before this one; null where there is none. With `include_history` only. */
      previous?: components['schemas']['PaycheckCalculation'] | null;
      /** @description New less previous; null where there is no previous. With `include_history` only. */
      comparison?: components['schemas']['PaycheckComparison'] | null;
    };
    /**
     * Chart of a paycheck
     * @description An SVG of 800 by 450 with a bar for each bill, the buffer and what is safe to spend. It holds no scripts and refers to nothing outside.
     */
    PaycheckChart: string;
    /**
     * Next cursor
     * @description Send it as `cursor` for the next page, with the same filters; null on the last page. It is sealed and says nothing by itself.
     */
    NextCursor: string | null;
    /** Page of paycheck calculations */
    PaycheckPage: {
      items: components['schemas']['PaycheckCalculation'][];
      next_cursor: components['schemas']['NextCursor'];
    };
    /** Paycheck breakdown */
    PaycheckBreakdown: {
      calculation: components['schemas']['PaycheckCalculation'];
      /** @description From the gross income, through each obligation and the safety buffer, to what is safe to spend: the `remaining` of the last step. */
      steps: {
        /** @description What the step is for; an obligation's own type. */
        label: string;
        /** @description What came in (the first step) or is set aside (every other). */
        amount: components['schemas']['AmountOrZero'];
        /** @description What is left after the step. */
        remaining: components['schemas']['AmountOrZero'];
      }[];
      obligations: {
        type: components['schemas']['Label'];
        category: components['schemas']['VaultType'];
        amount: components['schemas']['Amount'];
        /**
         * @description Its share of the gross income, with 4 decimals.
         * @example 0.4000
         */
        share_of_income: string;
      }[];
      buffer: {
        rate: components['schemas']['Rate'];
        /** @description Gross income x rate, rounded half up. */
        requested: components['schemas']['AmountOrZero'];
        /** @description What was locked. */
        locked: components['schemas']['AmountOrZero'];
        /** @description Whether the bills left less than was requested. */
        capped: boolean;
      };
    };
    /**
     * Optional label
     * Format: printable
     * @description A name for people to read; null where there is none. No control or format characters.
     * @example Holiday
     */
    OptionalLabel: string | null;
    /**
     * Allocation request
     * @example {
     *       "user_id": "emp-1042",
     *       "vault_type": "SAVINGS",
     *       "amount": 25000,
     *       "label": "Holiday"
     *     }
     */
    AllocateRequest: {
      user_id: components['schemas']['OwnerId'];
      vault_type: components['schemas']['VaultType'];
      amount: components['schemas']['Amount'];
      label?: components['schemas']['OptionalLabel'];
    };
    /**
     * Balance
     * Format: int64
     * @description A sum of money in pence that may be zero; the answer to a question, never an input.
     * @example 125000
     */
    Balance: number;
    /**
     * Allocation
     * @description A lot of money in a vault.
     */
    Allocation: {
      allocation_id: components['schemas']['ResourceId'];
      user_id: components['schemas']['OwnerId'];
      vault_id: components['schemas']['ResourceId'];
      vault_type: components['schemas']['VaultType'];
      /** @description What was put in. */
      amount: components['schemas']['Amount'];
      /** @description What of it is still there. */
      available: components['schemas']['AmountOrZero'];
      label: components['schemas']['OptionalLabel'];
      /** @description What is safe to spend after it. */
      safe_to_spend_remaining: components['schemas']['Balance'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Withdrawal request */
    WithdrawRequest: {
      user_id: components['schemas']['OwnerId'];
      vault_id: components['schemas']['ResourceId'];
      amount: components['schemas']['Amount'];
      /** @description Take from this allocation only. */
      allocation_id?: components['schemas']['ResourceId'];
    };
    /** Withdrawal */
    Withdrawal: {
      withdrawal_id: components['schemas']['ResourceId'];
      vault_id: components['schemas']['ResourceId'];
      amount: components['schemas']['Amount'];
      /** @description What the vault holds after it. */
      vault_balance: components['schemas']['Balance'];
      /** @description What is safe to spend after it. */
      safe_to_spend_remaining: components['schemas']['Balance'];
      created_at: components['schemas']['Timestamp'];
    };
    /**
     * Transfer request
     * @description Name the other vault by exactly one of `to_vault_id` and `to_vault_type`.
     */
    TransferRequest: {
      user_id: components['schemas']['OwnerId'];
      from_vault_id: components['schemas']['ResourceId'];
      to_vault_id?: components['schemas']['ResourceId'];
      to_vault_type?: components['schemas']['VaultType'];
      /** @description With `to_vault_type` only. */
      to_label?: components['schemas']['OptionalLabel'];
      amount: components['schemas']['Amount'];
    };
    /** Transfer */
    Transfer: {
      transfer_id: components['schemas']['ResourceId'];
      from_vault_id: components['schemas']['ResourceId'];
      to_vault_id: components['schemas']['ResourceId'];
      /** @description The allocation that it made in the other vault. */
      to_allocation_id: components['schemas']['ResourceId'];
      amount: components['schemas']['Amount'];
      from_balance: components['schemas']['Balance'];
      to_balance: components['schemas']['Balance'];
      created_at: components['schemas']['Timestamp'];
    };
    /**
     * Kind of a vault entry
     * @enum {string}
     */
    VaultEntryKind:
      'allocation' | 'withdrawal' | 'transfer_in' | 'transfer_out' | 'payment' | 'payment_returned' | 'interest';
    /**
     * Date or instant
     * @description A calendar date, or an ISO 8601 instant with its offset.
     * @example 2026-11-30
     */
    DateOrInstant: string;
    /** Vault entry */
    VaultEntry: {
      entry_id: components['schemas']['ResourceId'];
      kind: components['schemas']['VaultEntryKind'];
      vault_id: components['schemas']['ResourceId'];
      vault_type: components['schemas']['VaultType'];
      label: components['schemas']['OptionalLabel'];
      /** @description Positive into the vault, negative out of it. */
      amount: components['schemas']['SignedPence'];
      /** @description What the vault held after it. */
      balance_after: components['schemas']['Balance'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Page of vault entries */
    AllocationHistoryPage: {
      items: components['schemas']['VaultEntry'][];
      next_cursor: components['schemas']['NextCursor'];
    };
    /** Balance of a vault */
    VaultBalance: {
      vault_id: components['schemas']['ResourceId'];
      vault_type: components['schemas']['VaultType'];
      label: components['schemas']['OptionalLabel'];
      balance: components['schemas']['Balance'];
      /**
       * @description Interest a year, as a decimal ratio.
       * @example 0.0410
       */
      annual_rate: string;
    };
    /** Balances of an owner */
    VaultBalances: {
      user_id: components['schemas']['OwnerId'];
      safe_to_spend: components['schemas']['Balance'];
      buffer: components['schemas']['Balance'];
      /** @description Taken from vaults by payments that are not settled yet. */
      in_flight: components['schemas']['Balance'];
      vaults: components['schemas']['VaultBalance'][];
    };
    /**
     * Frequency
     * @description How often the amount is paid.
     * @enum {string}
     */
    Frequency: 'WEEKLY' | 'MONTHLY' | 'QUARTERLY' | 'ANNUAL';
    /**
     * Provider category
     * @enum {string}
     */
    ProviderCategory:
      | 'HOUSING'
      | 'UTILITIES'
      | 'COUNCIL_TAX'
      | 'INSURANCE'
      | 'TELECOMS'
      | 'TRANSPORT'
      | 'CREDIT'
      | 'CHILDCARE'
      | 'SUBSCRIPTIONS'
      | 'SAVINGS'
      | 'OTHER';
    /**
     * Affordability request
     * @example {
     *       "user_id": "emp-1042",
     *       "proposed_amount": 4500,
     *       "frequency": "MONTHLY",
     *       "category": "SUBSCRIPTIONS"
     *     }
     */
    AffordabilityRequest: {
      user_id: components['schemas']['OwnerId'];
      /** @description What is paid each time, in pence. */
      proposed_amount: components['schemas']['Amount'];
      frequency: components['schemas']['Frequency'];
      /** @description What it is for; essentials get 5 points. When left out, no points. */
      category?: components['schemas']['ProviderCategory'];
    };
    /**
     * Score
     * @description From 0 to 100; 50 is enough.
     */
    Score: number;
    /**
     * Confidence
     * @description How far the score can be trusted, with 2 decimals: 0.40, and 0.08 for each paycheck (6 at most) and 0.005 for each concluded payment of the last 12 months (14 at most), 0.95 at most.
     */
    Confidence: number;
    /**
     * Ratio with four decimals
     * @description A decimal ratio as text.
     * @example 0.8333
     */
    FourDecimals: string;
    /**
     * Factors of the score
     * @description Headroom, stability, cushion and punctuality, in this order.
     */
    Factors: {
      /** @enum {string} */
      name: 'headroom' | 'stability' | 'cushion' | 'punctuality';
      /** @description From 0 to 1. */
      value: components['schemas']['FourDecimals'];
      /** @description Its weight in the score. */
      weight: string;
    }[];
    /**
     * Exceeds what is safe to spend
     * @description It costs more in a month than is safe to spend now.
     */
    ExceedsSafeToSpendReason: {
      /** @constant */
      code: 'exceeds-safe-to-spend';
      /** @description What the purchase comes to in a month. */
      monthly_equivalent: components['schemas']['Balance'];
      /** @description What is safe to spend now. */
      safe_to_spend_before: components['schemas']['Balance'];
      /** @description By how much it costs more. */
      shortfall: components['schemas']['Balance'];
    };
    /**
     * Nothing is safe to spend
     * @description Nothing is safe to spend now.
     */
    NothingSafeToSpendReason: {
      /** @constant */
      code: 'nothing-safe-to-spend';
      /** @description What the purchase comes to in a month. */
      monthly_equivalent: components['schemas']['Balance'];
    };
    /**
     * Leaves nothing
     * @description It costs in a month exactly what is safe to spend now.
     */
    LeavesNothingReason: {
      /** @constant */
      code: 'leaves-nothing';
      /** @description What the purchase comes to in a month. */
      monthly_equivalent: components['schemas']['Balance'];
    };
    /**
     * Uses a share of what is safe to spend
     * @description It takes a share of what is safe to spend now.
     */
    UsesShareOfSafeToSpendReason: {
      /** @constant */
      code: 'uses-share-of-safe-to-spend';
      /** @description What the purchase comes to in a month. */
      monthly_equivalent: components['schemas']['Balance'];
      /** @description What would be left. */
      safe_to_spend_after: components['schemas']['Balance'];
      /** @description Its share of what is safe to spend now. */
      share: components['schemas']['FourDecimals'];
    };
    /**
     * Too few paychecks
     * @description One paycheck does not tell how much the income varies; half of the points count.
     */
    TooFewPaychecksReason: {
      /** @constant */
      code: 'too-few-paychecks';
      /** @description How many there are. */
      paychecks: number;
    };
    /**
     * Income is steady
     * @description The latest paychecks have the same gross pay.
     */
    IncomeSteadyReason: {
      /** @constant */
      code: 'income-steady';
      /** @description How many were compared, six at most. */
      paychecks: number;
    };
    /**
     * Income varies
     * @description The gross pays of the latest paychecks differ.
     */
    IncomeVariesReason: {
      /** @constant */
      code: 'income-varies';
      /** @description How many were compared, six at most. */
      paychecks: number;
      /** @description Their standard deviation as a share of their mean. */
      variation: components['schemas']['FourDecimals'];
    };
    /**
     * Buffer is below a tenth of the pay
     * @description The safety buffer holds less than a tenth of the last gross pay.
     */
    BufferBelowTenthOfPayReason: {
      /** @constant */
      code: 'buffer-below-tenth-of-pay';
      /** @description What the buffer holds. */
      buffer: components['schemas']['Balance'];
      /** @description A tenth of the last gross pay. */
      tenth_of_pay: components['schemas']['Balance'];
      /** @description What it lacks. */
      shortfall: components['schemas']['Balance'];
    };
    /**
     * Buffer covers a tenth of the pay
     * @description The safety buffer holds at least a tenth of the last gross pay.
     */
    BufferCoversTenthOfPayReason: {
      /** @constant */
      code: 'buffer-covers-tenth-of-pay';
      /** @description What the buffer holds. */
      buffer: components['schemas']['Balance'];
      /** @description A tenth of the last gross pay. */
      tenth_of_pay: components['schemas']['Balance'];
    };
    /**
     * No payments concluded
     * @description No payment was concluded in the last 12 months; half of the points count.
     */
    NoPaymentsConcludedReason: {
      /** @constant */
      code: 'no-payments-concluded';
    };
    /**
     * Payments were missed
     * @description Some payments of the last 12 months failed or came late.
     */
    PaymentsMissedReason: {
      /** @constant */
      code: 'payments-missed';
      /** @description How many were concluded. */
      concluded: number;
      /** @description How many of them were missed. */
      missed: number;
    };
    /**
     * Payments were on time
     * @description All payments that were concluded in the last 12 months were on time.
     */
    PaymentsOnTimeReason: {
      /** @constant */
      code: 'payments-on-time';
      /** @description How many were concluded. */
      concluded: number;
    };
    /**
     * Essential category
     * @description What is bought comes before wishes.
     */
    EssentialCategoryReason: {
      /** @constant */
      code: 'essential-category';
      category: components['schemas']['ProviderCategory'];
      /** @description How many points the score got for it. */
      points: number;
    };
    /**
     * Reason
     * @description A stable code with the figures behind it.
     */
    AffordabilityReason:
      | components['schemas']['ExceedsSafeToSpendReason']
      | components['schemas']['NothingSafeToSpendReason']
      | components['schemas']['LeavesNothingReason']
      | components['schemas']['UsesShareOfSafeToSpendReason']
      | components['schemas']['TooFewPaychecksReason']
      | components['schemas']['IncomeSteadyReason']
      | components['schemas']['IncomeVariesReason']
      | components['schemas']['BufferBelowTenthOfPayReason']
      | components['schemas']['BufferCoversTenthOfPayReason']
      | components['schemas']['NoPaymentsConcludedReason']
      | components['schemas']['PaymentsMissedReason']
      | components['schemas']['PaymentsOnTimeReason']
      | components['schemas']['EssentialCategoryReason'];
    /** Affordability check */
    AffordabilityCheck: {
      /** @description The check. */
      check_id: components['schemas']['ResourceId'];
      user_id: components['schemas']['OwnerId'];
      /** @description As it was asked for. */
      proposed_amount: components['schemas']['Amount'];
      frequency: components['schemas']['Frequency'];
      /** @description As it was asked for; null where it was left out. */
      category: components['schemas']['ProviderCategory'] | null;
      /** @description What it comes to in a month. */
      monthly_equivalent: components['schemas']['Balance'];
      /** @description Whether it leaves something to spend, or just nothing, and scores at least 50. */
      affordable: boolean;
      score: components['schemas']['Score'];
      confidence: components['schemas']['Confidence'];
      impact: {
        /** @description What is safe to spend now. */
        safe_to_spend_before: components['schemas']['Balance'];
        /** @description Less the monthly equivalent; below zero where that is more. */
        safe_to_spend_after: components['schemas']['SignedPence'];
        /** @description The monthly equivalent in percent of what is safe to spend now, with 2 decimals; 100 where that is nothing. */
        reduction_percentage: number;
      };
      factors: components['schemas']['Factors'];
      /** @description The most, at this frequency and category, that is affordable; 0 where nothing is. */
      largest_affordable_amount: components['schemas']['AmountOrZero'];
      /** @description Why the score is what it is, one reason for each factor, by weight, and one for an essential category. */
      reasons: components['schemas']['AffordabilityReason'][];
      /** @description The same in plain words. Guidance, not a lending decision. */
      recommendation: string;
      calculated_at: components['schemas']['Timestamp'];
    };
    /** Affordability score */
    AffordabilityScore: {
      user_id: components['schemas']['OwnerId'];
      score: components['schemas']['Score'];
      confidence: components['schemas']['Confidence'];
      factors: components['schemas']['Factors'];
      calculated_at: components['schemas']['Timestamp'];
    };
    /** Page of affordability checks */
    AffordabilityCheckPage: {
      items: components['schemas']['AffordabilityCheck'][];
      next_cursor: components['schemas']['NextCursor'];
    };
    /**
     * Rate of a debt
     * @description A year's interest in basis points; 1990 is 19.9 %.
     * @example 1990
     */
    DebtRate: number;
    /** Debt */
    Debt: {
      /** @description What it is called; unique among the debts. */
      name: components['schemas']['Label'];
      /** @description What is owed, in pence. */
      balance: components['schemas']['Amount'];
      rate: components['schemas']['DebtRate'];
      /** @description The least that must be paid each month, in pence. */
      minimum: components['schemas']['AmountOrZero'];
    };
    /**
     * Strategy
     * @description avalanche pays the highest rate first, snowball the lowest balance.
     * @enum {string}
     */
    DebtStrategy: 'avalanche' | 'snowball';
    /**
     * Debt request
     * @example {
     *       "debts": [
     *         {
     *           "name": "Car loan",
     *           "balance": 300000,
     *           "rate": 2490,
     *           "minimum": 9000
     *         },
     *         {
     *           "name": "Overdraft",
     *           "balance": 150000,
     *           "rate": 690,
     *           "minimum": 5000
     *         },
     *         {
     *           "name": "Store card",
     *           "balance": 60000,
     *           "rate": 3990,
     *           "minimum": 2500
     *         }
     *       ],
     *       "monthly_budget": 30000,
     *       "strategy": "avalanche"
     *     }
     */
    DebtRequest: {
      /** @description 1 to 50 debts with different names. */
      debts: components['schemas']['Debt'][];
      /** @description What all debts together get each month, in pence; at least their minimums together. */
      monthly_budget: components['schemas']['Amount'];
      /** @description Where what is left of the budget goes; avalanche when left out. */
      strategy?: components['schemas']['DebtStrategy'];
    };
    /**
     * Instalment
     * @description What one debt gets in one month.
     */
    Instalment: {
      /** @description 1 for the first month. */
      month: number;
      /** @description The debt's name. */
      debt: string;
      /** @description What it gets; 0 where its minimum is 0 and nothing is left for it. */
      payment: components['schemas']['Balance'];
      /** @description What is owed on it after the payment. */
      remaining: components['schemas']['Balance'];
    };
    /** Debt simulation result */
    DebtSimulation: {
      strategy: components['schemas']['DebtStrategy'];
      /** @description Months until nothing is owed. */
      total_months: number;
      /** @description All interest. */
      total_interest_paid: components['schemas']['Balance'];
      /** @description The balances and `total_interest_paid`, exactly. */
      total_paid: components['schemas']['Balance'];
      /**
       * Format: int64
       * @description The interest when each debt gets only its own minimum until it is cleared, less `total_interest_paid`; null where that never clears them.
       */
      savings_vs_minimum: number | null;
      /** @description Whether something is still owed after 1,200 months when each debt gets only its own minimum. */
      minimums_never_repay: boolean;
      /** @description The day of the last payment, `total_months` months after the day from which the schedule counts. */
      debt_free_date: components['schemas']['CalendarDate'];
      /** @description The debts' names in the order in which they clear; of the same month in the strategy's order. */
      order: components['schemas']['Label'][];
      /** @description One entry for each debt and month, from the first month to the one in which the debt is cleared; month by month, in each the debts in the order given. */
      payoff_schedule: components['schemas']['Instalment'][];
    };
    /**
     * Chart of the balances
     * @description An SVG of 800 by 450 with the balance of each debt by month, one upon the other. It holds no scripts and refers to nothing outside.
     */
    DebtChart: string;
    /** Debt of a plan */
    PlannedDebt: {
      /** @description What it is called; unique among the debts. */
      name: components['schemas']['Label'];
      /** @description What is owed, in pence. */
      balance: components['schemas']['Amount'];
      rate: components['schemas']['DebtRate'];
      /** @description The least that must be paid each month, in pence. */
      minimum: components['schemas']['AmountOrZero'];
      /** @description The payee whom this debt is paid to. Payments that the owner makes to it through this service count by themselves, each in the newest active plan that names the payee. */
      provider_id?: components['schemas']['ResourceId'];
    };
    /**
     * Debt plan request
     * @example {
     *       "name": "Free by summer",
     *       "debts": [
     *         {
     *           "name": "Car loan",
     *           "balance": 300000,
     *           "rate": 2490,
     *           "minimum": 9000,
     *           "provider_id": "prov_sandbox_instant"
     *         },
     *         {
     *           "name": "Store card",
     *           "balance": 60000,
     *           "rate": 3990,
     *           "minimum": 2500
     *         }
     *       ],
     *       "monthly_budget": 30000
     *     }
     */
    DebtPlanRequest: {
      /** @description Whose plan it is. A user may leave it out; an API key must say. */
      user_id?: components['schemas']['OwnerId'];
      /** @description What to call it. */
      name?: components['schemas']['Label'];
      /** @description 1 to 50 debts with different names. */
      debts: components['schemas']['PlannedDebt'][];
      /** @description What all debts together get each month, in pence; at least their minimums together. */
      monthly_budget: components['schemas']['Amount'];
      /** @description Where what is left of the budget goes; avalanche when left out. */
      strategy?: components['schemas']['DebtStrategy'];
      /** @description The day of the balances, from which months are counted; today in London when left out. At most 366 days back or ahead. */
      start_date?: components['schemas']['CalendarDate'];
    };
    /** Debt of a revision */
    RevisedDebt: {
      /** @description What it is called; unique among the debts. */
      name: components['schemas']['Label'];
      /** @description What was owed. */
      balance: components['schemas']['Balance'];
      rate: components['schemas']['DebtRate'];
      /** @description The least that must be paid each month, in pence. */
      minimum: components['schemas']['AmountOrZero'];
      /** @description The payee whose payments count by themselves; null where there is none. */
      provider_id: string | null;
    };
    /** Debt plan */
    DebtPlan: {
      /** @description The plan. */
      plan_id: components['schemas']['ResourceId'];
      user_id: components['schemas']['OwnerId'];
      /** @description What it is called; null where it has no name. */
      name: string | null;
      /**
       * @description completed while nothing is owed. It is looked at whenever the plan is read or a payment recorded, and is active again when a payment comes back.
       * @enum {string}
       */
      status: 'active' | 'completed';
      /** @description 1 for a new plan, one more for each change of it. */
      revision: number;
      /** @description The day on which the plan began. */
      start_date: components['schemas']['CalendarDate'];
      /** @description The day that the schedule's months are counted from and whose balances `debts` has: `start_date`, or the day of the last change. */
      schedule_from: components['schemas']['CalendarDate'];
      /** @description What all debts together get each month, in pence; at least their minimums together. */
      monthly_budget: components['schemas']['Amount'];
      /** @description The debts as they were on `schedule_from`. */
      debts: components['schemas']['RevisedDebt'][];
      created_at: components['schemas']['Timestamp'];
      /** @description When the latest revision was made. */
      updated_at: components['schemas']['Timestamp'];
      strategy: components['schemas']['DebtStrategy'];
      /** @description Months until nothing is owed. */
      total_months: number;
      /** @description All interest. */
      total_interest_paid: components['schemas']['Balance'];
      /** @description The balances and `total_interest_paid`, exactly. */
      total_paid: components['schemas']['Balance'];
      /**
       * Format: int64
       * @description The interest when each debt gets only its own minimum until it is cleared, less `total_interest_paid`; null where that never clears them.
       */
      savings_vs_minimum: number | null;
      /** @description Whether something is still owed after 1,200 months when each debt gets only its own minimum. */
      minimums_never_repay: boolean;
      /** @description The day of the last payment, `total_months` months after the day from which the schedule counts. */
      debt_free_date: components['schemas']['CalendarDate'];
      /** @description The debts' names in the order in which they clear; of the same month in the strategy's order. */
      order: components['schemas']['Label'][];
      /** @description One entry for each debt and month, from the first month to the one in which the debt is cleared; month by month, in each the debts in the order given. */
      payoff_schedule: components['schemas']['Instalment'][];
    };
    /** Debt plan without its schedule */
    DebtPlanSummary: {
      /** @description The plan. */
      plan_id: components['schemas']['ResourceId'];
      user_id: components['schemas']['OwnerId'];
      /** @description What it is called; null where it has no name. */
      name: string | null;
      /**
       * @description completed while nothing is owed. It is looked at whenever the plan is read or a payment recorded, and is active again when a payment comes back.
       * @enum {string}
       */
      status: 'active' | 'completed';
      /** @description 1 for a new plan, one more for each change of it. */
      revision: number;
      /** @description The day on which the plan began. */
      start_date: components['schemas']['CalendarDate'];
      /** @description The day that the schedule's months are counted from and whose balances `debts` has: `start_date`, or the day of the last change. */
      schedule_from: components['schemas']['CalendarDate'];
      strategy: components['schemas']['DebtStrategy'];
      /** @description What all debts together get each month, in pence; at least their minimums together. */
      monthly_budget: components['schemas']['Amount'];
      /** @description The debts as they were on `schedule_from`. */
      debts: components['schemas']['RevisedDebt'][];
      /** @description Months until nothing is owed. */
      total_months: number;
      /** @description All interest. */
      total_interest_paid: components['schemas']['Balance'];
      /** @description The day of the last payment, `total_months` months after the day from which the schedule counts. */
      debt_free_date: components['schemas']['CalendarDate'];
      created_at: components['schemas']['Timestamp'];
      /** @description When the latest revision was made. */
      updated_at: components['schemas']['Timestamp'];
    };
    /** Page of debt plans */
    DebtPlanPage: {
      items: components['schemas']['DebtPlanSummary'][];
      next_cursor: components['schemas']['NextCursor'];
    };
    /** Change of a debt */
    DebtChange: {
      /** @description What it is called; unique among the debts. */
      name: components['schemas']['Label'];
      /** @description What is owed today, by the lender's statement perhaps. When left out, what progress reckons. */
      balance?: components['schemas']['AmountOrZero'];
      rate?: components['schemas']['DebtRate'];
      /** @description The least that must be paid each month, in pence. */
      minimum?: components['schemas']['AmountOrZero'];
    };
    /**
     * Change of a debt plan
     * @description At least one of its fields.
     * @example {
     *       "strategy": "snowball",
     *       "monthly_budget": 35000,
     *       "debts": [
     *         {
     *           "name": "Store card",
     *           "rate": 2990
     *         }
     *       ]
     *     }
     */
    DebtPlanChange: {
      /** @description What to call it from now on. */
      name?: components['schemas']['Label'];
      strategy?: components['schemas']['DebtStrategy'];
      /** @description What all debts together get each month, in pence; at least their minimums together. */
      monthly_budget?: components['schemas']['Amount'];
      /** @description What changes of which debts; the others stay as they are. Names with something to change, each once. */
      debts?: components['schemas']['DebtChange'][];
    };
    /** Progress of a debt plan */
    DebtProgress: {
      /** @description The plan. */
      plan_id: components['schemas']['ResourceId'];
      strategy: components['schemas']['DebtStrategy'];
      /** @description Today in London. */
      as_of: components['schemas']['CalendarDate'];
      /** @description Whole months since `start_date`; 0 before it. */
      months_elapsed: number;
      /** @description What was owed when the plan began. */
      starting_balance: components['schemas']['Balance'];
      /** @description What the schedule leaves by now. */
      expected_balance: components['schemas']['Balance'];
      /** @description What is owed. */
      actual_balance: components['schemas']['Balance'];
      /** @description What was paid and counted. */
      paid_to_date: components['schemas']['Balance'];
      /** @description `expected_balance` less `actual_balance`; negative is behind. */
      ahead_by: components['schemas']['SignedPence'];
      /** @description Whether `ahead_by` is at least 0. */
      on_track: boolean;
      /**
       * Format: date
       * @description When nothing is owed if the plan is kept from now on: the actual balances simulated anew, from the last day that is a whole number of months after the schedule began. Where nothing is owed, the day since when. Null where the debts would never be repaid.
       */
      projected_debt_free_date: string | null;
      debts: {
        name: components['schemas']['Label'];
        /** @description What was owed when the plan began. */
        starting_balance: components['schemas']['Balance'];
        /** @description What the schedule leaves by now. */
        expected_balance: components['schemas']['Balance'];
        /** @description What is owed. */
        actual_balance: components['schemas']['Balance'];
        /**
         * @description How much of `starting_balance` is repaid, "0.00" to "100.00", rounded half up.
         * @example 12.50
         */
        percent_repaid: string;
      }[];
    };
    /**
     * Debt payment request
     * @example {
     *       "debt": "Store card",
     *       "amount": 12500,
     *       "paid_on": "2026-11-21"
     *     }
     */
    DebtPaymentRequest: {
      /** @description The name of one of the plan's debts. */
      debt: components['schemas']['Label'];
      amount: components['schemas']['Amount'];
      /** @description The day on which it was paid, not before `start_date` and not after today in London. */
      paid_on: components['schemas']['CalendarDate'];
      /**
       * @description Whether it is another payment than one of the same amount that completed through this service at about the same time.
       * @default false
       */
      separate?: boolean;
    };
    /** Recorded payment to a debt */
    DebtPayment: {
      /** @description The record. */
      payment_id: components['schemas']['ResourceId'];
      /** @description The plan. */
      plan_id: components['schemas']['ResourceId'];
      debt: components['schemas']['Label'];
      amount: components['schemas']['Amount'];
      paid_on: components['schemas']['CalendarDate'];
      /** @description What is owed on the debt today. */
      remaining: components['schemas']['Balance'];
      /**
       * @description completed while nothing is owed. It is looked at whenever the plan is read or a payment recorded, and is active again when a payment comes back.
       * @enum {string}
       */
      status: 'active' | 'completed';
      created_at: components['schemas']['Timestamp'];
    };
    /**
     * Accrual request
     * @example {
     *       "vault_id": "vlt_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11",
     *       "as_of": "2026-12-01"
     *     }
     */
    AccrueRequest: {
      vault_id: components['schemas']['ResourceId'];
      /** @description The first day that is not to earn yet; today in London when left out. Not in the future, and not before the vault was made. */
      as_of?: components['schemas']['CalendarDate'];
    };
    /**
     * Annual rate
     * @description Interest a year, as a decimal ratio.
     * @example 0.0410
     */
    AnnualRate: string;
    /**
     * Accrual
     * @description Interest of a vault for the days from `from` up to but not including `to`. It never changes.
     */
    Accrual: {
      accrual_id: components['schemas']['ResourceId'];
      vault_id: components['schemas']['ResourceId'];
      /** @description Where the last accrual ended, or the day the vault was made, or the day from which the rate is the one. */
      from: components['schemas']['CalendarDate'];
      to: components['schemas']['CalendarDate'];
      /** @description How many days that is. */
      days: number;
      annual_rate: components['schemas']['AnnualRate'];
      /** @description What was posted. */
      accrued: components['schemas']['Balance'];
      /**
       * @description What was earned, less what was posted, in pence with 9 decimals: from -0.5 up to 0.5. Negative where it was rounded up. It is carried into the next accrual; what is carried is exact, and no two remainders look the same here.
       * @example -0.041095890
       */
      remainder: string;
      /** @description What the vault held after it. */
      balance_after: components['schemas']['Balance'];
      posted_at: components['schemas']['Timestamp'];
    };
    /** Interest of a vault */
    VaultYield: {
      vault_id: components['schemas']['ResourceId'];
      vault_type: components['schemas']['VaultType'];
      /** @description A name for people to read; null where there is none. */
      label: string | null;
      balance: components['schemas']['Balance'];
      /** @description The rate of today. */
      annual_rate: components['schemas']['AnnualRate'];
      /** @description All interest that was ever posted to it. */
      total_accrued: components['schemas']['Balance'];
      /** @description What would be posted if it were accrued now. */
      unposted: components['schemas']['Balance'];
      /** @description The first day that has not been accrued yet; null where nothing has. */
      last_accrued_to: components['schemas']['CalendarDate'] | null;
    };
    /** Interest of an owner */
    YieldAggregate: {
      user_id: components['schemas']['OwnerId'];
      /** @description All interest that was ever posted. */
      total_accrued: components['schemas']['Balance'];
      /** @description What was posted since 6 April in London, the day on which the tax year began. */
      accrued_this_tax_year: components['schemas']['Balance'];
      /** @description What would be posted if all vaults were accrued now. */
      unposted: components['schemas']['Balance'];
      by_vault: components['schemas']['VaultYield'][];
    };
    /** Interest of a vault with its accruals */
    VaultYieldDetails: {
      vault_id: components['schemas']['ResourceId'];
      vault_type: components['schemas']['VaultType'];
      /** @description A name for people to read; null where there is none. */
      label: string | null;
      balance: components['schemas']['Balance'];
      /** @description The rate of today. */
      annual_rate: components['schemas']['AnnualRate'];
      /** @description All interest that was ever posted to it. */
      total_accrued: components['schemas']['Balance'];
      /** @description What would be posted if it were accrued now. */
      unposted: components['schemas']['Balance'];
      /** @description The first day that has not been accrued yet; null where nothing has. */
      last_accrued_to: components['schemas']['CalendarDate'] | null;
      /** @description Newest first. */
      accruals: components['schemas']['Accrual'][];
      next_cursor: components['schemas']['NextCursor'];
    };
    /**
     * Forecast request
     * @example {
     *       "user_id": "emp-1042",
     *       "horizon_months": 12
     *     }
     */
    ForecastRequest: {
      user_id: components['schemas']['OwnerId'];
      /**
       * @description How many months to look ahead.
       * @example 12
       */
      horizon_months: number;
      /**
       * @description Whether interest stays in the vaults and earns in its turn.
       * @default true
       */
      include_reinvestment?: boolean;
    };
    /** Yield forecast */
    YieldForecast: {
      /** @description What all vaults hold now. */
      current_balance: components['schemas']['Balance'];
      /** @description What they will earn; the sum of the months. */
      projected_yield: components['schemas']['Balance'];
      /**
       * @description A percentage with two decimals; "0.00" without money.
       * @example 4.18
       */
      effective_apy: string;
      monthly_breakdown: {
        /** @description 1 for the month that begins today. */
        month: number;
        /** @description What is earned in it. */
        accrued: components['schemas']['Balance'];
        /** @description What all vaults hold after it. */
        balance: components['schemas']['Balance'];
      }[];
      /** @description The end of the horizon, the instant at which its last day is over in London. */
      forecast_date: components['schemas']['Timestamp'];
    };
    /**
     * Chart of a forecast
     * @description An SVG of 800 by 450 with the balance of all vaults as a line and the interest of each month as a bar. It holds no scripts and refers to nothing outside.
     */
    YieldChart: string;
    /**
     * Payment reference
     * @description What the payee reads on the statement; Faster Payments carries 18 characters. Not only spaces.
     * @example RENT NOV
     */
    Reference: string;
    /** Execute payment request */
    ExecutePaymentRequest: {
      vault_allocation_id: components['schemas']['ResourceId'];
      amount: components['schemas']['Amount'];
      /** @description ISO 4217; payments are made in GBP. */
      currency: string;
      provider_id: components['schemas']['ResourceId'];
      reference?: components['schemas']['Reference'];
      /** @description The day in London on which to pay, from today to 365 days ahead; without it, at once. */
      execute_on?: components['schemas']['CalendarDate'];
      /** @description The day by which the bill is due. */
      due_date?: components['schemas']['CalendarDate'];
    };
    /**
     * Payment status
     * @description `processing`: being handed to the bank, accepted and not settled, or its outcome is not known yet. `pending`: the bank has accepted nothing; only this can be cancelled. `completed`, `failed` (may be retried), `cancelled`, `returned` (settled, and the money came back).
     * @enum {string}
     */
    PaymentStatus: 'processing' | 'pending' | 'completed' | 'failed' | 'cancelled' | 'returned';
    /** Payment */
    Payment: {
      payment_id: string;
      status: components['schemas']['PaymentStatus'];
      amount: components['schemas']['Amount'];
      currency: string;
      provider_id: string;
      reference?: string;
      initiated_at: components['schemas']['Timestamp'];
      /** @description By when the payee has the money at the latest, if all goes well. */
      estimated_completion: components['schemas']['Timestamp'];
      vault_allocation_id: string;
      user_id: string;
      attempt: number;
      /** Format: date */
      execute_on: string | null;
      /** Format: date */
      due_date: string | null;
      category: components['schemas']['ProviderCategory'];
    };
    /** Page of payments */
    PaymentPage: {
      items: components['schemas']['Payment'][];
      next_cursor: components['schemas']['NextCursor'];
    };
    /**
     * Vouched by
     * @description Who vouches that this payee sends bills; only payments to such payees count in a credential. `sandbox`: a payee of the sandbox.
     *     `application`: a key with the scope `vouch:payees` added it. `operator`: the operator confirmed it. Null: nobody.
     * @example application
     * @enum {string|null}
     */
    VouchedBy: 'sandbox' | 'application' | 'operator' | null;
    /** Provider */
    Provider: {
      provider_id: string;
      name: string;
      category: components['schemas']['ProviderCategory'];
      /**
       * @description Masked but for its last two digits.
       * @example **-**-56
       */
      sort_code: string;
      /**
       * @description Masked but for its last four digits.
       * @example ****5678
       */
      account_number: string;
      vouched_by: components['schemas']['VouchedBy'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Page of providers */
    ProviderPage: {
      items: components['schemas']['Provider'][];
      next_cursor: components['schemas']['NextCursor'];
    };
    /** Add provider request */
    AddProviderRequest: {
      /**
       * Format: printable-text
       * @description The payee's name as the bank knows it. No control or format characters, and not only spaces.
       */
      name: string;
      category: components['schemas']['ProviderCategory'];
      /**
       * @description Six digits; pairs of them may be set apart by hyphens or spaces.
       * @example 401276
       * @example 40-12-76
       */
      sort_code: string;
      /** @description Eight digits. */
      account_number: string;
    };
    /**
     * Payment failure
     * @description Why the payment failed; `retryable` says whether another try can help. `code` is the bank's ISO 20022 reason, or why the service did not hand the payment to the bank: `income-not-evidenced` or `owner-of-another-application`.
     */
    PaymentFailure: {
      code: string;
      detail: string;
      retryable: boolean;
    };
    /** Line of a payment's timeline */
    PaymentTimelineEntry: {
      status: components['schemas']['PaymentStatus'];
      at: components['schemas']['Timestamp'];
      attempt: number;
      detail: string;
    };
    /** Attempt at a payment */
    PaymentAttempt: {
      attempt: number;
      status: components['schemas']['PaymentStatus'];
      failure: components['schemas']['PaymentFailure'] | null;
      at: components['schemas']['Timestamp'];
    };
    /** Payment with its history */
    PaymentDetails: {
      payment_id: string;
      status: components['schemas']['PaymentStatus'];
      amount: components['schemas']['Amount'];
      currency: string;
      provider_id: string;
      reference?: string;
      initiated_at: components['schemas']['Timestamp'];
      estimated_completion: components['schemas']['Timestamp'];
      vault_allocation_id: string;
      user_id: string;
      attempt: number;
      /** Format: date */
      execute_on: string | null;
      /** Format: date */
      due_date: string | null;
      category: components['schemas']['ProviderCategory'];
      failure: components['schemas']['PaymentFailure'] | null;
      /** @description The bank's own status (ISO 20022), `UNKNOWN` while its answer is outstanding, null before it has the payment. `BLCK` and `CANC`: the bank has blocked the payment, and the money stays in flight until the bank or an operator settles it. */
      bank_status: string | null;
      /** @description Whether an operator has to find out what the bank did, or settle what the bank has blocked. */
      attention: boolean;
      timeline: components['schemas']['PaymentTimelineEntry'][];
      attempts: components['schemas']['PaymentAttempt'][];
    };
    /**
     * Document type
     * @enum {string}
     */
    DocumentType: 'payslip' | 'p60' | 'p45';
    /** Upload */
    PayslipUpload: {
      /**
       * Format: binary
       * @description The document, as JPEG, PNG or PDF; at most 5,242,880 bytes. Its first 10 pages are read.
       */
      file: string;
      /** @description Whose it is. */
      user_id: components['schemas']['OwnerId'];
      /** @description A hint at what it is. The document itself decides. */
      document_type?: components['schemas']['DocumentType'];
    };
    /**
     * Amount as read
     * Format: int64
     * @description Pence; null where it was not found.
     */
    ReadAmount: number | null;
    /**
     * What a document says
     * @description Of its pay period for a payslip, of the year in this employment for a P60, up to the leaving date for a P45. What was not found is null.
     */
    ExtractedPayslip: {
      employer_name: string | null;
      /** @description The period as it is printed. */
      pay_period: string | null;
      gross_pay: components['schemas']['ReadAmount'];
      net_pay: components['schemas']['ReadAmount'];
      tax_deducted: components['schemas']['ReadAmount'];
      /** @description The employee's National Insurance, pence; null where it was not found. */
      ni_deducted: components['schemas']['ReadAmount'];
      /** @description The employee's own contributions, pence; null where none were found. */
      pension_deducted: components['schemas']['ReadAmount'];
    };
    /**
     * Confidence of a reading
     * @description How sure it is, from 0 to 1.
     * @example 0.99
     */
    ReadingConfidence: number;
    /**
     * Confidence of a field
     * @description Null where the field was not found.
     */
    FieldConfidence: {
      confidence: components['schemas']['ReadingConfidence'];
      /** @description The page that it stands on, from 1. */
      page: number;
    } | null;
    /** Confidence of each field */
    DocumentFields: {
      employer_name: components['schemas']['FieldConfidence'];
      pay_period: components['schemas']['FieldConfidence'];
      gross_pay: components['schemas']['FieldConfidence'];
      net_pay: components['schemas']['FieldConfidence'];
      tax_deducted: components['schemas']['FieldConfidence'];
      ni_deducted: components['schemas']['FieldConfidence'];
      pension_deducted: components['schemas']['FieldConfidence'];
      pay_date: components['schemas']['FieldConfidence'];
      tax_year: components['schemas']['FieldConfidence'];
      tax_code: components['schemas']['FieldConfidence'];
      paye_reference: components['schemas']['FieldConfidence'];
    };
    /**
     * Payslip document
     * @description What was read of it is null until the status is `parsed`.
     */
    PayslipDocument: {
      doc_id: components['schemas']['ResourceId'];
      user_id: components['schemas']['OwnerId'];
      /**
       * @description `processing`: being read. `parsed` and `failed` are final.
       * @enum {string}
       */
      status: 'processing' | 'parsed' | 'failed';
      /** @description What the document turned out to be. */
      document_type: components['schemas']['DocumentType'] | null;
      extracted: components['schemas']['ExtractedPayslip'] | null;
      /** @description The least confidence of gross pay, net pay, tax and National Insurance, of those that this type of document prints; 0 where one of them was not found. */
      confidence: number | null;
      fields: components['schemas']['DocumentFields'] | null;
      /** @description Sums between the figures, such as gross less deductions is net; `holds` is null where a figure is missing. */
      checks: {
        name: string;
        holds: boolean | null;
      }[];
      /** @description Whether a person should look, as the confidence is below 0.90. */
      needs_review: boolean;
      /**
       * Format: date
       * @description The day of payment, of a P45 the day of leaving.
       */
      pay_date: string | null;
      /** @description As `2025-26`. */
      tax_year: string | null;
      tax_code: string | null;
      /** @description The employer's PAYE reference. */
      paye_reference: string | null;
      /** @description Why it could not be read; null otherwise. */
      failure: {
        /**
         * @description One that is not listed here may come later; then go by `detail`.
         * @enum {string}
         */
        code: 'unreadable' | 'encrypted-pdf' | 'no-payslip-found' | 'document-too-complex';
        detail: string;
      } | null;
      uploaded_at: components['schemas']['Timestamp'];
      /** @description When it was read. */
      parsed_at: components['schemas']['Timestamp'] | null;
    };
    /** Tax year */
    TaxYear: {
      /**
       * @description From 6 April to 5 April.
       * @example 2025-26
       */
      tax_year: string;
      /**
       * Format: int64
       * @description Pence; null where a document that counts does not say it.
       */
      gross_pay: number | null;
      /**
       * Format: int64
       * @description Pence; null where a document that counts does not say it.
       */
      tax_deducted: number | null;
      /**
       * Format: int64
       * @description Pence; null where a document that counts does not say it.
       */
      ni_deducted: number | null;
      /**
       * Format: int64
       * @description Pence; null where a document that counts does not say it.
       */
      pension_deducted: number | null;
      /**
       * Format: int64
       * @description Pence; null where a document that counts does not say it.
       */
      net_pay: number | null;
      /** @description The documents that the totals come from, in the order of their upload. */
      sources: {
        doc_id: components['schemas']['ResourceId'];
        document_type: components['schemas']['DocumentType'];
        /** @description Figures that were not found on it. */
        missing: ('gross_pay' | 'net_pay' | 'tax_deducted' | 'ni_deducted' | 'pension_deducted')[];
      }[];
    };
    /** Tax history */
    TaxHistory: {
      user_id: components['schemas']['OwnerId'];
      tax_years: components['schemas']['TaxYear'][];
    };
    /**
     * Generate credential request
     * @example {
     *       "user_id": "emp-1042",
     *       "scope": [
     *         "HOUSING",
     *         "UTILITIES"
     *       ],
     *       "period_months": 12
     *     }
     */
    GenerateCredentialRequest: {
      user_id: components['schemas']['OwnerId'];
      /** @description The categories of payees whose payments count; all of them when left out. */
      scope?: components['schemas']['ProviderCategory'][];
      /**
       * @description How many months to look back.
       * @default 12
       */
      period_months?: number;
    };
    /**
     * Reliability score
     * @description From 0 to 1000; higher is more reliable.
     * @example 917
     */
    ReliabilityScore: number;
    /**
     * On-time rate
     * @description Payments on time / payments, with four decimals.
     * @example 0.9583
     */
    OnTimeRate: string;
    /**
     * Total payments
     * @description How many payments to payees for whom somebody vouches were concluded in the period.
     * @example 24
     */
    TotalPayments: number;
    /**
     * Missed payments
     * @description How many of them were not completed in time.
     * @example 1
     */
    MissedPayments: number;
    /**
     * Bills
     * @description How many bills count. Credentials issued before bills were counted have none of these counts.
     * @example 22
     */
    Bills: number;
    /**
     * Payees
     * @description To how many accounts these bills were paid.
     * @example 3
     */
    Payees: number;
    /**
     * Months covered
     * @description How many calendar months have a bill.
     * @example 11
     */
    MonthsCovered: number;
    /**
     * Total paid
     * @description What the payments that count settled in all, in pence.
     * @example 1284300
     */
    TotalPaid: number;
    /**
     * Payments left out
     * @description How many more payments were concluded in the period, to payees for whom nobody vouches.
     * @example 0
     */
    PaymentsLeftOut: number;
    /**
     * Period
     * @description From the day of the first payment that counts, and not before the time asked for, to the day of the request.
     * @example 2025-11-21 to 2026-11-21
     */
    Period: string;
    /**
     * Categories
     * @description The categories of payees whose payments count.
     */
    Categories: components['schemas']['ProviderCategory'][];
    /**
     * Score breakdown
     * @description What the score is made of; the points add up to it.
     * @example [
     *       {
     *         "factor": "punctuality",
     *         "value": "0.9621",
     *         "points": 673,
     *         "of": 700,
     *         "basis": "21 of 22 bills on time, recent ones count most; 11 months with a bill, full from 6"
     *       },
     *       {
     *         "factor": "history",
     *         "value": "0.9167",
     *         "points": 183,
     *         "of": 200,
     *         "basis": "11 months with a bill, full from 12"
     *       },
     *       {
     *         "factor": "streak",
     *         "value": "0.4167",
     *         "points": 42,
     *         "of": 100,
     *         "basis": "5 months in a row with every bill on time, full from 12"
     *       }
     *     ]
     */
    ScoreBreakdown: {
      /**
       * @description `punctuality` is R, the share of bills on time, recent ones weighing more; `history` is D, how many months have a bill; `streak` is S, how many months in a row up to the newest have every bill on time.
       * @enum {string}
       */
      factor: 'punctuality' | 'history' | 'streak';
      /** @description From 0 to 1 with four decimals. */
      value: string;
      /** @description What it brought. */
      points: number;
      /** @description What it can bring at most. */
      of: number;
      /** @description What it was worked out from, in words. Credentials issued before bills were counted do not say. */
      basis?: string;
    }[];
    /** Reliability credential */
    Credential: {
      credential_id: components['schemas']['ResourceId'];
      user_id: components['schemas']['OwnerId'];
      reliability_score: components['schemas']['ReliabilityScore'];
      on_time_rate: components['schemas']['OnTimeRate'];
      total_payments: components['schemas']['TotalPayments'];
      missed_payments: components['schemas']['MissedPayments'];
      bills?: components['schemas']['Bills'];
      payees?: components['schemas']['Payees'];
      months_covered?: components['schemas']['MonthsCovered'];
      total_paid?: components['schemas']['TotalPaid'];
      payments_left_out?: components['schemas']['PaymentsLeftOut'];
      period: components['schemas']['Period'];
      issued_at: components['schemas']['Timestamp'];
      /** @description From then on it is not valid any more, 90 days after it was issued. */
      expires_at: components['schemas']['Timestamp'];
      categories: components['schemas']['Categories'];
      score_breakdown: components['schemas']['ScoreBreakdown'];
    };
    /**
     * Presented credential
     * @example {
     *       "credential": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImRjK3NkLWp3dCJ9.eyJ2Y3QiOiIifQ.c2ln~"
     *     }
     */
    PresentedCredential: {
      /**
       * Format: printable
       * @description An SD-JWT in its compact form, with whichever disclosures its holder chose to show. No control or format characters.
       */
      credential: string;
    };
    /**
     * Status of a credential
     * @description `tampered`: it is not as this service signed it.
     * @enum {string}
     */
    CredentialStatus: 'valid' | 'expired' | 'revoked' | 'tampered';
    /** Disclosed claims */
    DisclosedClaims: {
      on_time_rate?: components['schemas']['OnTimeRate'];
      total_payments?: components['schemas']['TotalPayments'];
      missed_payments?: components['schemas']['MissedPayments'];
      period?: components['schemas']['Period'];
      categories?: components['schemas']['Categories'];
      score_breakdown?: components['schemas']['ScoreBreakdown'];
      bills?: components['schemas']['Bills'];
      payees?: components['schemas']['Payees'];
      months_covered?: components['schemas']['MonthsCovered'];
      total_paid?: components['schemas']['TotalPaid'];
      payments_left_out?: components['schemas']['PaymentsLeftOut'];
    };
    /** Verification of a presented credential */
    PresentedVerification: {
      /** @description The credential; null where what was presented is none. */
      credential_id: string | null;
      /** @description Whether it counts now; only `valid` ones do. */
      valid: boolean;
      status: components['schemas']['CredentialStatus'];
      /** @description Who issued it. */
      issuer: string | null;
      /** @description Whose payments they are. */
      subject: string | null;
      /** @description From 0 to 1000. */
      reliability_score: number | null;
      /** @description From which day to which the score looks; null also where the holder of a presented credential does not show it. */
      period: string | null;
      /** @description What the score counts, in words. */
      meaning: string | null;
      issued_at: components['schemas']['Timestamp'] | null;
      expires_at: components['schemas']['Timestamp'] | null;
      /** @description What its holder chose to show beside these; null where it is `tampered`. */
      disclosed: components['schemas']['DisclosedClaims'] | null;
    };
    /**
     * Verification
     * @description Of a `tampered` one, nothing is told that it claims.
     */
    Verification: {
      /** @description The credential; null where what was presented is none. */
      credential_id: string | null;
      /** @description Whether it counts now; only `valid` ones do. */
      valid: boolean;
      status: components['schemas']['CredentialStatus'];
      /** @description Who issued it. */
      issuer: string | null;
      /** @description Whose payments they are. */
      subject: string | null;
      /** @description From 0 to 1000. */
      reliability_score: number | null;
      /** @description From which day to which the score looks; null also where the holder of a presented credential does not show it. */
      period: string | null;
      /** @description What the score counts, in words. */
      meaning: string | null;
      issued_at: components['schemas']['Timestamp'] | null;
      expires_at: components['schemas']['Timestamp'] | null;
    };
    /**
     * SD-JWT
     * @description The credential as its holder hands it on, in the compact form of RFC 9901 with all disclosures.
     * @example eyJhbGciOiJFUzI1NiIsInR5cCI6ImRjK3NkLWp3dCJ9.eyJ2Y3QiOiIifQ.c2ln~WyJzYWx0IiwidG90YWxfcGF5bWVudHMiLDI0XQ~
     */
    SdJwt: string;
    /** Exported credential */
    ExportedCredential: {
      credential_id: components['schemas']['ResourceId'];
      user_id: components['schemas']['OwnerId'];
      reliability_score: components['schemas']['ReliabilityScore'];
      on_time_rate: components['schemas']['OnTimeRate'];
      total_payments: components['schemas']['TotalPayments'];
      missed_payments: components['schemas']['MissedPayments'];
      bills?: components['schemas']['Bills'];
      payees?: components['schemas']['Payees'];
      months_covered?: components['schemas']['MonthsCovered'];
      total_paid?: components['schemas']['TotalPaid'];
      payments_left_out?: components['schemas']['PaymentsLeftOut'];
      period: components['schemas']['Period'];
      issued_at: components['schemas']['Timestamp'];
      /** @description From then on it is not valid any more, 90 days after it was issued. */
      expires_at: components['schemas']['Timestamp'];
      categories: components['schemas']['Categories'];
      score_breakdown: components['schemas']['ScoreBreakdown'];
      status: components['schemas']['CredentialStatus'];
      /**
       * Format: uri
       * @description Where anybody can check it.
       */
      verify_url: string;
      sd_jwt: components['schemas']['SdJwt'];
    };
    /** Credential type metadata */
    CredentialTypeMetadata: {
      /**
       * Format: uri
       * @description The address of this document.
       */
      vct: string;
      name: string;
      description: string;
      display: {
        locale: string;
        name: string;
        description: string;
      }[];
      claims: {
        path: string[];
        display: {
          locale: string;
          label: string;
        }[];
        /** @enum {string} */
        sd: 'allowed' | 'never';
      }[];
    };
    /** JWK set */
    JwkSet: {
      keys: {
        /** @constant */
        kty: 'EC';
        /** @constant */
        crv: 'P-256';
        x: string;
        y: string;
        /** @description The key's thumbprint (RFC 7638). */
        kid: string;
        /** @constant */
        alg: 'ES256';
        /** @constant */
        use: 'sig';
      }[];
    };
    /** E-mail address */
    UserEmail: {
      /**
       * Format: idn-email
       * @description At most 64 characters before the only `@`: letters, digits and `!#$%&'*+/=?^_{|}~-` or backticks, with single dots between them. After it a domain name of two labels or more, each of at most 63 letters, digits and hyphens, with no hyphen at an end; the last one begins with a letter. Letters, marks and digits may be of any script.
       * @example ada@example.org
       */
      email: string;
    };
    /**
     * Metadata
     * @description Notes of yours for the audit, such as where the data came from; encrypted with it. Any JSON object of up to 4,096 bytes as compact JSON in UTF-8, with up to 1,000 values in it, nested up to 8 deep (the object itself is 1 deep). It comes back as the same JSON value; numbers are doubles.
     * @example {
     *       "source": "onboarding",
     *       "batch": {
     *         "id": 7,
     *         "checked_by": [
     *           "ada",
     *           "grace"
     *         ]
     *       }
     *     }
     */
    Metadata: {
      [key: string]: unknown;
    };
    /** Store: E-mail address */
    StoreUserEmail: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_email';
      data: components['schemas']['UserEmail'];
      owner_id: components['schemas']['OwnerId'];
      metadata?: components['schemas']['Metadata'];
    };
    /** Phone number */
    UserPhone: {
      /**
       * @description Seven to fifteen digits, with a plus sign before them where the country code is; spaces, dots, hyphens and brackets may set them apart.
       * @example +44 7700 900123
       */
      phone: string;
    };
    /** Store: Phone number */
    StoreUserPhone: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_phone';
      data: components['schemas']['UserPhone'];
      owner_id: components['schemas']['OwnerId'];
      metadata?: components['schemas']['Metadata'];
    };
    /**
     * Short text
     * Format: printable-text
     * @description No control or format characters, and not only spaces.
     */
    PiiShortText: string;
    /** Name */
    UserName: {
      /**
       * Format: printable-text
       * @description No control or format characters, and not only spaces.
       * @example Dr
       */
      title?: string;
      first_name: components['schemas']['PiiShortText'];
      middle_names?: components['schemas']['PiiShortText'];
      last_name: components['schemas']['PiiShortText'];
    };
    /** Store: Name */
    StoreUserName: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_name';
      data: components['schemas']['UserName'];
      owner_id: components['schemas']['OwnerId'];
      metadata?: components['schemas']['Metadata'];
    };
    /**
     * Country
     * @description ISO 3166-1, two or three capital letters.
     * @example GB
     */
    PiiCountry: string;
    /** Address */
    UserAddress: {
      line_1: components['schemas']['PiiShortText'];
      line_2?: components['schemas']['PiiShortText'];
      line_3?: components['schemas']['PiiShortText'];
      city: components['schemas']['PiiShortText'];
      county?: components['schemas']['PiiShortText'];
      /**
       * @description Of the United Kingdom, or of `country`.
       * @example SW1A 1AA
       */
      postcode: string;
      country?: components['schemas']['PiiCountry'];
    };
    /** Store: Address */
    StoreUserAddress: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_address';
      data: components['schemas']['UserAddress'];
      owner_id: components['schemas']['OwnerId'];
      metadata?: components['schemas']['Metadata'];
    };
    /**
     * Date
     * Format: date
     * @example 2031-05-14
     */
    PiiDate: string;
    /** Date of birth */
    UserDateOfBirth: {
      date_of_birth: components['schemas']['PiiDate'];
    };
    /** Store: Date of birth */
    StoreUserDateOfBirth: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_date_of_birth';
      data: components['schemas']['UserDateOfBirth'];
      owner_id: components['schemas']['OwnerId'];
      metadata?: components['schemas']['Metadata'];
    };
    /**
     * National Insurance number
     * @description Two letters, six digits, a letter from A to D, in one piece or in pairs. The prefixes BG, GB, KN, NK, NT, TN and ZZ are never given out.
     * @example AB 12 34 56 C
     */
    PiiNationalInsuranceNumber: string;
    /** National Insurance */
    UserNationalInsurance: {
      national_insurance_number: components['schemas']['PiiNationalInsuranceNumber'];
    };
    /** Store: National Insurance */
    StoreUserNationalInsurance: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_national_insurance';
      data: components['schemas']['UserNationalInsurance'];
      owner_id: components['schemas']['OwnerId'];
      metadata?: components['schemas']['Metadata'];
    };
    /** Passport */
    UserPassport: {
      /** @example 533401372 */
      passport_number: string;
      issuing_country?: components['schemas']['PiiCountry'];
      expires_on?: components['schemas']['PiiDate'];
    };
    /** Store: Passport */
    StoreUserPassport: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_passport';
      data: components['schemas']['UserPassport'];
      owner_id: components['schemas']['OwnerId'];
      metadata?: components['schemas']['Metadata'];
    };
    /** Driving licence */
    UserDrivingLicence: {
      /**
       * @description The 16 characters of Great Britain, with the issue number or without, or the eight digits of Northern Ireland.
       * @example MORGA657054SM9IJ
       */
      licence_number: string;
      expires_on?: components['schemas']['PiiDate'];
    };
    /** Store: Driving licence */
    StoreUserDrivingLicence: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_driving_licence';
      data: components['schemas']['UserDrivingLicence'];
      owner_id: components['schemas']['OwnerId'];
      metadata?: components['schemas']['Metadata'];
    };
    /**
     * Sort code
     * @description Six digits; pairs of them may be set apart by hyphens or spaces.
     * @example 401276
     * @example 40-12-76
     */
    PiiSortCode: string;
    /**
     * Account number
     * @description Eight digits; six or seven where the bank prints so few, which stand for the same with zeros before them.
     * @example 12345678
     */
    PiiAccountNumber: string;
    /**
     * Account holder
     * Format: printable-text
     * @description The name as the bank knows it. No control or format characters, and not only spaces.
     * @example Ada King
     */
    PiiAccountHolderName: string;
    /** Bank account of an employee */
    EmployeeBank: {
      sort_code: components['schemas']['PiiSortCode'];
      account_number: components['schemas']['PiiAccountNumber'];
      account_holder_name: components['schemas']['PiiAccountHolderName'];
    };
    /** Store: Bank account of an employee */
    StoreEmployeeBank: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'employee_bank';
      data: components['schemas']['EmployeeBank'];
      owner_id: components['schemas']['OwnerId'];
      metadata?: components['schemas']['Metadata'];
    };
    /** Payroll */
    EmployeePayroll: {
      /**
       * Format: printable-text
       * @description No control or format characters, and not only spaces.
       * @example 004217
       */
      payroll_number: string;
      /**
       * Format: printable-text
       * @description No control or format characters, and not only spaces.
       * @example Analytical Engines Ltd
       */
      employer_name?: string;
      /**
       * @description The employer's reference at HMRC.
       * @example 123/AB456
       */
      paye_reference?: string;
    };
    /** Store: Payroll */
    StoreEmployeePayroll: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'employee_payroll';
      data: components['schemas']['EmployeePayroll'];
      owner_id: components['schemas']['OwnerId'];
      metadata?: components['schemas']['Metadata'];
    };
    /** Tax */
    EmployeeTax: {
      /** @example 1257L */
      tax_code: string;
      national_insurance_number?: components['schemas']['PiiNationalInsuranceNumber'];
    };
    /** Store: Tax */
    StoreEmployeeTax: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'employee_tax';
      data: components['schemas']['EmployeeTax'];
      owner_id: components['schemas']['OwnerId'];
      metadata?: components['schemas']['Metadata'];
    };
    /** Bank account of a payee */
    PayeeBank: {
      account_holder_name: components['schemas']['PiiAccountHolderName'];
      sort_code: components['schemas']['PiiSortCode'];
      account_number: components['schemas']['PiiAccountNumber'];
    };
    /** Store: Bank account of a payee */
    StorePayeeBank: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'payee_bank';
      data: components['schemas']['PayeeBank'];
      owner_id: components['schemas']['OwnerId'];
      metadata?: components['schemas']['Metadata'];
    };
    /**
     * Store request
     * @description What `data` has to be goes by `pii_type`.
     */
    StoreVaultRecordRequest:
      | components['schemas']['StoreUserEmail']
      | components['schemas']['StoreUserPhone']
      | components['schemas']['StoreUserName']
      | components['schemas']['StoreUserAddress']
      | components['schemas']['StoreUserDateOfBirth']
      | components['schemas']['StoreUserNationalInsurance']
      | components['schemas']['StoreUserPassport']
      | components['schemas']['StoreUserDrivingLicence']
      | components['schemas']['StoreEmployeeBank']
      | components['schemas']['StoreEmployeePayroll']
      | components['schemas']['StoreEmployeeTax']
      | components['schemas']['StorePayeeBank'];
    /**
     * Vault reference
     * @description Stands for a record wherever the personal data itself must not be.
     * @example vault:employee_bank:01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
     */
    VaultRef: string;
    /** Stored record */
    StoredVaultRecord: {
      vault_ref: components['schemas']['VaultRef'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Batch request */
    BatchRetrieveRequest: {
      /** @description References, in the order in which the records are wanted. */
      vault_refs: string[];
    };
    /**
     * Metadata, if any
     * @description As it was stored; null where there was none.
     */
    MetadataOrNull: components['schemas']['Metadata'] | null;
    /** Record: E-mail address */
    UserEmailRecord: {
      vault_ref: components['schemas']['VaultRef'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_email';
      data: components['schemas']['UserEmail'];
      owner_id: components['schemas']['OwnerId'];
      metadata: components['schemas']['MetadataOrNull'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Record: Phone number */
    UserPhoneRecord: {
      vault_ref: components['schemas']['VaultRef'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_phone';
      data: components['schemas']['UserPhone'];
      owner_id: components['schemas']['OwnerId'];
      metadata: components['schemas']['MetadataOrNull'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Record: Name */
    UserNameRecord: {
      vault_ref: components['schemas']['VaultRef'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_name';
      data: components['schemas']['UserName'];
      owner_id: components['schemas']['OwnerId'];
      metadata: components['schemas']['MetadataOrNull'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Record: Address */
    UserAddressRecord: {
      vault_ref: components['schemas']['VaultRef'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_address';
      data: components['schemas']['UserAddress'];
      owner_id: components['schemas']['OwnerId'];
      metadata: components['schemas']['MetadataOrNull'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Record: Date of birth */
    UserDateOfBirthRecord: {
      vault_ref: components['schemas']['VaultRef'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_date_of_birth';
      data: components['schemas']['UserDateOfBirth'];
      owner_id: components['schemas']['OwnerId'];
      metadata: components['schemas']['MetadataOrNull'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Record: National Insurance */
    UserNationalInsuranceRecord: {
      vault_ref: components['schemas']['VaultRef'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_national_insurance';
      data: components['schemas']['UserNationalInsurance'];
      owner_id: components['schemas']['OwnerId'];
      metadata: components['schemas']['MetadataOrNull'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Record: Passport */
    UserPassportRecord: {
      vault_ref: components['schemas']['VaultRef'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_passport';
      data: components['schemas']['UserPassport'];
      owner_id: components['schemas']['OwnerId'];
      metadata: components['schemas']['MetadataOrNull'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Record: Driving licence */
    UserDrivingLicenceRecord: {
      vault_ref: components['schemas']['VaultRef'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'user_driving_licence';
      data: components['schemas']['UserDrivingLicence'];
      owner_id: components['schemas']['OwnerId'];
      metadata: components['schemas']['MetadataOrNull'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Record: Bank account of an employee */
    EmployeeBankRecord: {
      vault_ref: components['schemas']['VaultRef'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'employee_bank';
      data: components['schemas']['EmployeeBank'];
      owner_id: components['schemas']['OwnerId'];
      metadata: components['schemas']['MetadataOrNull'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Record: Payroll */
    EmployeePayrollRecord: {
      vault_ref: components['schemas']['VaultRef'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'employee_payroll';
      data: components['schemas']['EmployeePayroll'];
      owner_id: components['schemas']['OwnerId'];
      metadata: components['schemas']['MetadataOrNull'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Record: Tax */
    EmployeeTaxRecord: {
      vault_ref: components['schemas']['VaultRef'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'employee_tax';
      data: components['schemas']['EmployeeTax'];
      owner_id: components['schemas']['OwnerId'];
      metadata: components['schemas']['MetadataOrNull'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Record: Bank account of a payee */
    PayeeBankRecord: {
      vault_ref: components['schemas']['VaultRef'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      pii_type: 'payee_bank';
      data: components['schemas']['PayeeBank'];
      owner_id: components['schemas']['OwnerId'];
      metadata: components['schemas']['MetadataOrNull'];
      created_at: components['schemas']['Timestamp'];
    };
    /** Record */
    VaultRecord:
      | components['schemas']['UserEmailRecord']
      | components['schemas']['UserPhoneRecord']
      | components['schemas']['UserNameRecord']
      | components['schemas']['UserAddressRecord']
      | components['schemas']['UserDateOfBirthRecord']
      | components['schemas']['UserNationalInsuranceRecord']
      | components['schemas']['UserPassportRecord']
      | components['schemas']['UserDrivingLicenceRecord']
      | components['schemas']['EmployeeBankRecord']
      | components['schemas']['EmployeePayrollRecord']
      | components['schemas']['EmployeeTaxRecord']
      | components['schemas']['PayeeBankRecord'];
    /** Record that cannot be given */
    VaultRecordError: {
      /** @description As it was asked for. */
      vault_ref: string;
      /** @description Why, by the code of the refusal that the record alone would have got: `not-found`, `pii-erased`, `pii-damaged`, `dependency-unavailable` or `internal-error`. */
      code: string;
    };
    /** Batch */
    VaultRecordBatch: {
      records: components['schemas']['VaultRecord'][];
      errors: components['schemas']['VaultRecordError'][];
    };
    /** Verify request */
    VerifyRequest: {
      /** @description The name of a field of the record's type. */
      field: string;
      /**
       * Format: printable
       * @description What the field may hold. No control or format characters.
       */
      value: string;
    };
    /** Verification of a field */
    FieldVerification: {
      vault_ref: components['schemas']['VaultRef'];
      field: string;
      /** @description Whether the field has the value; false, too, where the record lacks the field. */
      match: boolean;
    };
    /**
     * Type of personal data
     * @description What a record holds. People: e-mail address, phone number, name, address, date of birth, National Insurance number, passport, driving licence. Employees: bank account, payroll, tax. Payees: bank account.
     * @enum {string}
     */
    PiiType:
      | 'user_email'
      | 'user_phone'
      | 'user_name'
      | 'user_address'
      | 'user_date_of_birth'
      | 'user_national_insurance'
      | 'user_passport'
      | 'user_driving_licence'
      | 'employee_bank'
      | 'employee_payroll'
      | 'employee_tax'
      | 'payee_bank';
    /** Masked record */
    MaskedVaultRecord: {
      vault_ref: components['schemas']['VaultRef'];
      pii_type: components['schemas']['PiiType'];
      /**
       * @description The fields of the record by their names.
       * @example {
       *       "sort_code": "**-**-76",
       *       "account_number": "****5678",
       *       "account_holder_name": "A*** K***"
       *     }
       */
      masked: {
        [key: string]: string;
      };
    };
    /** Audit event */
    AuditEvent: {
      event_id: components['schemas']['ResourceId'];
      /** @description What it happened to. */
      subject: string;
      /** @description Its place in the subject's chain, from 1 on without a gap. */
      subject_seq: number;
      /** @description What happened. */
      kind: string;
      /** @description Who did it, a user, a key with all its rotations, `operator`, `service` or `anonymous`. */
      actor: string;
      /** @description Ids, codes and pence that tell more; never personal data. */
      data: {
        [key: string]: unknown;
      };
      created_at: components['schemas']['Timestamp'];
      /** @description The hash of the subject's event before; empty for its first. */
      previous_hash: string;
      /** @description SHA-256 over the event and `previous_hash`, in hexadecimal. */
      hash: string;
    };
    /** Page of audit events */
    AuditEventPage: {
      items: components['schemas']['AuditEvent'][];
      next_cursor: components['schemas']['NextCursor'];
    };
    /** Health of a part */
    PartHealth: {
      /** @enum {string} */
      name: 'database' | 'temporal' | 'bank' | 'key-service';
      /** @enum {string} */
      status: 'up' | 'down';
      /** @description How long it took to find out, in milliseconds. */
      ms: number;
    };
    /**
     * Queue depths
     * @description How many wait.
     */
    QueueDepths: {
      /** @description Messages that Temporal was not told yet. */
      outbox: number;
      /** @description For how many seconds the oldest of them has waited. */
      outbox_oldest_s: number;
      /** @description Letters that were not sent yet. */
      mail: number;
      /** @description Payments that are not settled, those that wait for their day included. */
      payments_open: number;
      /** @description Payments whose outcome an operator must find out. */
      payments_for_operator: number;
    };
    /** Health */
    Health: {
      /** @enum {string} */
      status: 'ok' | 'degraded';
      parts: components['schemas']['PartHealth'][];
      queues: components['schemas']['QueueDepths'];
    };
    /** Reading of the clock */
    ClockReading: {
      /** @description Business time. */
      now: components['schemas']['Timestamp'];
    };
    /**
     * Move of the clock
     * @description Exactly one of the two.
     * @example {
     *       "advance": "P31D"
     *     }
     */
    ClockMove: {
      /**
       * @description An ISO 8601 duration, `PnYnMnWnDTnHnMnS`. Years, months, weeks and days go by London's calendar and keep its clock time (31 January and a month is the last day of February); hours, minutes and seconds are as long as they are. Only seconds may have a fraction. At least one part follows `P`, and at least one follows `T`.
       * @example P31D
       */
      advance?: string;
      /** @description The instant to move to. */
      now?: components['schemas']['Timestamp'];
    };
    Liveness: {
      /** @constant */
      status: 'live';
    };
    Readiness: {
      /** @constant */
      status: 'ready';
    };
  };
  responses: {
    /** @description The request is malformed or does not fit the contract; `errors` names every fault at once. */
    BadRequest: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/invalid-request",
         *       "title": "The request does not fit the contract",
         *       "status": 400,
         *       "detail": "One field of the request is wrong; it is named in errors.",
         *       "instance": "/api/v1/allocations/allocate#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "invalid-request",
         *       "errors": [
         *         {
         *           "pointer": "/amount",
         *           "detail": "must be a whole number of pence"
         *         }
         *       ]
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The request did not arrive as a whole within 60 seconds, or its headers within 15. The connection ends. */
    RequestTimeout: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/request-timeout",
         *       "title": "The request took too long to arrive",
         *       "status": 408,
         *       "detail": "The request did not arrive as a whole in time.",
         *       "instance": "/#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "request-timeout"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description There is an account with this address, or the same Idempotency-Key is being worked on. */
    EmailTaken: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/email-taken",
         *       "title": "The e-mail address is taken",
         *       "status": 409,
         *       "detail": "There is an account with this e-mail address. Sign in, or ask for a new password.",
         *       "instance": "/api/v1/auth/register#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "email-taken"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The body is larger than is taken here. */
    ContentTooLarge: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/body-too-large",
         *       "title": "The body is too large",
         *       "status": 413,
         *       "detail": "The body is larger than the 1,048,576 bytes that are taken here.",
         *       "instance": "/api/v1/payments/execute#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "body-too-large",
         *       "limit": 1048576
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The body is of a type that is not taken here. */
    UnsupportedMediaType: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/unsupported-media-type",
         *       "title": "The body is of the wrong type",
         *       "status": 415,
         *       "detail": "Send the body as Content-Type: application/json.",
         *       "instance": "/api/v1/payments/execute#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "unsupported-media-type"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description Well-formed, but refused by a rule, such as a new owner's id that begins like one of the service's own (`unknown-owner`); or an Idempotency-Key that named another request before. */
    UnprocessableContent: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/exceeds-safe-to-spend",
         *       "title": "More than is safe to spend",
         *       "status": 422,
         *       "detail": "30000 pence are safe to spend; 45000 were asked for.",
         *       "instance": "/api/v1/allocations/allocate#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "exceeds-safe-to-spend",
         *       "safe_to_spend_available": 30000
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description Too many requests; wait as long as `Retry-After` says. */
    TooManyRequests: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        'Retry-After': components['headers']['RetryAfter'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/rate-limited",
         *       "title": "Too many requests",
         *       "status": 429,
         *       "detail": "Too many requests came from this address. Try again in 42 seconds.",
         *       "instance": "/api/v1/auth/login#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "rate-limited",
         *       "retry_after": 42
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /**
     * @description The headers and the address are larger than 16 kB. This is answered before the address is known, so it is a problem document
     *     at every address. The connection ends.
     */
    HeadersTooLarge: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/headers-too-large",
         *       "title": "The headers are too large",
         *       "status": 431,
         *       "detail": "The headers and the address are larger than the 16 kB that are taken here.",
         *       "instance": "/#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "headers-too-large"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description A fault of ours; nothing was done. The request id helps to find it in the log. */
    InternalError: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/internal-error",
         *       "title": "A fault of the service",
         *       "status": 500,
         *       "detail": "Something failed here that should not have. Tell the operator the request id.",
         *       "instance": "/api/v1/payments/execute#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "internal-error"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description Something that the service needs is down; nothing was half-done. Send the same request again later. */
    ServiceUnavailable: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        'Retry-After': components['headers']['RetryAfter'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/dependency-unavailable",
         *       "title": "A part of the service is down",
         *       "status": 503,
         *       "detail": "The database is not reachable. Send the same request again with the same Idempotency-Key.",
         *       "instance": "/api/v1/payments/execute#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "dependency-unavailable",
         *       "dependency": "database"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description A token set. */
    TokenSet: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        'Cache-Control': components['headers']['NoStore'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "access_token": "rf_at_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0",
         *       "refresh_token": "rf_rt_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0",
         *       "token_type": "bearer",
         *       "expires_in": 3600,
         *       "scope": "read:profile write:profile read:paycheck write:paycheck read:debt write:debt read:payments write:payments read:yield read:allocations write:allocations read:credential write:credential read:affordability write:affordability read:documents write:documents"
         *     }
         */
        'application/json': components['schemas']['TokenSet'];
      };
    };
    /** @description The address is unknown or the password is wrong; it is not told which. */
    InvalidCredentials: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        'WWW-Authenticate': components['headers']['WwwAuthenticate'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/invalid-credentials",
         *       "title": "E-mail address or password is wrong",
         *       "status": 401,
         *       "detail": "The e-mail address or the password is wrong.",
         *       "instance": "/api/v1/auth/login#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "invalid-credentials"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The refresh token is unknown, expired, used or ended. */
    InvalidRefreshToken: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        'WWW-Authenticate': components['headers']['WwwAuthenticate'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/invalid-refresh-token",
         *       "title": "The refresh token is not good",
         *       "status": 401,
         *       "detail": "The refresh token is unknown, expired, used or ended. Sign in again.",
         *       "instance": "/api/v1/auth/refresh#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "invalid-refresh-token"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description Who the caller is. */
    Profile: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        'Cache-Control': components['headers']['NoStore'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "user_id": "usr_01a201ca-c807-77ad-a35d-96466fcb4652",
         *       "email": "ada@example.org",
         *       "email_verified": true,
         *       "created_at": "2026-11-22T05:46:36.423Z",
         *       "scopes": [
         *         "write:profile"
         *       ],
         *       "buffer_rate": "0.10",
         *       "authenticated_by": "user"
         *     }
         */
        'application/json': components['schemas']['Profile'];
      };
    };
    /** @description No credential, or one that is not good. */
    Unauthorized: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        'WWW-Authenticate': components['headers']['WwwAuthenticate'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/invalid-token",
         *       "title": "The token or key is not good",
         *       "status": 401,
         *       "detail": "The token or key is unknown, has expired or was revoked.",
         *       "instance": "/api/v1/auth/me#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "invalid-token"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The credential is good but lacks the scope (`insufficient-scope`), or the owner that is named is out of its reach: a person's token acts for that person only (`other-owner`), a key for the owners of its application and for people who granted it the scope (`owner-of-another-application`). At the PII vault, the client certificate may have been issued for another application than the key's (`client-certificate-of-another-application`). */
    Forbidden: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        'WWW-Authenticate': components['headers']['WwwAuthenticate'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/insufficient-scope",
         *       "title": "The credential lacks a scope",
         *       "status": 403,
         *       "detail": "This needs the scope write:payments, which the credential was not granted.",
         *       "instance": "/api/v1/payments/execute#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "insufficient-scope",
         *       "scope": "write:payments"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The browser is sent on, by GET. */
    SentOn: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        Location: components['headers']['SentTo'];
        'Set-Cookie': components['headers']['SetCookie'];
        [name: string]: unknown;
      };
      content?: never;
    };
    /** @description The request does not fit; a browser gets a page. */
    BadRequestPage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/invalid-request",
         *       "title": "The request does not fit the contract",
         *       "status": 400,
         *       "detail": "One field of the request is wrong; it is named in errors.",
         *       "instance": "/api/v1/allocations/allocate#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "invalid-request",
         *       "errors": [
         *         {
         *           "pointer": "/amount",
         *           "detail": "must be a whole number of pence"
         *         }
         *       ]
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description Too many requests; wait as long as `Retry-After` says. A browser gets a page. */
    TooManyRequestsPage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        'Retry-After': components['headers']['RetryAfter'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/rate-limited",
         *       "title": "Too many requests",
         *       "status": 429,
         *       "detail": "Too many requests came from this address. Try again in 42 seconds.",
         *       "instance": "/api/v1/auth/login#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "rate-limited",
         *       "retry_after": 42
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description A fault of ours; nothing was done. A browser gets a page. */
    InternalErrorPage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/internal-error",
         *       "title": "A fault of the service",
         *       "status": 500,
         *       "detail": "Something failed here that should not have. Tell the operator the request id.",
         *       "instance": "/api/v1/payments/execute#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "internal-error"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description Something that the service needs is down; try again later. A browser gets a page. */
    ServiceUnavailablePage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        'Retry-After': components['headers']['RetryAfter'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/dependency-unavailable",
         *       "title": "A part of the service is down",
         *       "status": 503,
         *       "detail": "The database is not reachable. Send the same request again with the same Idempotency-Key.",
         *       "instance": "/api/v1/payments/execute#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "dependency-unavailable",
         *       "dependency": "database"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description Address, password or link is not good; a browser gets a page. */
    UnauthorizedPage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/invalid-token",
         *       "title": "The token or key is not good",
         *       "status": 401,
         *       "detail": "The token or key is unknown, has expired or was revoked.",
         *       "instance": "/api/v1/auth/me#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "invalid-token"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description The form is not one that this browser was given; a browser gets a page. */
    ForbiddenPage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/insufficient-scope",
         *       "title": "The credential lacks a scope",
         *       "status": 403,
         *       "detail": "This needs the scope write:payments, which the credential was not granted.",
         *       "instance": "/api/v1/payments/execute#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "insufficient-scope",
         *       "scope": "write:payments"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description The body is larger than is taken here; a browser gets a page. */
    ContentTooLargePage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/body-too-large",
         *       "title": "The body is too large",
         *       "status": 413,
         *       "detail": "The body is larger than the 1,048,576 bytes that are taken here.",
         *       "instance": "/api/v1/payments/execute#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "body-too-large",
         *       "limit": 1048576
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description The body is of a type that is not taken here; a browser gets a page. */
    UnsupportedMediaTypePage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/unsupported-media-type",
         *       "title": "The body is of the wrong type",
         *       "status": 415,
         *       "detail": "Send the body as Content-Type: application/json.",
         *       "instance": "/api/v1/payments/execute#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "unsupported-media-type"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description A page for the person. */
    Page: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        'Set-Cookie': components['headers']['SetCookie'];
        [name: string]: unknown;
      };
      content: {
        'text/html': string;
      };
    };
    /** @description The same Idempotency-Key is being worked on; a browser gets a page. */
    ConflictPage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/idempotency-key-in-use",
         *       "title": "The same key is being worked on",
         *       "status": 409,
         *       "detail": "A request with this Idempotency-Key is still running. Send it again in a moment.",
         *       "instance": "/api/v1/payments/execute#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "idempotency-key-in-use"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description The Idempotency-Key named another request before; a browser gets a page. */
    UnprocessableContentPage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/exceeds-safe-to-spend",
         *       "title": "More than is safe to spend",
         *       "status": 422,
         *       "detail": "30000 pence are safe to spend; 45000 were asked for.",
         *       "instance": "/api/v1/allocations/allocate#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "exceeds-safe-to-spend",
         *       "safe_to_spend_available": 30000
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description It was erased. */
    Gone: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/pii-erased",
         *       "title": "The data was erased",
         *       "status": 410,
         *       "detail": "This was erased and cannot be read again.",
         *       "instance": "/api/v1/vault/vault:user_phone:1#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "pii-erased"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description There is no such provider, or it was removed; a browser gets a page. */
    NoProviderPage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/not-found",
         *       "title": "There is no such thing",
         *       "status": 404,
         *       "detail": "There is no such provider to sign in with.",
         *       "instance": "/api/v1/auth/sign-in/sip_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "not-found"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description The provider did not say who it is, or not to this browser; a browser gets a page. */
    SignInFailedPage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/sign-in-failed",
         *       "title": "The sign-in with the other provider failed",
         *       "status": 403,
         *       "detail": "The other provider did not confirm who is signing in. Start again from the sign-in page.",
         *       "instance": "/api/v1/auth/sign-in/sip_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11/callback#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "sign-in-failed"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description The request is malformed, or its code, refresh token or scope is not good. */
    OAuthBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        'Cache-Control': components['headers']['NoStore'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "invalid_grant",
         *       "error_description": "Invalid grant: authorization code is invalid."
         *     }
         */
        'application/json': components['schemas']['OAuthError'];
      };
    };
    /** @description The client is unknown or did not authenticate as it must; it is not told which. */
    OAuthInvalidClient: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        'Cache-Control': components['headers']['NoStore'];
        'WWW-Authenticate': components['headers']['BasicChallenge'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "invalid_client",
         *       "error_description": "The client is unknown."
         *     }
         */
        'application/json': components['schemas']['OAuthError'];
      };
    };
    /** @description The body is larger than is taken here. */
    OAuthContentTooLarge: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "invalid_request",
         *       "error_description": "The body is larger than the 1,048,576 bytes that are taken here."
         *     }
         */
        'application/json': components['schemas']['OAuthError'];
      };
    };
    /** @description The body is neither a form nor JSON. */
    OAuthUnsupportedMediaType: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "invalid_request",
         *       "error_description": "Send the body as Content-Type: application/json."
         *     }
         */
        'application/json': components['schemas']['OAuthError'];
      };
    };
    /** @description Too many requests; wait as long as `Retry-After` says. */
    OAuthTooManyRequests: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        'Retry-After': components['headers']['RetryAfter'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "temporarily_unavailable",
         *       "error_description": "Too many requests came from this address."
         *     }
         */
        'application/json': components['schemas']['OAuthError'];
      };
    };
    /** @description A fault of ours. The request id helps to find it in the log. */
    OAuthServerError: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "server_error",
         *       "error_description": "Something failed here that should not have."
         *     }
         */
        'application/json': components['schemas']['OAuthError'];
      };
    };
    /** @description Something that the service needs is down. Send the same request again later. */
    OAuthUnavailable: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        'Retry-After': components['headers']['RetryAfter'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": "temporarily_unavailable",
         *       "error_description": "The database is not reachable."
         *     }
         */
        'application/json': components['schemas']['OAuthError'];
      };
    };
    /** @description There is no such thing, or it belongs to somebody else. */
    NotFound: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/not-found",
         *       "title": "There is no such thing",
         *       "status": 404,
         *       "detail": "There is no payment with this id.",
         *       "instance": "/api/v1/payments/pay_1#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "not-found"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The state of things does not allow it, or the same Idempotency-Key is being worked on. */
    Conflict: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/idempotency-key-in-use",
         *       "title": "The same key is being worked on",
         *       "status": 409,
         *       "detail": "A request with this Idempotency-Key is still running. Send it again in a moment.",
         *       "instance": "/api/v1/payments/execute#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "idempotency-key-in-use"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The `Accept` header names only types that the answer is not to be had in. */
    NotAcceptable: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/not-acceptable",
         *       "title": "No form of the answer is acceptable",
         *       "status": 406,
         *       "detail": "The answer is to be had as application/json or image/svg+xml; the Accept header takes none of these.",
         *       "instance": "/api/v1/engine/debt/simulate#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "not-acceptable"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description It is not as `If-Match` says; nothing was changed. */
    PreconditionFailed: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/precondition-failed",
         *       "title": "It was changed meanwhile",
         *       "status": 412,
         *       "detail": "The plan is at revision 3 now. Read it again.",
         *       "instance": "/api/v1/engine/debt/plan_1#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "precondition-failed",
         *       "revision": 3
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description What you know is still right. */
    NotModified: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        ETag: components['headers']['ETag'];
        'Retry-After': components['headers']['RetryAfter'];
        [name: string]: unknown;
      };
      content?: never;
    };
    /**
     * @description Too many documents of this owner or application are in progress, or came within 24 hours (`too-many-documents`), or too many
     *     requests came (`rate-limited`). Wait as long as `Retry-After` says.
     */
    TooManyDocuments: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        'Retry-After': components['headers']['RetryAfter'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/too-many-documents",
         *       "title": "Too many documents",
         *       "status": 429,
         *       "detail": "5 documents of this owner are being read already. Send the next when one is done.",
         *       "instance": "/api/v1/legacy/payslip/upload#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "too-many-documents",
         *       "limit": 5,
         *       "per": "owner-in-progress",
         *       "retry_after": 5
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The address does not fit; a browser gets a page. */
    BadRequestOrPage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/invalid-request",
         *       "title": "The request does not fit the contract",
         *       "status": 400,
         *       "detail": "One field of the request is wrong; it is named in errors.",
         *       "instance": "/api/v1/credential/cred_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11/verify#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "invalid-request",
         *       "errors": [
         *         {
         *           "pointer": "/path/credential_id",
         *           "detail": "must be an identifier of 1 to 128 printable characters"
         *         }
         *       ]
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description There is no such credential; a browser gets a page. */
    NotFoundOrPage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/not-found",
         *       "title": "There is no such thing",
         *       "status": 404,
         *       "detail": "There is no credential with this id.",
         *       "instance": "/api/v1/credential/cred_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11/verify#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "not-found"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description Too many requests; wait as long as `Retry-After` says. A browser gets a page. */
    TooManyRequestsOrPage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        'Retry-After': components['headers']['RetryAfter'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/rate-limited",
         *       "title": "Too many requests",
         *       "status": 429,
         *       "detail": "Too many requests came from this address. Try again in 42 seconds.",
         *       "instance": "/api/v1/credential/cred_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11/verify#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "rate-limited",
         *       "retry_after": 42
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description A fault of ours; a browser gets a page. */
    InternalErrorOrPage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/internal-error",
         *       "title": "A fault of the service",
         *       "status": 500,
         *       "detail": "Something failed here that should not have. Tell the operator the request id.",
         *       "instance": "/api/v1/credential/cred_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11/verify#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "internal-error"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
    /** @description Something that the service needs is down; a browser gets a page. */
    ServiceUnavailableOrPage: {
      headers: {
        'X-Request-Id': components['headers']['XRequestId'];
        'Retry-After': components['headers']['RetryAfter'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/problems/dependency-unavailable",
         *       "title": "A part of the service is down",
         *       "status": 503,
         *       "detail": "The database is not reachable. Send the same request again with the same Idempotency-Key.",
         *       "instance": "/api/v1/credential/cred_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11/verify#0b6f2a1c-7b5e-4a3e-9a50-3f0f0f1f6c11",
         *       "code": "dependency-unavailable",
         *       "dependency": "database"
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
        'text/html': string;
      };
    };
  };
  parameters: {
    /**
     * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
     * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
     */
    IdempotencyKey: string;
    /**
     * @description The provider, as the operator's `provider create` named it.
     * @example sip_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
     */
    ProviderId: components['schemas']['ResourceId'];
    /** @description How many items a page holds at most. */
    Limit: number;
    /** @description The `next_cursor` of the page before; without it, the first page. It is good for the same list only: the same operation, owner and filters. `limit` may change. */
    Cursor: string;
    /**
     * @description Whose money.
     * @example emp-1042
     */
    UserId: components['schemas']['OwnerId'];
    /**
     * @description The plan.
     * @example plan_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
     */
    PlanId: components['schemas']['ResourceId'];
    /** @description The `ETag` of what you want to change; the answer is 412 where it is another one by now. */
    IfMatch: string;
    /** @description Only what is of this date or later. */
    From: components['schemas']['CalendarDate'];
    /** @description Only what is of this date or earlier. */
    To: components['schemas']['CalendarDate'];
    /**
     * @description A payment's id.
     * @example pay_01934f3e-9a51-7d0c-8a55-1c6e2f0b7d42
     */
    PaymentId: components['schemas']['ResourceId'];
    /** @description The `ETag` that you know; the answer is 304 while it is still right. */
    IfNoneMatch: string;
    /**
     * @description `wait=N` holds the answer for at most N seconds (30 at most) until the status changes or is final.
     * @example wait=20
     */
    Prefer: string;
    /**
     * @description A document's id.
     * @example doc_01934f3e-9a51-7d0c-8a55-1c6e2f0b7d42
     */
    DocumentId: components['schemas']['ResourceId'];
    /**
     * @description The credential.
     * @example cred_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
     */
    CredentialId: components['schemas']['ResourceId'];
    /**
     * @description A record's reference, `vault:{pii_type}:{uuid}`; its colons may be percent-encoded.
     * @example vault:employee_bank:01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
     */
    VaultRef: string;
  };
  requestBodies: never;
  headers: {
    /** @description Names this request in the logs; yours, where you sent a sane one. */
    XRequestId: string;
    /** @description Present, with the value `true`, where the answer is the stored one of an earlier request. */
    IdempotentReplayed: 'true';
    /** @description Nobody keeps a copy of this answer. */
    NoStore: 'no-store';
    /** @description What is left of the quota and in how many seconds it renews, as in draft-ietf-httpapi-ratelimit-headers. */
    RateLimit: string;
    /** @description The quota and its window in seconds. */
    RateLimitPolicy: string;
    /** @description How many seconds to wait before asking again. */
    RetryAfter: number;
    /** @description How to authenticate (RFC 6750). */
    WwwAuthenticate: string;
    /** @description What the browser is known by, or its session; `__Host-`, Secure, HttpOnly, SameSite=Lax. */
    SetCookie: string;
    /** @description Where the browser goes next. */
    SentTo: string;
    /** @description The same for HTTP/1.0, as RFC 6749 asks. */
    NoCache: 'no-cache';
    /** @description Present where the client authenticated by header. */
    BasicChallenge: string;
    /** @description The plan's revision, as `"3"`; send it as `If-Match` with a change. */
    Revision: string;
    /** @description Address of what was made. */
    Location: string;
    /** @description Names this state of the resource; send it as `If-None-Match`. */
    ETag: string;
    /** @description Which wish of `Prefer` was honoured (RFC 7240). */
    PreferenceApplied: string;
    /** @description Under which name to save it, of a PDF or an SD-JWT. */
    ContentDisposition: string;
    /** @description For how long the answer may be kept. */
    CacheControl: string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  registerUser: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "email": "ada@example.org",
         *       "password": "seven green lanterns"
         *     }
         */
        'application/json': components['schemas']['RegisterRequest'];
      };
    };
    responses: {
      /** @description The account; sign in with it. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          'Cache-Control': components['headers']['NoStore'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "user_id": "usr_01a201c8-b92d-734e-a8d2-2c9e654a0c3c",
           *       "email": "ada@example.org",
           *       "created_at": "2026-11-22T05:44:21.549Z"
           *     }
           */
          'application/json': components['schemas']['Account'];
        };
      };
      400: components['responses']['BadRequest'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['EmailTaken'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  login: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "email": "ada@example.org",
         *       "password": "seven green lanterns"
         *     }
         */
        'application/json': components['schemas']['LoginRequest'];
      };
    };
    responses: {
      200: components['responses']['TokenSet'];
      400: components['responses']['BadRequest'];
      401: components['responses']['InvalidCredentials'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  refreshTokens: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "refresh_token": "rf_rt_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0"
         *     }
         */
        'application/json': components['schemas']['RefreshRequest'];
      };
    };
    responses: {
      200: components['responses']['TokenSet'];
      400: components['responses']['BadRequest'];
      401: components['responses']['InvalidRefreshToken'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getProfile: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: components['responses']['Profile'];
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateProfile: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "buffer_rate": "0.15"
         *     }
         */
        'application/json': components['schemas']['UpdateProfileRequest'];
      };
    };
    responses: {
      200: components['responses']['Profile'];
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  logout: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Signed out. */
      204: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  authorize: {
    parameters: {
      query: {
        /**
         * @description Which application it is.
         * @example client_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        client_id: string;
        /**
         * @description Where to send the person back to; one of those registered, letter by letter. Left out where there is only one.
         * @example https://app.example.org/callback
         */
        redirect_uri?: string;
        /** @description Always `code`. */
        response_type: 'code';
        /**
         * @description What is asked for, separated by spaces; without it, all that the client is registered with.
         * @example read:profile read:payments
         */
        scope?: string;
        /**
         * @description Comes back as it is; protects the application against forged answers.
         * @example Zk1cT9b2
         */
        state?: string;
        /**
         * @description The SHA-256 of the code_verifier in base64url (RFC 7636).
         * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
         */
        code_challenge?: string;
        /** @description Always `S256`. */
        code_challenge_method?: 'S256';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page for the person, to sign in or to allow the application. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Set-Cookie': components['headers']['SetCookie'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      303: components['responses']['SentOn'];
      400: components['responses']['BadRequestPage'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequestsPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorPage'];
      503: components['responses']['ServiceUnavailablePage'];
    };
  };
  signIn: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/x-www-form-urlencoded': components['schemas']['SignInForm'];
      };
    };
    responses: {
      303: components['responses']['SentOn'];
      400: components['responses']['BadRequestPage'];
      401: components['responses']['UnauthorizedPage'];
      403: components['responses']['ForbiddenPage'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['ContentTooLargePage'];
      415: components['responses']['UnsupportedMediaTypePage'];
      429: components['responses']['TooManyRequestsPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorPage'];
      503: components['responses']['ServiceUnavailablePage'];
    };
  };
  answerConsent: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "decision": "allow"
         *     }
         */
        'application/x-www-form-urlencoded': components['schemas']['ConsentForm'];
      };
    };
    responses: {
      303: components['responses']['SentOn'];
      400: components['responses']['BadRequestPage'];
      403: components['responses']['ForbiddenPage'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['ContentTooLargePage'];
      415: components['responses']['UnsupportedMediaTypePage'];
      429: components['responses']['TooManyRequestsPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorPage'];
      503: components['responses']['ServiceUnavailablePage'];
    };
  };
  signOut: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/x-www-form-urlencoded': components['schemas']['SignOutForm'];
      };
    };
    responses: {
      303: components['responses']['SentOn'];
      400: components['responses']['BadRequestPage'];
      403: components['responses']['ForbiddenPage'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['ContentTooLargePage'];
      415: components['responses']['UnsupportedMediaTypePage'];
      429: components['responses']['TooManyRequestsPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorPage'];
      503: components['responses']['ServiceUnavailablePage'];
    };
  };
  showForgotPassword: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: components['responses']['Page'];
      400: components['responses']['BadRequestPage'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequestsPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorPage'];
      503: components['responses']['ServiceUnavailablePage'];
    };
  };
  forgotPassword: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "email": "ada@example.org"
         *     }
         */
        'application/json': components['schemas']['ForgotPasswordRequest'];
        'application/x-www-form-urlencoded': components['schemas']['ForgotPasswordForm'];
      };
    };
    responses: {
      /** @description Taken; where the address has an account, a letter is on its way. */
      202: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "accepted"
           *     }
           */
          'application/json': components['schemas']['Accepted'];
          'text/html': string;
        };
      };
      400: components['responses']['BadRequestPage'];
      403: components['responses']['ForbiddenPage'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['ConflictPage'];
      413: components['responses']['ContentTooLargePage'];
      415: components['responses']['UnsupportedMediaTypePage'];
      422: components['responses']['UnprocessableContentPage'];
      429: components['responses']['TooManyRequestsPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorPage'];
      503: components['responses']['ServiceUnavailablePage'];
    };
  };
  showResetPassword: {
    parameters: {
      query: {
        /**
         * @description The token of the letter's link.
         * @example rf_pr_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0
         */
        token: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: components['responses']['Page'];
      400: components['responses']['BadRequestPage'];
      401: components['responses']['UnauthorizedPage'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequestsPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorPage'];
      503: components['responses']['ServiceUnavailablePage'];
    };
  };
  resetPassword: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "token": "rf_pr_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0",
         *       "password": "nine quiet harbours"
         *     }
         */
        'application/json': components['schemas']['ResetPasswordRequest'];
        'application/x-www-form-urlencoded': components['schemas']['ResetPasswordForm'];
      };
    };
    responses: {
      /** @description The password is set; a page says so to the person who sent the form. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description The password is set. */
      204: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequestPage'];
      401: components['responses']['UnauthorizedPage'];
      403: components['responses']['ForbiddenPage'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['ConflictPage'];
      413: components['responses']['ContentTooLargePage'];
      415: components['responses']['UnsupportedMediaTypePage'];
      422: components['responses']['UnprocessableContentPage'];
      429: components['responses']['TooManyRequestsPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorPage'];
      503: components['responses']['ServiceUnavailablePage'];
    };
  };
  changePassword: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "current_password": "seven green lanterns",
         *       "password": "nine quiet harbours"
         *     }
         */
        'application/json': components['schemas']['ChangePasswordRequest'];
      };
    };
    responses: {
      /** @description The password is changed. */
      204: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      410: components['responses']['Gone'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  showVerifyEmail: {
    parameters: {
      query: {
        /**
         * @description The token of the letter's link.
         * @example rf_ev_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0
         */
        token: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: components['responses']['Page'];
      400: components['responses']['BadRequestPage'];
      401: components['responses']['UnauthorizedPage'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequestsPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorPage'];
      503: components['responses']['ServiceUnavailablePage'];
    };
  };
  verifyEmail: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "token": "rf_ev_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0",
         *       "password": "seven green lanterns"
         *     }
         */
        'application/json': components['schemas']['VerifyEmailRequest'];
        'application/x-www-form-urlencoded': components['schemas']['VerifyEmailForm'];
      };
    };
    responses: {
      200: components['responses']['Page'];
      /** @description The address is verified. */
      204: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequestPage'];
      401: components['responses']['UnauthorizedPage'];
      403: components['responses']['ForbiddenPage'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['ContentTooLargePage'];
      415: components['responses']['UnsupportedMediaTypePage'];
      429: components['responses']['TooManyRequestsPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorPage'];
      503: components['responses']['ServiceUnavailablePage'];
    };
  };
  sendVerificationMail: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Taken; a letter is on its way where the address is not verified. */
      202: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "accepted"
           *     }
           */
          'application/json': components['schemas']['Accepted'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  showLinkProvider: {
    parameters: {
      query: {
        /**
         * @description The token of the letter's link.
         * @example rf_pl_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0
         */
        token: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: components['responses']['Page'];
      400: components['responses']['BadRequestPage'];
      403: components['responses']['ForbiddenPage'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequestsPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorPage'];
      503: components['responses']['ServiceUnavailablePage'];
    };
  };
  linkProvider: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/x-www-form-urlencoded': components['schemas']['LinkProviderForm'];
      };
    };
    responses: {
      200: components['responses']['Page'];
      202: components['responses']['Page'];
      303: components['responses']['SentOn'];
      400: components['responses']['BadRequestPage'];
      401: components['responses']['UnauthorizedPage'];
      403: components['responses']['ForbiddenPage'];
      404: components['responses']['NoProviderPage'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['ContentTooLargePage'];
      415: components['responses']['UnsupportedMediaTypePage'];
      429: components['responses']['TooManyRequestsPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorPage'];
      503: components['responses']['ServiceUnavailablePage'];
    };
  };
  signInWithProvider: {
    parameters: {
      query?: {
        /**
         * @description The query of the authorization request that goes on afterwards, as the sign-in page has it.
         * @example client_id=client_01934f3e&response_type=code
         */
        continue?: string;
      };
      header?: never;
      path: {
        /**
         * @description The provider, as the operator's `provider create` named it.
         * @example sip_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        provider_id: components['parameters']['ProviderId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      303: components['responses']['SentOn'];
      400: components['responses']['BadRequestPage'];
      404: components['responses']['NoProviderPage'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequestsPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorPage'];
      503: components['responses']['ServiceUnavailablePage'];
    };
  };
  completeProviderSignIn: {
    parameters: {
      query: {
        /** @description What the sign-in was begun with; works once. */
        state: string;
        /** @description What the provider tells the rest for. */
        code?: string;
        /** @description The provider (RFC 9207). */
        iss?: string;
        /** @description Why the provider signed nobody in. */
        error?: string;
      };
      header?: never;
      path: {
        /**
         * @description The provider, as the operator's `provider create` named it.
         * @example sip_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        provider_id: components['parameters']['ProviderId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page that says that the person is signed in, where no authorization request waits; or one that asks to prove the account first. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Set-Cookie': components['headers']['SetCookie'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      303: components['responses']['SentOn'];
      400: components['responses']['BadRequestPage'];
      403: components['responses']['SignInFailedPage'];
      404: components['responses']['NoProviderPage'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequestsPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorPage'];
      503: components['responses']['ServiceUnavailablePage'];
    };
  };
  exchangeToken: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TokenRequest'];
        'application/x-www-form-urlencoded': components['schemas']['TokenRequest'];
      };
    };
    responses: {
      /** @description A token set. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Cache-Control': components['headers']['NoStore'];
          Pragma: components['headers']['NoCache'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "access_token": "rf_at_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0",
           *       "refresh_token": "rf_rt_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0",
           *       "token_type": "bearer",
           *       "expires_in": 3600,
           *       "scope": "read:debt"
           *     }
           */
          'application/json': components['schemas']['TokenSet'];
        };
      };
      400: components['responses']['OAuthBadRequest'];
      401: components['responses']['OAuthInvalidClient'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['OAuthContentTooLarge'];
      415: components['responses']['OAuthUnsupportedMediaType'];
      429: components['responses']['OAuthTooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['OAuthServerError'];
      503: components['responses']['OAuthUnavailable'];
    };
  };
  revokeToken: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "token": "rf_rt_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0",
         *       "client_id": "client_01934f3e"
         *     }
         */
        'application/json': components['schemas']['TokenReference'];
        /**
         * @example {
         *       "token": "rf_rt_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0",
         *       "client_id": "client_01934f3e"
         *     }
         */
        'application/x-www-form-urlencoded': components['schemas']['TokenReference'];
      };
    };
    responses: {
      /** @description The token does not work, whatever it was before. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Cache-Control': components['headers']['NoStore'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['OAuthBadRequest'];
      401: components['responses']['OAuthInvalidClient'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['OAuthContentTooLarge'];
      415: components['responses']['OAuthUnsupportedMediaType'];
      429: components['responses']['OAuthTooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['OAuthServerError'];
      503: components['responses']['OAuthUnavailable'];
    };
  };
  introspectToken: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "token": "rf_at_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0",
         *       "client_id": "client_01934f3e",
         *       "client_secret": "rf_cs_x"
         *     }
         */
        'application/json': components['schemas']['TokenReference'];
        /**
         * @example {
         *       "token": "rf_at_p0xk3m1v8b7n2c5z4q6w9e0r1t2y3u4i5o6p7a8s9d0",
         *       "client_id": "client_01934f3e",
         *       "client_secret": "rf_cs_x"
         *     }
         */
        'application/x-www-form-urlencoded': components['schemas']['TokenReference'];
      };
    };
    responses: {
      /** @description What the token is good for. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Cache-Control': components['headers']['NoStore'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "active": true,
           *       "scope": "read:debt",
           *       "client_id": "client_01a201cb-0f34-72b1-b9a8-1c9195a34520",
           *       "token_type": "bearer",
           *       "exp": 1795330024,
           *       "iat": 1795326424,
           *       "sub": "usr_01a201cb-0e34-77f3-9942-569cd0c2fbbe",
           *       "iss": "https://localhost:8443"
           *     }
           */
          'application/json': components['schemas']['Introspection'];
        };
      };
      400: components['responses']['OAuthBadRequest'];
      401: components['responses']['OAuthInvalidClient'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['OAuthContentTooLarge'];
      415: components['responses']['OAuthUnsupportedMediaType'];
      429: components['responses']['OAuthTooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['OAuthServerError'];
      503: components['responses']['OAuthUnavailable'];
    };
  };
  readAuthorizationServer: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The metadata. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "issuer": "https://localhost:8443",
           *       "authorization_endpoint": "https://localhost:8443/api/v1/auth/authorize",
           *       "token_endpoint": "https://localhost:8443/api/v1/auth/token",
           *       "token_endpoint_auth_methods_supported": [
           *         "client_secret_post",
           *         "client_secret_basic",
           *         "none"
           *       ],
           *       "revocation_endpoint": "https://localhost:8443/api/v1/auth/revoke",
           *       "revocation_endpoint_auth_methods_supported": [
           *         "client_secret_post",
           *         "client_secret_basic",
           *         "none"
           *       ],
           *       "introspection_endpoint": "https://localhost:8443/api/v1/auth/introspect",
           *       "introspection_endpoint_auth_methods_supported": [
           *         "client_secret_post",
           *         "client_secret_basic"
           *       ],
           *       "scopes_supported": [
           *         "read:profile",
           *         "write:profile",
           *         "read:paycheck",
           *         "write:paycheck",
           *         "read:debt",
           *         "write:debt",
           *         "read:payments",
           *         "write:payments",
           *         "read:yield",
           *         "read:allocations",
           *         "write:allocations",
           *         "read:credential",
           *         "write:credential",
           *         "read:affordability",
           *         "write:affordability",
           *         "read:documents",
           *         "write:documents"
           *       ],
           *       "response_types_supported": [
           *         "code"
           *       ],
           *       "response_modes_supported": [
           *         "query"
           *       ],
           *       "grant_types_supported": [
           *         "authorization_code",
           *         "refresh_token"
           *       ],
           *       "code_challenge_methods_supported": [
           *         "S256"
           *       ],
           *       "authorization_response_iss_parameter_supported": true,
           *       "service_documentation": "https://localhost:8443/docs"
           *     }
           */
          'application/json': components['schemas']['AuthorizationServer'];
        };
      };
      400: components['responses']['BadRequest'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
    };
  };
  calculatePaycheck: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "employee_id": "emp-1042",
         *       "gross_pay": 284735,
         *       "obligations": [
         *         {
         *           "type": "Rent",
         *           "amount": 95000,
         *           "category": "FIXED"
         *         }
         *       ]
         *     }
         */
        'application/json': components['schemas']['PaycheckRequest'];
      };
    };
    responses: {
      /** @description The calculation as it is stored. Its money has moved. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "calc_01a201c4-e9cb-7548-8ab1-0d498b813ae5",
           *       "employee_id": "emp-1042",
           *       "pay_date": "2026-11-22",
           *       "revision": 1,
           *       "gross_income": 200000,
           *       "locked_for_bills": 90000,
           *       "locked_buffer": 20000,
           *       "clean_safe_to_spend": 90000,
           *       "vaults": [
           *         {
           *           "type": "Rent",
           *           "amount": 90000,
           *           "category": "FIXED",
           *           "vault_id": "vlt_01a201c4-e9cb-7548-8ab1-078460a923b8",
           *           "allocation_id": "alloc_01a201c4-e9cb-7548-8ab1-0bd96fdd5965"
           *         }
           *       ],
           *       "buffer_rate": "0.10",
           *       "income_evidence": "stated",
           *       "calculated_at": "2026-11-22T05:40:11.748Z"
           *     }
           */
          'application/json': components['schemas']['CalculatedPaycheck'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      410: components['responses']['Gone'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  simulatePaycheck: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "employee_id": "emp-1042",
         *       "gross_pay": 284735,
         *       "obligations": [
         *         {
         *           "type": "Rent",
         *           "amount": 95000,
         *           "category": "FIXED"
         *         }
         *       ]
         *     }
         */
        'application/json': components['schemas']['PaycheckRequest'];
      };
    };
    responses: {
      /** @description What a calculation would come to. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "simulated": true,
           *       "employee_id": "emp-1042",
           *       "pay_date": "2026-11-22",
           *       "revision": 1,
           *       "gross_income": 236364,
           *       "locked_for_bills": 100000,
           *       "locked_buffer": 23636,
           *       "clean_safe_to_spend": 112728,
           *       "vaults": [
           *         {
           *           "type": "Rent",
           *           "amount": 100000,
           *           "category": "FIXED"
           *         }
           *       ],
           *       "buffer_rate": "0.10",
           *       "income_evidence": "payslip",
           *       "payslip_doc_id": "doc_01a201be-ad24-76e7-b5eb-624bc1497633",
           *       "calculated_at": "2026-11-22T05:33:23.476Z"
           *     }
           */
          'application/json': components['schemas']['SimulatedPaycheck'];
          'image/svg+xml': components['schemas']['PaycheckChart'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      406: components['responses']['NotAcceptable'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      410: components['responses']['Gone'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listPaychecks: {
    parameters: {
      query?: {
        /** @description Whose. A user may leave it out and gets its own; an API key must say. */
        employee_id?: components['schemas']['OwnerId'];
        /** @description Only paychecks of this pay date or later. */
        from?: components['schemas']['CalendarDate'];
        /** @description Only paychecks of this pay date or earlier. */
        to?: components['schemas']['CalendarDate'];
        /** @description How many items a page holds at most. */
        limit?: components['parameters']['Limit'];
        /** @description The `next_cursor` of the page before; without it, the first page. It is good for the same list only: the same operation, owner and filters. `limit` may change. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of calculations. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "calc_01a201c8-5e6b-77c0-8b8c-ee9d6a279df6",
           *           "employee_id": "emp-1042",
           *           "pay_date": "2026-03-28",
           *           "revision": 1,
           *           "gross_income": 300000,
           *           "locked_for_bills": 120000,
           *           "locked_buffer": 30000,
           *           "clean_safe_to_spend": 150000,
           *           "vaults": [
           *             {
           *               "type": "Rent",
           *               "amount": 120000,
           *               "category": "FIXED",
           *               "vault_id": "vlt_01a201c8-5e5c-74a5-9434-3fce5c6f19b5",
           *               "allocation_id": "alloc_01a201c8-5e6b-77c0-8b8c-ebb603e45cc0"
           *             }
           *           ],
           *           "buffer_rate": "0.10",
           *           "income_evidence": "stated",
           *           "calculated_at": "2026-11-22T05:43:58.310Z"
           *         },
           *         {
           *           "id": "calc_01a201c8-5e62-76de-ae52-e75526d84aa4",
           *           "employee_id": "emp-1042",
           *           "pay_date": "2026-02-28",
           *           "revision": 1,
           *           "gross_income": 300000,
           *           "locked_for_bills": 120000,
           *           "locked_buffer": 30000,
           *           "clean_safe_to_spend": 150000,
           *           "vaults": [
           *             {
           *               "type": "Rent",
           *               "amount": 120000,
           *               "category": "FIXED",
           *               "vault_id": "vlt_01a201c8-5e5c-74a5-9434-3fce5c6f19b5",
           *               "allocation_id": "alloc_01a201c8-5e62-76de-ae52-e3b32d63fd84"
           *             }
           *           ],
           *           "buffer_rate": "0.10",
           *           "income_evidence": "stated",
           *           "calculated_at": "2026-11-22T05:43:58.305Z"
           *         }
           *       ],
           *       "next_cursor": "eyJwcm90ZWN0ZWQiOiJleUpoYkdjaU9pSmthWElpTENKbGJtTWlPaUpCTWpVMlEwSkRMVWhUTlRFeUluMCIsIml2IjoidUVzcFpzdTJEa21keFF1MU9aQ1RhdyIsImNpcGhlcnRleHQiOiJnc3V0SFlZdjlKNWptSzF0aXNnVEpRIiwidGFnIjoiZWc1SDlFVzNtQ0RUWHVMMkhXbktWZzdOanNMYkRXV2RqNGhpWHl1T1FRVSJ9"
           *     }
           */
          'application/json': components['schemas']['PaycheckPage'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  explainPaycheck: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The calculation's `id`.
         * @example calc_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        id: components['schemas']['ResourceId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The calculation, taken apart. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "calculation": {
           *         "id": "calc_01a201c8-5d21-76ac-b9c2-8a005ff9b6be",
           *         "employee_id": "usr_01a201c8-4589-700e-a45c-b93e41973a5a",
           *         "pay_date": "2026-11-22",
           *         "revision": 1,
           *         "gross_income": 300000,
           *         "locked_for_bills": 120000,
           *         "locked_buffer": 30000,
           *         "clean_safe_to_spend": 150000,
           *         "vaults": [
           *           {
           *             "type": "Rent",
           *             "amount": 120000,
           *             "category": "FIXED",
           *             "vault_id": "vlt_01a201c8-5d21-76ac-b9c2-804a8ca61c39",
           *             "allocation_id": "alloc_01a201c8-5d21-76ac-b9c2-841afa25ff00"
           *           }
           *         ],
           *         "buffer_rate": "0.10",
           *         "income_evidence": "stated",
           *         "calculated_at": "2026-11-22T05:43:57.982Z"
           *       },
           *       "steps": [
           *         {
           *           "label": "Gross income",
           *           "amount": 300000,
           *           "remaining": 300000
           *         },
           *         {
           *           "label": "Rent",
           *           "amount": 120000,
           *           "remaining": 180000
           *         },
           *         {
           *           "label": "Safety buffer",
           *           "amount": 30000,
           *           "remaining": 150000
           *         }
           *       ],
           *       "obligations": [
           *         {
           *           "type": "Rent",
           *           "category": "FIXED",
           *           "amount": 120000,
           *           "share_of_income": "0.4000"
           *         }
           *       ],
           *       "buffer": {
           *         "rate": "0.10",
           *         "requested": 30000,
           *         "locked": 30000,
           *         "capped": false
           *       }
           *     }
           */
          'application/json': components['schemas']['PaycheckBreakdown'];
          'image/svg+xml': components['schemas']['PaycheckChart'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      406: components['responses']['NotAcceptable'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  allocate: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "user_id": "emp-1042",
         *       "vault_type": "SAVINGS",
         *       "amount": 30000,
         *       "label": "Holiday"
         *     }
         */
        'application/json': components['schemas']['AllocateRequest'];
      };
    };
    responses: {
      /** @description The allocation. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "allocation_id": "alloc_01a201c8-8272-724b-bc83-01caabbb5910",
           *       "user_id": "emp-1042",
           *       "vault_id": "vlt_01a201c8-8272-724b-bc82-ffbadea8e3d8",
           *       "vault_type": "FIXED",
           *       "amount": 4000,
           *       "available": 4000,
           *       "label": "Rent",
           *       "safe_to_spend_remaining": 6000,
           *       "created_at": "2026-11-22T05:44:07.537Z"
           *     }
           */
          'application/json': components['schemas']['Allocation'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  withdraw: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "user_id": "emp-1042",
         *       "vault_id": "vlt_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11",
         *       "amount": 10000
         *     }
         */
        'application/json': components['schemas']['WithdrawRequest'];
      };
    };
    responses: {
      /** @description The withdrawal. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "withdrawal_id": "wdr_01a201c8-8a8f-753b-9537-535dd5ac62a4",
           *       "vault_id": "vlt_01a201c8-8a76-7215-a914-9e82f4106460",
           *       "amount": 10000,
           *       "vault_balance": 20000,
           *       "safe_to_spend_remaining": 160000,
           *       "created_at": "2026-11-22T05:44:09.612Z"
           *     }
           */
          'application/json': components['schemas']['Withdrawal'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  transferBetweenVaults: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "user_id": "emp-1042",
         *       "from_vault_id": "vlt_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11",
         *       "to_vault_id": "vlt_01934f3e-9a51-7d0c-8a55-1c6e2f0b7d42",
         *       "amount": 5000
         *     }
         */
        'application/json': components['schemas']['TransferRequest'];
      };
    };
    responses: {
      /** @description The transfer. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "transfer_id": "tra_01a201c8-8a84-77a7-82c8-73e73a130535",
           *       "from_vault_id": "vlt_01a201c8-8a76-7215-a914-9e82f4106460",
           *       "to_vault_id": "vlt_01a201c8-8a84-77a7-82c8-6fb801da5a1e",
           *       "to_allocation_id": "alloc_01a201c8-8a84-77a7-82c8-74b099df48ca",
           *       "amount": 5000,
           *       "from_balance": 15000,
           *       "to_balance": 5000,
           *       "created_at": "2026-11-22T05:44:09.598Z"
           *     }
           */
          'application/json': components['schemas']['Transfer'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listAllocationHistory: {
    parameters: {
      query?: {
        /** @description Only entries of this kind. */
        kind?: components['schemas']['VaultEntryKind'];
        /** @description Only entries of this vault of the owner. */
        vault_id?: components['schemas']['ResourceId'];
        /** @description Only entries of this day in London or later; or, given an instant, of this instant or later. */
        from?: components['schemas']['DateOrInstant'];
        /** @description Only entries of this day in London or earlier, the day included; or, given an instant, of this instant or earlier. */
        to?: components['schemas']['DateOrInstant'];
        /** @description How many items a page holds at most. */
        limit?: components['parameters']['Limit'];
        /** @description The `next_cursor` of the page before; without it, the first page. It is good for the same list only: the same operation, owner and filters. `limit` may change. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path: {
        /**
         * @description Whose money.
         * @example emp-1042
         */
        user_id: components['parameters']['UserId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of entries. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "entry_id": "ent_01a201c8-8ccb-70ed-ad75-c3f4a45f5b98",
           *           "kind": "allocation",
           *           "vault_id": "vlt_01a201c8-8ccb-70ed-ad75-b24196a4e251",
           *           "vault_type": "FIXED",
           *           "label": "Rent",
           *           "amount": 4000,
           *           "balance_after": 4000,
           *           "created_at": "2026-11-22T05:44:10.186Z"
           *         }
           *       ],
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['AllocationHistoryPage'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listVaults: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Whose money.
         * @example emp-1042
         */
        user_id: components['parameters']['UserId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The balances. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "user_id": "emp-1042",
           *       "safe_to_spend": 150000,
           *       "buffer": 30000,
           *       "in_flight": 0,
           *       "vaults": [
           *         {
           *           "vault_id": "vlt_01a201c8-479f-77d9-9b45-674cc73c4050",
           *           "vault_type": "FIXED",
           *           "label": "Rent",
           *           "balance": 120000,
           *           "annual_rate": "0"
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['VaultBalances'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  simulateAffordability: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "user_id": "emp-1042",
         *       "proposed_amount": 4500,
         *       "frequency": "MONTHLY",
         *       "category": "TELECOMS"
         *     }
         */
        'application/json': components['schemas']['AffordabilityRequest'];
      };
    };
    responses: {
      /** @description The check as it is kept. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "check_id": "chk_01a201b0-e2e4-731d-a627-ad5034d89f1c",
           *       "user_id": "emp-1042",
           *       "proposed_amount": 4500,
           *       "frequency": "MONTHLY",
           *       "category": "SUBSCRIPTIONS",
           *       "monthly_equivalent": 4500,
           *       "affordable": true,
           *       "score": 83,
           *       "confidence": 0.48,
           *       "impact": {
           *         "safe_to_spend_before": 150000,
           *         "safe_to_spend_after": 145500,
           *         "reduction_percentage": 3
           *       },
           *       "factors": [
           *         {
           *           "name": "headroom",
           *           "value": "0.9700",
           *           "weight": "0.55"
           *         },
           *         {
           *           "name": "stability",
           *           "value": "0.5000",
           *           "weight": "0.20"
           *         },
           *         {
           *           "name": "cushion",
           *           "value": "1.0000",
           *           "weight": "0.15"
           *         },
           *         {
           *           "name": "punctuality",
           *           "value": "0.5000",
           *           "weight": "0.10"
           *         }
           *       ],
           *       "largest_affordable_amount": 96818,
           *       "reasons": [
           *         {
           *           "code": "uses-share-of-safe-to-spend",
           *           "monthly_equivalent": 4500,
           *           "safe_to_spend_after": 145500,
           *           "share": "0.0300"
           *         },
           *         {
           *           "code": "too-few-paychecks",
           *           "paychecks": 1
           *         },
           *         {
           *           "code": "buffer-covers-tenth-of-pay",
           *           "buffer": 30000,
           *           "tenth_of_pay": 30000
           *         },
           *         {
           *           "code": "no-payments-concluded"
           *         }
           *       ],
           *       "recommendation": "This comes to £45.00 a month. By the figures on record it looks affordable; the score is 83 of 100. Of £1,500.00 that are safe to spend now it leaves £1,455.00. This is guidance, not a lending decision.",
           *       "calculated_at": "2026-11-22T05:18:19.350Z"
           *     }
           */
          'application/json': components['schemas']['AffordabilityCheck'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  readAffordabilityScore: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Whose money.
         * @example emp-1042
         */
        user_id: components['parameters']['UserId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The score. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "user_id": "emp-1042",
           *       "score": 85,
           *       "confidence": 0.48,
           *       "factors": [
           *         {
           *           "name": "headroom",
           *           "value": "1.0000",
           *           "weight": "0.55"
           *         },
           *         {
           *           "name": "stability",
           *           "value": "0.5000",
           *           "weight": "0.20"
           *         },
           *         {
           *           "name": "cushion",
           *           "value": "1.0000",
           *           "weight": "0.15"
           *         },
           *         {
           *           "name": "punctuality",
           *           "value": "0.5000",
           *           "weight": "0.10"
           *         }
           *       ],
           *       "calculated_at": "2026-11-22T05:18:21.711Z"
           *     }
           */
          'application/json': components['schemas']['AffordabilityScore'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listAffordabilityChecks: {
    parameters: {
      query?: {
        /** @description How many items a page holds at most. */
        limit?: components['parameters']['Limit'];
        /** @description The `next_cursor` of the page before; without it, the first page. It is good for the same list only: the same operation, owner and filters. `limit` may change. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path: {
        /**
         * @description Whose money.
         * @example emp-1042
         */
        user_id: components['parameters']['UserId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of checks. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "check_id": "chk_01a201b0-ec85-724c-9f70-16be75a71285",
           *           "user_id": "emp-1042",
           *           "proposed_amount": 100,
           *           "frequency": "MONTHLY",
           *           "category": null,
           *           "score": 85,
           *           "impact": {
           *             "safe_to_spend_after": 149900,
           *             "reduction_percentage": 0.07,
           *             "safe_to_spend_before": 150000
           *           },
           *           "factors": [
           *             {
           *               "name": "headroom",
           *               "value": "0.9993",
           *               "weight": "0.55"
           *             },
           *             {
           *               "name": "stability",
           *               "value": "0.5000",
           *               "weight": "0.20"
           *             },
           *             {
           *               "name": "cushion",
           *               "value": "1.0000",
           *               "weight": "0.15"
           *             },
           *             {
           *               "name": "punctuality",
           *               "value": "0.5000",
           *               "weight": "0.10"
           *             }
           *           ],
           *           "reasons": [
           *             {
           *               "code": "uses-share-of-safe-to-spend",
           *               "share": "0.0007",
           *               "monthly_equivalent": 100,
           *               "safe_to_spend_after": 149900
           *             },
           *             {
           *               "code": "too-few-paychecks",
           *               "paychecks": 1
           *             },
           *             {
           *               "code": "buffer-covers-tenth-of-pay",
           *               "buffer": 30000,
           *               "tenth_of_pay": 30000
           *             },
           *             {
           *               "code": "no-payments-concluded"
           *             }
           *           ],
           *           "affordable": true,
           *           "confidence": 0.48,
           *           "recommendation": "This comes to £1.00 a month. By the figures on record it looks affordable; the score is 85 of 100. Of £1,500.00 that are safe to spend now it leaves £1,499.00. This is guidance, not a lending decision.",
           *           "monthly_equivalent": 100,
           *           "largest_affordable_amount": 96818,
           *           "calculated_at": "2026-11-22T05:18:21.813Z"
           *         }
           *       ],
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['AffordabilityCheckPage'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  simulateDebts: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "debts": [
         *         {
         *           "name": "Card",
         *           "balance": 20000,
         *           "rate": 2400,
         *           "minimum": 2500
         *         }
         *       ],
         *       "monthly_budget": 10000
         *     }
         */
        'application/json': components['schemas']['DebtRequest'];
      };
    };
    responses: {
      /** @description The months until nothing is owed. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "strategy": "avalanche",
           *       "total_months": 3,
           *       "total_interest_paid": 1602,
           *       "total_paid": 41602,
           *       "savings_vs_minimum": 7516,
           *       "minimums_never_repay": false,
           *       "debt_free_date": "2027-02-21",
           *       "order": [
           *         "Card"
           *       ],
           *       "payoff_schedule": [
           *         {
           *           "month": 1,
           *           "debt": "Card",
           *           "payment": 15000,
           *           "remaining": 25830
           *         },
           *         {
           *           "month": 2,
           *           "debt": "Card",
           *           "payment": 15000,
           *           "remaining": 11366
           *         },
           *         {
           *           "month": 3,
           *           "debt": "Card",
           *           "payment": 11602,
           *           "remaining": 0
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['DebtSimulation'];
          'image/svg+xml': components['schemas']['DebtChart'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      406: components['responses']['NotAcceptable'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createDebtPlan: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "user_id": "emp-1042",
         *       "name": "Out by spring",
         *       "debts": [
         *         {
         *           "name": "Card",
         *           "balance": 20000,
         *           "rate": 2400,
         *           "minimum": 2500
         *         }
         *       ],
         *       "monthly_budget": 10000
         *     }
         */
        'application/json': components['schemas']['DebtPlanRequest'];
      };
    };
    responses: {
      /** @description The plan, with its schedule. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          ETag: components['headers']['Revision'];
          Location: components['headers']['Location'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "plan_id": "plan_01a201ac-efc4-755b-a3d9-afe614233d75",
           *       "user_id": "emp-1042",
           *       "name": "Card",
           *       "status": "active",
           *       "revision": 1,
           *       "start_date": "2026-11-21",
           *       "schedule_from": "2026-11-21",
           *       "monthly_budget": 15000,
           *       "debts": [
           *         {
           *           "name": "Card",
           *           "balance": 40000,
           *           "rate": 2490,
           *           "minimum": 2500,
           *           "provider_id": null
           *         }
           *       ],
           *       "created_at": "2026-11-21T12:00:00.000Z",
           *       "updated_at": "2026-11-21T12:00:00.000Z",
           *       "strategy": "avalanche",
           *       "total_months": 3,
           *       "total_interest_paid": 1602,
           *       "total_paid": 41602,
           *       "savings_vs_minimum": 7516,
           *       "minimums_never_repay": false,
           *       "debt_free_date": "2027-02-21",
           *       "order": [
           *         "Card"
           *       ],
           *       "payoff_schedule": [
           *         {
           *           "month": 1,
           *           "debt": "Card",
           *           "payment": 15000,
           *           "remaining": 25830
           *         },
           *         {
           *           "month": 2,
           *           "debt": "Card",
           *           "payment": 15000,
           *           "remaining": 11366
           *         },
           *         {
           *           "month": 3,
           *           "debt": "Card",
           *           "payment": 11602,
           *           "remaining": 0
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['DebtPlan'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listDebtPlans: {
    parameters: {
      query?: {
        /** @description Whose. A user may leave it out and gets its own; an API key must say. */
        user_id?: components['schemas']['OwnerId'];
        /** @description How many items a page holds at most. */
        limit?: components['parameters']['Limit'];
        /** @description The `next_cursor` of the page before; without it, the first page. It is good for the same list only: the same operation, owner and filters. `limit` may change. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of plans. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "plan_id": "plan_01a201ad-1d32-72d6-9ddb-945cfec754fa",
           *           "user_id": "emp-1042",
           *           "name": null,
           *           "status": "active",
           *           "revision": 1,
           *           "start_date": "2026-11-21",
           *           "schedule_from": "2026-11-21",
           *           "monthly_budget": 30000,
           *           "debts": [
           *             {
           *               "name": "A",
           *               "balance": 300000,
           *               "rate": 2490,
           *               "minimum": 9000,
           *               "provider_id": null
           *             },
           *             {
           *               "name": "B",
           *               "balance": 150000,
           *               "rate": 690,
           *               "minimum": 5000,
           *               "provider_id": null
           *             },
           *             {
           *               "name": "C",
           *               "balance": 60000,
           *               "rate": 3990,
           *               "minimum": 2500,
           *               "provider_id": null
           *             }
           *           ],
           *           "created_at": "2026-11-21T12:00:00.000Z",
           *           "updated_at": "2026-11-21T12:00:00.000Z",
           *           "strategy": "avalanche",
           *           "total_months": 20,
           *           "total_interest_paid": 87083,
           *           "debt_free_date": "2028-07-21"
           *         }
           *       ],
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['DebtPlanPage'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getDebtPlan: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The plan.
         * @example plan_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        plan_id: components['parameters']['PlanId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The plan, with its schedule. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['Revision'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "plan_id": "plan_01a201ac-efc4-755b-a3d9-afe614233d75",
           *       "user_id": "emp-1042",
           *       "name": "Card",
           *       "status": "active",
           *       "revision": 1,
           *       "start_date": "2026-11-21",
           *       "schedule_from": "2026-11-21",
           *       "monthly_budget": 15000,
           *       "debts": [
           *         {
           *           "name": "Card",
           *           "balance": 40000,
           *           "rate": 2490,
           *           "minimum": 2500,
           *           "provider_id": null
           *         }
           *       ],
           *       "created_at": "2026-11-21T12:00:00.000Z",
           *       "updated_at": "2026-11-21T12:00:00.000Z",
           *       "strategy": "avalanche",
           *       "total_months": 3,
           *       "total_interest_paid": 1602,
           *       "total_paid": 41602,
           *       "savings_vs_minimum": 7516,
           *       "minimums_never_repay": false,
           *       "debt_free_date": "2027-02-21",
           *       "order": [
           *         "Card"
           *       ],
           *       "payoff_schedule": [
           *         {
           *           "month": 1,
           *           "debt": "Card",
           *           "payment": 15000,
           *           "remaining": 25830
           *         },
           *         {
           *           "month": 2,
           *           "debt": "Card",
           *           "payment": 15000,
           *           "remaining": 11366
           *         },
           *         {
           *           "month": 3,
           *           "debt": "Card",
           *           "payment": 11602,
           *           "remaining": 0
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['DebtPlan'];
          'image/svg+xml': components['schemas']['DebtChart'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      406: components['responses']['NotAcceptable'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  changeDebtPlan: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of what you want to change; the answer is 412 where it is another one by now. */
        'If-Match'?: components['parameters']['IfMatch'];
      };
      path: {
        /**
         * @description The plan.
         * @example plan_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        plan_id: components['parameters']['PlanId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "monthly_budget": 12000,
         *       "strategy": "snowball"
         *     }
         */
        'application/json': components['schemas']['DebtPlanChange'];
      };
    };
    responses: {
      /** @description The plan as it is now, with its new schedule. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['Revision'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "plan_id": "plan_01a201ac-efc4-755b-a3d9-afe614233d75",
           *       "user_id": "emp-1042",
           *       "name": "Card",
           *       "status": "active",
           *       "revision": 2,
           *       "start_date": "2026-11-21",
           *       "schedule_from": "2026-11-21",
           *       "monthly_budget": 15000,
           *       "debts": [
           *         {
           *           "name": "Card",
           *           "balance": 40000,
           *           "rate": 2490,
           *           "minimum": 2500,
           *           "provider_id": null
           *         }
           *       ],
           *       "created_at": "2026-11-21T12:00:00.000Z",
           *       "updated_at": "2026-11-21T12:00:00.000Z",
           *       "strategy": "avalanche",
           *       "total_months": 3,
           *       "total_interest_paid": 1602,
           *       "total_paid": 41602,
           *       "savings_vs_minimum": 7516,
           *       "minimums_never_repay": false,
           *       "debt_free_date": "2027-02-21",
           *       "order": [
           *         "Card"
           *       ],
           *       "payoff_schedule": [
           *         {
           *           "month": 1,
           *           "debt": "Card",
           *           "payment": 15000,
           *           "remaining": 25830
           *         },
           *         {
           *           "month": 2,
           *           "debt": "Card",
           *           "payment": 15000,
           *           "remaining": 11366
           *         },
           *         {
           *           "month": 3,
           *           "debt": "Card",
           *           "payment": 11602,
           *           "remaining": 0
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['DebtPlan'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  readDebtProgress: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The plan.
         * @example plan_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        plan_id: components['parameters']['PlanId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description How the plan goes. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['Revision'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "plan_id": "plan_01a201ad-175b-73c0-98d5-1cbbc112d3fd",
           *       "strategy": "avalanche",
           *       "as_of": "2026-11-21",
           *       "months_elapsed": 0,
           *       "starting_balance": 510000,
           *       "expected_balance": 510000,
           *       "actual_balance": 510000,
           *       "paid_to_date": 0,
           *       "ahead_by": 0,
           *       "on_track": true,
           *       "projected_debt_free_date": "2028-07-21",
           *       "debts": [
           *         {
           *           "name": "A",
           *           "starting_balance": 300000,
           *           "expected_balance": 300000,
           *           "actual_balance": 300000,
           *           "percent_repaid": "0.00"
           *         },
           *         {
           *           "name": "B",
           *           "starting_balance": 150000,
           *           "expected_balance": 150000,
           *           "actual_balance": 150000,
           *           "percent_repaid": "0.00"
           *         },
           *         {
           *           "name": "C",
           *           "starting_balance": 60000,
           *           "expected_balance": 60000,
           *           "actual_balance": 60000,
           *           "percent_repaid": "0.00"
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['DebtProgress'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  recordDebtPayment: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description The plan.
         * @example plan_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        plan_id: components['parameters']['PlanId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "debt": "Card",
         *       "amount": 2500,
         *       "paid_on": "2026-11-20"
         *     }
         */
        'application/json': components['schemas']['DebtPaymentRequest'];
      };
    };
    responses: {
      /** @description Recorded. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "payment_id": "dpay_01a201ad-13f7-7783-9eb7-777dfa466ef6",
           *       "plan_id": "plan_01a201ad-13cc-7067-9747-35d252c23b76",
           *       "debt": "C",
           *       "amount": 20000,
           *       "paid_on": "2026-11-01",
           *       "remaining": 41330,
           *       "status": "active",
           *       "created_at": "2026-11-21T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['DebtPayment'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  accrueYield: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "vault_id": "vlt_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11"
         *     }
         */
        'application/json': components['schemas']['AccrueRequest'];
      };
    };
    responses: {
      /** @description These days were accrued before; this is the accrual. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "accrual_id": "accr_01a201c9-5209-7061-adff-fa8ca0c143d6",
           *       "vault_id": "vlt_01a201c9-4ecf-7652-b439-c1597e24885e",
           *       "from": "2026-11-21",
           *       "to": "2026-12-01",
           *       "days": 10,
           *       "annual_rate": "0.0410",
           *       "accrued": 562,
           *       "remainder": "-0.356164384",
           *       "balance_after": 500562,
           *       "posted_at": "2026-12-01T10:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Accrual'];
        };
      };
      /** @description The accrual, posted now. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "accrual_id": "accr_01a201c9-605c-76b7-bcc3-1de398ec0082",
           *       "vault_id": "vlt_01a201c9-6032-731a-883d-43a83602da70",
           *       "from": "2026-11-21",
           *       "to": "2026-11-22",
           *       "days": 1,
           *       "annual_rate": "0.0410",
           *       "accrued": 56,
           *       "remainder": "0.164383562",
           *       "balance_after": 500056,
           *       "posted_at": "2026-11-22T10:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Accrual'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  aggregateYield: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Whose vaults.
         * @example emp-1042
         */
        user_id: components['schemas']['OwnerId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The interest. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "user_id": "usr_01a201c9-5eab-7507-a07a-2ec17fa6a0e4",
           *       "total_accrued": 562,
           *       "accrued_this_tax_year": 562,
           *       "unposted": 562,
           *       "by_vault": [
           *         {
           *           "vault_id": "vlt_01a201c9-5f07-742d-bd18-4c6b5f7d19ca",
           *           "vault_type": "SAVINGS",
           *           "label": "Trip",
           *           "balance": 500562,
           *           "annual_rate": "0.0410",
           *           "total_accrued": 562,
           *           "unposted": 562,
           *           "last_accrued_to": "2026-12-01"
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['YieldAggregate'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getVaultYield: {
    parameters: {
      query?: {
        /** @description How many items a page holds at most. */
        limit?: components['parameters']['Limit'];
        /** @description The `next_cursor` of the page before; without it, the first page. It is good for the same list only: the same operation, owner and filters. `limit` may change. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path: {
        /**
         * @description The vault.
         * @example vlt_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        vault_id: components['schemas']['ResourceId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The interest and a page of accruals. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "vault_id": "vlt_01a201c9-6032-731a-883d-43a83602da70",
           *       "vault_type": "SAVINGS",
           *       "label": "Trip",
           *       "balance": 500169,
           *       "annual_rate": "0.0410",
           *       "total_accrued": 169,
           *       "unposted": 0,
           *       "last_accrued_to": "2026-11-24",
           *       "accruals": [
           *         {
           *           "accrual_id": "accr_01a201c9-609b-7412-94b9-4208857c2824",
           *           "vault_id": "vlt_01a201c9-6032-731a-883d-43a83602da70",
           *           "from": "2026-11-23",
           *           "to": "2026-11-24",
           *           "days": 1,
           *           "annual_rate": "0.0410",
           *           "accrued": 57,
           *           "remainder": "-0.487978082",
           *           "balance_after": 500169,
           *           "posted_at": "2026-11-24T10:00:00.000Z"
           *         },
           *         {
           *           "accrual_id": "accr_01a201c9-6070-72e5-9c3e-8a0709bf1392",
           *           "vault_id": "vlt_01a201c9-6032-731a-883d-43a83602da70",
           *           "from": "2026-11-22",
           *           "to": "2026-11-23",
           *           "days": 1,
           *           "annual_rate": "0.0410",
           *           "accrued": 56,
           *           "remainder": "0.335057534",
           *           "balance_after": 500112,
           *           "posted_at": "2026-11-23T10:00:00.000Z"
           *         }
           *       ],
           *       "next_cursor": "eyJwcm90ZWN0ZWQiOiJleUpoYkdjaU9pSmthWElpTENKbGJtTWlPaUpCTWpVMlEwSkRMVWhUTlRFeUluMCIsIml2IjoidUVzcFpzdTJEa21keFF1MU9aQ1RhdyIsImNpcGhlcnRleHQiOiJnc3V0SFlZdjlKNWptSzF0aXNnVEpRIiwidGFnIjoiZWc1SDlFVzNtQ0RUWHVMMkhXbktWZzdOanNMYkRXV2RqNGhpWHl1T1FRVSJ9"
           *     }
           */
          'application/json': components['schemas']['VaultYieldDetails'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  forecastYield: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "user_id": "emp-1042",
         *       "horizon_months": 12
         *     }
         */
        'application/json': components['schemas']['ForecastRequest'];
      };
    };
    responses: {
      /** @description The forecast. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "current_balance": 500000,
           *       "projected_yield": 1685,
           *       "effective_apy": "4.18",
           *       "monthly_breakdown": [
           *         {
           *           "month": 1,
           *           "accrued": 1685,
           *           "balance": 501685
           *         }
           *       ],
           *       "forecast_date": "2026-12-21T00:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['YieldForecast'];
          'image/svg+xml': components['schemas']['YieldChart'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      406: components['responses']['NotAcceptable'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  executePayment: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "vault_allocation_id": "alloc_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11",
         *       "amount": 95000,
         *       "currency": "GBP",
         *       "provider_id": "prov_sandbox_instant",
         *       "reference": "RENT NOV",
         *       "due_date": "2026-11-28"
         *     }
         */
        'application/json': components['schemas']['ExecutePaymentRequest'];
      };
    };
    responses: {
      /** @description Recorded and on its way, or pending until `execute_on`. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          Location: components['headers']['Location'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "payment_id": "pay_01a201d3-6f34-759d-8042-cd0e32d07ae8",
           *       "status": "processing",
           *       "amount": 1234,
           *       "currency": "GBP",
           *       "provider_id": "prov_sandbox_instant",
           *       "reference": "RENT NOV-26",
           *       "initiated_at": "2026-11-22T05:56:03.494Z",
           *       "estimated_completion": "2026-11-22T07:56:03.494Z",
           *       "vault_allocation_id": "alloc_01a201d3-6643-72bd-a343-0bc7de05dc9f",
           *       "user_id": "usr_01a201d3-5f4c-7143-b3de-c988346af5a8",
           *       "attempt": 1,
           *       "execute_on": null,
           *       "due_date": "2026-12-01",
           *       "category": "UTILITIES"
           *     }
           */
          'application/json': components['schemas']['Payment'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listPayments: {
    parameters: {
      query?: {
        /** @description Only this owner's. */
        user_id?: components['schemas']['OwnerId'];
        /** @description Only those in this state. */
        status?: components['schemas']['PaymentStatus'];
        /** @description Only what is of this date or later. */
        from?: components['parameters']['From'];
        /** @description Only what is of this date or earlier. */
        to?: components['parameters']['To'];
        /** @description How many items a page holds at most. */
        limit?: components['parameters']['Limit'];
        /** @description The `next_cursor` of the page before; without it, the first page. It is good for the same list only: the same operation, owner and filters. `limit` may change. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of payments. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "payment_id": "pay_01a201d4-2ac1-7e13-8c1d-6f0b3d5e9a47",
           *           "status": "processing",
           *           "amount": 999,
           *           "currency": "GBP",
           *           "provider_id": "prov_sandbox_blocked",
           *           "initiated_at": "2026-11-22T05:56:51.521Z",
           *           "estimated_completion": "2026-11-22T07:56:51.521Z",
           *           "vault_allocation_id": "alloc_01a201d3-6643-72bd-a343-0bc7de05dc9f",
           *           "user_id": "usr_01a201d3-5f4c-7143-b3de-c988346af5a8",
           *           "attempt": 1,
           *           "execute_on": null,
           *           "due_date": null,
           *           "category": "SUBSCRIPTIONS"
           *         },
           *         {
           *           "payment_id": "pay_01a201d4-25d6-70cb-96d9-fa425ae87b0d",
           *           "status": "cancelled",
           *           "amount": 1234,
           *           "currency": "GBP",
           *           "provider_id": "prov_sandbox_instant",
           *           "initiated_at": "2026-11-22T05:56:50.258Z",
           *           "estimated_completion": "2026-12-22T02:00:00.000Z",
           *           "vault_allocation_id": "alloc_01a201d3-6643-72bd-a343-0bc7de05dc9f",
           *           "user_id": "usr_01a201d3-5f4c-7143-b3de-c988346af5a8",
           *           "attempt": 1,
           *           "execute_on": "2026-12-22",
           *           "due_date": null,
           *           "category": "UTILITIES"
           *         },
           *         {
           *           "payment_id": "pay_01a201d4-2038-72f0-9eec-369c599f6daf",
           *           "status": "completed",
           *           "amount": 1234,
           *           "currency": "GBP",
           *           "provider_id": "prov_sandbox_instant",
           *           "initiated_at": "2026-11-22T05:56:48.823Z",
           *           "estimated_completion": "2026-11-22T07:56:48.823Z",
           *           "vault_allocation_id": "alloc_01a201d3-6643-72bd-a343-0bc7de05dc9f",
           *           "user_id": "usr_01a201d3-5f4c-7143-b3de-c988346af5a8",
           *           "attempt": 1,
           *           "execute_on": null,
           *           "due_date": null,
           *           "category": "UTILITIES"
           *         }
           *       ],
           *       "next_cursor": "eyJwcm90ZWN0ZWQiOiJleUpoYkdjaU9pSmthWElpTENKbGJtTWlPaUpCTWpVMlEwSkRMVWhUTlRFeUluMCIsIml2IjoidUVzcFpzdTJEa21keFF1MU9aQ1RhdyIsImNpcGhlcnRleHQiOiJnc3V0SFlZdjlKNWptSzF0aXNnVEpRIiwidGFnIjoiZWc1SDlFVzNtQ0RUWHVMMkhXbktWZzdOanNMYkRXV2RqNGhpWHl1T1FRVSJ9"
           *     }
           */
          'application/json': components['schemas']['PaymentPage'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listProviders: {
    parameters: {
      query?: {
        /** @description How many items a page holds at most. */
        limit?: components['parameters']['Limit'];
        /** @description The `next_cursor` of the page before; without it, the first page. It is good for the same list only: the same operation, owner and filters. `limit` may change. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of payees. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "provider_id": "prov_01a201c7-5875-7446-9bc0-1cdedc84cc76",
           *           "name": "Energy",
           *           "category": "UTILITIES",
           *           "sort_code": "**-**-76",
           *           "account_number": "****5678",
           *           "vouched_by": null,
           *           "created_at": "2026-11-21T12:00:00.000Z"
           *         }
           *       ],
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['ProviderPage'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  addProvider: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Northern Energy Ltd",
         *       "category": "UTILITIES",
         *       "sort_code": "401276",
         *       "account_number": "12345678"
         *     }
         */
        'application/json': components['schemas']['AddProviderRequest'];
      };
    };
    responses: {
      /** @description Added. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "provider_id": "prov_01a201c7-6730-7568-a8d9-46b7c85e8983",
           *       "name": "Payee 0",
           *       "category": "OTHER",
           *       "sort_code": "**-**-76",
           *       "account_number": "****5678",
           *       "vouched_by": "application",
           *       "created_at": "2026-11-21T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Provider'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getPayment: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` that you know; the answer is 304 while it is still right. */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
        /**
         * @description `wait=N` holds the answer for at most N seconds (30 at most) until the status changes or is final.
         * @example wait=20
         */
        Prefer?: components['parameters']['Prefer'];
      };
      path: {
        /**
         * @description A payment's id.
         * @example pay_01934f3e-9a51-7d0c-8a55-1c6e2f0b7d42
         */
        payment_id: components['parameters']['PaymentId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The payment as it is now. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          'Retry-After': components['headers']['RetryAfter'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "payment_id": "pay_01a201d3-e57a-700f-a54c-7417e687d613",
           *       "status": "completed",
           *       "amount": 1234,
           *       "currency": "GBP",
           *       "provider_id": "prov_sandbox_return",
           *       "initiated_at": "2026-11-22T05:56:33.785Z",
           *       "estimated_completion": "2026-11-22T07:56:33.785Z",
           *       "vault_allocation_id": "alloc_01a201d3-6643-72bd-a343-0bc7de05dc9f",
           *       "user_id": "usr_01a201d3-5f4c-7143-b3de-c988346af5a8",
           *       "attempt": 1,
           *       "execute_on": null,
           *       "due_date": null,
           *       "category": "CHILDCARE",
           *       "failure": null,
           *       "bank_status": "ACCC",
           *       "attention": false,
           *       "timeline": [
           *         {
           *           "status": "processing",
           *           "at": "2026-11-22T05:56:33.785Z",
           *           "attempt": 1,
           *           "detail": "Accepted; on its way to the bank."
           *         },
           *         {
           *           "status": "completed",
           *           "at": "2026-11-22T05:56:34.025Z",
           *           "attempt": 1,
           *           "detail": "The bank settled the payment."
           *         }
           *       ],
           *       "attempts": [
           *         {
           *           "attempt": 1,
           *           "status": "completed",
           *           "failure": null,
           *           "at": "2026-11-22T05:56:33.785Z"
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['PaymentDetails'];
        };
      };
      304: components['responses']['NotModified'];
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  retryPayment: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description A payment's id.
         * @example pay_01934f3e-9a51-7d0c-8a55-1c6e2f0b7d42
         */
        payment_id: components['parameters']['PaymentId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description On its way again. */
      202: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          Location: components['headers']['Location'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "payment_id": "pay_01a201d3-ff17-74d1-9723-7e07f2104613",
           *       "status": "processing",
           *       "amount": 1234,
           *       "currency": "GBP",
           *       "provider_id": "prov_sandbox_reject_once",
           *       "initiated_at": "2026-11-22T05:56:40.340Z",
           *       "estimated_completion": "2026-11-22T07:56:42.866Z",
           *       "vault_allocation_id": "alloc_01a201d3-6643-72bd-a343-0bc7de05dc9f",
           *       "user_id": "usr_01a201d3-5f4c-7143-b3de-c988346af5a8",
           *       "attempt": 2,
           *       "execute_on": null,
           *       "due_date": null,
           *       "category": "TELECOMS"
           *     }
           */
          'application/json': components['schemas']['Payment'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  cancelPayment: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description A payment's id.
         * @example pay_01934f3e-9a51-7d0c-8a55-1c6e2f0b7d42
         */
        payment_id: components['parameters']['PaymentId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Cancelled. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "payment_id": "pay_01a201d4-1663-72d7-97de-eb6643ae8081",
           *       "status": "cancelled",
           *       "amount": 1234,
           *       "currency": "GBP",
           *       "provider_id": "prov_sandbox_instant",
           *       "initiated_at": "2026-11-22T05:56:46.306Z",
           *       "estimated_completion": "2026-11-25T02:00:00.000Z",
           *       "vault_allocation_id": "alloc_01a201d3-6643-72bd-a343-0bc7de05dc9f",
           *       "user_id": "usr_01a201d3-5f4c-7143-b3de-c988346af5a8",
           *       "attempt": 1,
           *       "execute_on": "2026-11-25",
           *       "due_date": null,
           *       "category": "UTILITIES"
           *     }
           */
          'application/json': components['schemas']['Payment'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  uploadPayslip: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description `respond-async` does not wait for the document to be read; `wait=N` waits at most N seconds (25 at most).
         * @example respond-async
         */
        Prefer?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': components['schemas']['PayslipUpload'];
      };
    };
    responses: {
      /** @description The owner uploaded this file before; its document, read. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          Location: components['headers']['Location'];
          'Preference-Applied': components['headers']['PreferenceApplied'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "doc_id": "doc_01a201be-3f85-7764-8d54-0b18163cec3a",
           *       "user_id": "usr_01a201be-0a38-7709-aa15-69f136cecdd9",
           *       "status": "parsed",
           *       "document_type": "payslip",
           *       "extracted": {
           *         "employer_name": "Thistledown Bakery Ltd",
           *         "pay_period": "November 2026",
           *         "gross_pay": 300000,
           *         "net_pay": 236364,
           *         "tax_deducted": 33020,
           *         "ni_deducted": 15616,
           *         "pension_deducted": 15000
           *       },
           *       "confidence": 0.99,
           *       "fields": {
           *         "employer_name": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "pay_period": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "gross_pay": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "net_pay": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "tax_deducted": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "ni_deducted": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "pension_deducted": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "pay_date": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "tax_year": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "tax_code": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "paye_reference": {
           *           "confidence": 0.99,
           *           "page": 1
           *         }
           *       },
           *       "checks": [
           *         {
           *           "name": "net-is-gross-less-deductions",
           *           "holds": true
           *         }
           *       ],
           *       "needs_review": false,
           *       "pay_date": "2026-11-20",
           *       "tax_year": "2026-27",
           *       "tax_code": "1257L",
           *       "paye_reference": "123/AB456",
           *       "failure": null,
           *       "uploaded_at": "2026-11-22T05:32:55.048Z",
           *       "parsed_at": "2026-11-22T05:32:55.196Z"
           *     }
           */
          'application/json': components['schemas']['PayslipDocument'];
        };
      };
      /** @description Stored and read, `parsed` or `failed`. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          Location: components['headers']['Location'];
          'Preference-Applied': components['headers']['PreferenceApplied'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "doc_id": "doc_01a201be-3f85-7764-8d54-0b18163cec3a",
           *       "user_id": "usr_01a201be-0a38-7709-aa15-69f136cecdd9",
           *       "status": "parsed",
           *       "document_type": "payslip",
           *       "extracted": {
           *         "employer_name": "Thistledown Bakery Ltd",
           *         "pay_period": "November 2026",
           *         "gross_pay": 300000,
           *         "net_pay": 236364,
           *         "tax_deducted": 33020,
           *         "ni_deducted": 15616,
           *         "pension_deducted": 15000
           *       },
           *       "confidence": 0.99,
           *       "fields": {
           *         "employer_name": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "pay_period": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "gross_pay": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "net_pay": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "tax_deducted": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "ni_deducted": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "pension_deducted": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "pay_date": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "tax_year": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "tax_code": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "paye_reference": {
           *           "confidence": 0.99,
           *           "page": 1
           *         }
           *       },
           *       "checks": [
           *         {
           *           "name": "net-is-gross-less-deductions",
           *           "holds": true
           *         }
           *       ],
           *       "needs_review": false,
           *       "pay_date": "2026-11-20",
           *       "tax_year": "2026-27",
           *       "tax_code": "1257L",
           *       "paye_reference": "123/AB456",
           *       "failure": null,
           *       "uploaded_at": "2026-11-22T05:32:55.048Z",
           *       "parsed_at": "2026-11-22T05:32:55.196Z"
           *     }
           */
          'application/json': components['schemas']['PayslipDocument'];
        };
      };
      /** @description Stored; being read. Poll `Location`. */
      202: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          Location: components['headers']['Location'];
          'Preference-Applied': components['headers']['PreferenceApplied'];
          'Retry-After': components['headers']['RetryAfter'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "doc_id": "doc_01a201be-3f85-7764-8d54-0b18163cec3a",
           *       "user_id": "usr_01a201be-0a38-7709-aa15-69f136cecdd9",
           *       "status": "parsed",
           *       "document_type": "payslip",
           *       "extracted": {
           *         "employer_name": "Thistledown Bakery Ltd",
           *         "pay_period": "November 2026",
           *         "gross_pay": 300000,
           *         "net_pay": 236364,
           *         "tax_deducted": 33020,
           *         "ni_deducted": 15616,
           *         "pension_deducted": 15000
           *       },
           *       "confidence": 0.99,
           *       "fields": {
           *         "employer_name": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "pay_period": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "gross_pay": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "net_pay": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "tax_deducted": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "ni_deducted": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "pension_deducted": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "pay_date": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "tax_year": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "tax_code": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "paye_reference": {
           *           "confidence": 0.99,
           *           "page": 1
           *         }
           *       },
           *       "checks": [
           *         {
           *           "name": "net-is-gross-less-deductions",
           *           "holds": true
           *         }
           *       ],
           *       "needs_review": false,
           *       "pay_date": "2026-11-20",
           *       "tax_year": "2026-27",
           *       "tax_code": "1257L",
           *       "paye_reference": "123/AB456",
           *       "failure": null,
           *       "uploaded_at": "2026-11-22T05:32:55.048Z",
           *       "parsed_at": "2026-11-22T05:32:55.196Z"
           *     }
           */
          'application/json': components['schemas']['PayslipDocument'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      410: components['responses']['Gone'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      429: components['responses']['TooManyDocuments'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getPayslip: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` that you know; the answer is 304 while it is still right. */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
        /**
         * @description `wait=N` holds the answer for at most N seconds (30 at most) until the status changes or is final.
         * @example wait=20
         */
        Prefer?: components['parameters']['Prefer'];
      };
      path: {
        /**
         * @description A document's id.
         * @example doc_01934f3e-9a51-7d0c-8a55-1c6e2f0b7d42
         */
        doc_id: components['parameters']['DocumentId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The document as it is now. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          'Retry-After': components['headers']['RetryAfter'];
          'Preference-Applied': components['headers']['PreferenceApplied'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "doc_id": "doc_01a201be-3f85-7764-8d54-0b18163cec3a",
           *       "user_id": "usr_01a201be-0a38-7709-aa15-69f136cecdd9",
           *       "status": "parsed",
           *       "document_type": "payslip",
           *       "extracted": {
           *         "employer_name": "Thistledown Bakery Ltd",
           *         "pay_period": "November 2026",
           *         "gross_pay": 300000,
           *         "net_pay": 236364,
           *         "tax_deducted": 33020,
           *         "ni_deducted": 15616,
           *         "pension_deducted": 15000
           *       },
           *       "confidence": 0.99,
           *       "fields": {
           *         "employer_name": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "pay_period": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "gross_pay": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "net_pay": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "tax_deducted": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "ni_deducted": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "pension_deducted": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "pay_date": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "tax_year": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "tax_code": {
           *           "confidence": 0.99,
           *           "page": 1
           *         },
           *         "paye_reference": {
           *           "confidence": 0.99,
           *           "page": 1
           *         }
           *       },
           *       "checks": [
           *         {
           *           "name": "net-is-gross-less-deductions",
           *           "holds": true
           *         }
           *       ],
           *       "needs_review": false,
           *       "pay_date": "2026-11-20",
           *       "tax_year": "2026-27",
           *       "tax_code": "1257L",
           *       "paye_reference": "123/AB456",
           *       "failure": null,
           *       "uploaded_at": "2026-11-22T05:32:55.048Z",
           *       "parsed_at": "2026-11-22T05:32:55.196Z"
           *     }
           */
          'application/json': components['schemas']['PayslipDocument'];
        };
      };
      304: components['responses']['NotModified'];
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      410: components['responses']['Gone'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deletePayslip: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description A document's id.
         * @example doc_01934f3e-9a51-7d0c-8a55-1c6e2f0b7d42
         */
        doc_id: components['parameters']['DocumentId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Erased. */
      204: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      410: components['responses']['Gone'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getTaxHistory: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Whose documents. */
        user_id: components['schemas']['OwnerId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The tax years of which there are documents. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "user_id": "emp-1042",
           *       "tax_years": [
           *         {
           *           "tax_year": "2026-27",
           *           "gross_pay": 300000,
           *           "net_pay": 236364,
           *           "tax_deducted": 33020,
           *           "ni_deducted": 15616,
           *           "pension_deducted": 15000,
           *           "sources": [
           *             {
           *               "doc_id": "doc_01a201be-aa0f-77bf-b610-568d67360ada",
           *               "document_type": "payslip",
           *               "missing": []
           *             }
           *           ]
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['TaxHistory'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  generateCredential: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "user_id": "emp-1042",
         *       "period_months": 12
         *     }
         */
        'application/json': components['schemas']['GenerateCredentialRequest'];
      };
    };
    responses: {
      /** @description The credential, signed. Export it to hand it on. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          Location: components['headers']['Location'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "credential_id": "cred_01a201c7-b8e5-73e3-9cbd-f901d0e75d27",
           *       "user_id": "emp-1042",
           *       "reliability_score": 75,
           *       "on_time_rate": "0.5000",
           *       "total_payments": 2,
           *       "missed_payments": 1,
           *       "bills": 2,
           *       "payees": 2,
           *       "months_covered": 1,
           *       "total_paid": 1000,
           *       "payments_left_out": 0,
           *       "period": "2026-11-20 to 2026-11-21",
           *       "issued_at": "2026-11-21T09:30:00.000Z",
           *       "expires_at": "2027-02-19T09:30:00.000Z",
           *       "categories": [
           *         "UTILITIES",
           *         "OTHER"
           *       ],
           *       "score_breakdown": [
           *         {
           *           "factor": "punctuality",
           *           "value": "0.0835",
           *           "points": 58,
           *           "of": 700,
           *           "basis": "1 of 2 bills on time, recent ones count most; 1 month with a bill, full from 6"
           *         },
           *         {
           *           "factor": "history",
           *           "value": "0.0833",
           *           "points": 17,
           *           "of": 200,
           *           "basis": "1 month with a bill, full from 12"
           *         },
           *         {
           *           "factor": "streak",
           *           "value": "0.0000",
           *           "points": 0,
           *           "of": 100,
           *           "basis": "0 months in a row with every bill on time, full from 12"
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['Credential'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  verifyPresentedCredential: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "credential": "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJlbXAtMTA0MiJ9.c2lnbmF0dXJl~"
         *     }
         */
        'application/json': components['schemas']['PresentedCredential'];
      };
    };
    responses: {
      /** @description What it is worth. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Cache-Control': components['headers']['NoStore'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "credential_id": "cred_01a201c7-db50-7398-a999-ed0d1418befa",
           *       "valid": true,
           *       "status": "valid",
           *       "issuer": "https://localhost:8443",
           *       "subject": "emp-1042",
           *       "reliability_score": 75,
           *       "period": "2026-11-20 to 2026-11-21",
           *       "meaning": "How reliably bills were paid in the period. It counts payments made through this service, to payees for whom its operator or an application vouches.",
           *       "issued_at": "2026-11-21T09:30:00.000Z",
           *       "expires_at": "2027-02-19T09:30:00.000Z",
           *       "disclosed": {}
           *     }
           */
          'application/json': components['schemas']['PresentedVerification'];
        };
      };
      400: components['responses']['BadRequest'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  verifyCredential: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The credential.
         * @example cred_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        credential_id: components['parameters']['CredentialId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What it is worth. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Cache-Control': components['headers']['NoStore'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "credential_id": "cred_01a201c7-d100-77be-9858-1eb9a8a356bb",
           *       "valid": true,
           *       "status": "valid",
           *       "issuer": "https://localhost:8443",
           *       "subject": "emp-1042",
           *       "reliability_score": 75,
           *       "period": "2026-11-20 to 2026-11-21",
           *       "meaning": "How reliably bills were paid in the period. It counts payments made through this service, to payees for whom its operator or an application vouches.",
           *       "issued_at": "2026-11-21T09:30:00.000Z",
           *       "expires_at": "2027-02-19T09:30:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Verification'];
          'text/html': string;
        };
      };
      400: components['responses']['BadRequestOrPage'];
      404: components['responses']['NotFoundOrPage'];
      406: components['responses']['NotAcceptable'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequestsOrPage'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalErrorOrPage'];
      503: components['responses']['ServiceUnavailableOrPage'];
    };
  };
  revokeCredential: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description The credential.
         * @example cred_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        credential_id: components['parameters']['CredentialId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is revoked. */
      204: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  exportCredential: {
    parameters: {
      query?: {
        /**
         * @description The form that is wanted, whatever the `Accept` header says.
         * @example pdf
         */
        format?: 'json' | 'sd-jwt' | 'pdf';
      };
      header?: never;
      path: {
        /**
         * @description The credential.
         * @example cred_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        credential_id: components['parameters']['CredentialId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The credential. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Cache-Control': components['headers']['NoStore'];
          'Content-Disposition': components['headers']['ContentDisposition'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "credential_id": "cred_01a20b5d-89d3-706b-abf2-27f17cf83b73",
           *       "user_id": "emp-1042",
           *       "reliability_score": 75,
           *       "on_time_rate": "0.5000",
           *       "total_payments": 2,
           *       "missed_payments": 1,
           *       "bills": 2,
           *       "payees": 2,
           *       "months_covered": 1,
           *       "total_paid": 1000,
           *       "payments_left_out": 0,
           *       "period": "2026-11-20 to 2026-11-21",
           *       "issued_at": "2026-11-21T09:30:00.000Z",
           *       "expires_at": "2027-02-19T09:30:00.000Z",
           *       "categories": [
           *         "HOUSING",
           *         "UTILITIES",
           *         "COUNCIL_TAX",
           *         "INSURANCE",
           *         "TELECOMS",
           *         "TRANSPORT",
           *         "CREDIT",
           *         "CHILDCARE",
           *         "SUBSCRIPTIONS",
           *         "SAVINGS",
           *         "OTHER"
           *       ],
           *       "score_breakdown": [
           *         {
           *           "factor": "punctuality",
           *           "value": "0.0835",
           *           "points": 58,
           *           "of": 700,
           *           "basis": "1 of 2 bills on time, recent ones count most; 1 month with a bill, full from 6"
           *         },
           *         {
           *           "factor": "history",
           *           "value": "0.0833",
           *           "points": 17,
           *           "of": 200,
           *           "basis": "1 month with a bill, full from 12"
           *         },
           *         {
           *           "factor": "streak",
           *           "value": "0.0000",
           *           "points": 0,
           *           "of": 100,
           *           "basis": "0 months in a row with every bill on time, full from 12"
           *         }
           *       ],
           *       "status": "valid",
           *       "verify_url": "https://localhost:8443/api/v1/credential/cred_01a20b5d-89d3-706b-abf2-27f17cf83b73/verify",
           *       "sd_jwt": "eyJ0eXAiOiJkYytzZC1qd3QiLCJraWQiOiJ0WVJFRGc5bU1hcFZJWGVPdmNQeTd4S25ZTVBQYlNLN2R6VDZVUDdxMW5vIiwiYWxnIjoiRVMyNTYifQ.eyJpc3MiOiJodHRwczovL2xvY2FsaG9zdDo4NDQzIiwic3ViIjoiZW1wLTEwNDIiLCJ2Y3QiOiJodHRwczovL2xvY2FsaG9zdDo4NDQzL2FwaS92MS9jcmVkZW50aWFsL3R5cGVzL3BheW1lbnQtcmVsaWFiaWxpdHkiLCJqdGkiOiJjcmVkXzAxYTIwYjVkLTg5ZDMtNzA2Yi1hYmYyLTI3ZjE3Y2Y4M2I3MyIsImlhdCI6MTc5NTI1MzQwMCwibmJmIjoxNzk1MjUzNDAwLCJleHAiOjE4MDMwMjk0MDAsInN0YXR1cyI6eyJzdGF0dXNfbGlzdCI6eyJpZHgiOjY4NDU5LCJ1cmkiOiJodHRwczovL2xvY2FsaG9zdDo4NDQzL2FwaS92MS9jcmVkZW50aWFsL3N0YXR1cy1saXN0cy8xIn19LCJyZWxpYWJpbGl0eV9zY29yZSI6NzUsIl9zZCI6WyIzRmpMU2d3ZXZrQ1QyZ2x2UlJ6Vng4YVVlMFVDMEkxZ081RUtYTEV1RWk4IiwiQlJjdFp5VEtzUE9BbGItRklBZVlibkV0SG9BTndjcFRzcWJkYmEteHR3TSIsIkwyX3d0NTBKQUxVY3VyM0JhakZIVW9xeXVqeWt6TVVlZ2phODJFMU9TeWMiLCJPNzdVNlQ1aGsxYjVPLXFBWHV4T1JBM2RkSGg2cDRhNUdHOHJsQjlFci00IiwiUVo3c3dIcU5Wck1IWXhMLTBjMnU4dzdFdS1EeWdodVVJVnZ6akxlSHhzRSIsIlZMVGFMOVVpakhDa0YyVGZ0QmVpLUwzQmdMa2p0UDJnYXNpYUY3OTBWbW8iLCJabVVGUEQ1UDZPYlVaamtQdTR5UjAzR09WUC1tUEg3NlA5ME45WC1zMjZNIiwiYk5VUzdVMHZHeGREQVZJd1RxQ0RNRUR2R21lMGJVZzZiOEZxbm55UEdaayIsImRBV3UzZjdHZnJwSnJmZEthc0tJLVNubElnTGVrWlJtNGtrTHp1Uk5zLXciLCJ2Wko2Mm9rcFdManprYkthTHVKRGFiVV9KMkYwd2wtYXdoT1lncTJwZnNvIiwieEQyMFR1R19OWl94NlpnZXBvS0drZ1FmRlBxVEs2dGRBU2VrWEpLVjV3VSJdLCJfc2RfYWxnIjoic2hhLTI1NiJ9.pBgFyZ9L_L1NcPHR3Dhr7rTyQge5pKWJrhe3DbStJZbSwbQjOAk6oTSQlOHD0NpdO6s474ii9ohxhn2B7n1qrQ~WyJjMmYxOTE0MWY1NzQ4MjFiMWU5YzljYzkzZmQyMWJhYyIsIm9uX3RpbWVfcmF0ZSIsIjAuNTAwMCJd~WyIxMTU3ZmEwMTEwMzQwYTM3MGU4NmRjNDI5N2RhOWU4MCIsInRvdGFsX3BheW1lbnRzIiwyXQ~WyI2NzZjNjM2YTBmYzc4Yjk0MjI0ZTc1YmZmOTQ4OTQxZiIsIm1pc3NlZF9wYXltZW50cyIsMV0~WyJmNWE5YmZiOTNlNWE1Y2VjYTVmODRhZDg2MmMyNmU0NiIsInBlcmlvZCIsIjIwMjYtMTEtMjAgdG8gMjAyNi0xMS0yMSJd~WyI5YjAyNmZmM2VlMzYzOGIxYmEwOGYwMDY2ODExNTRhNyIsImNhdGVnb3JpZXMiLFsiSE9VU0lORyIsIlVUSUxJVElFUyIsIkNPVU5DSUxfVEFYIiwiSU5TVVJBTkNFIiwiVEVMRUNPTVMiLCJUUkFOU1BPUlQiLCJDUkVESVQiLCJDSElMRENBUkUiLCJTVUJTQ1JJUFRJT05TIiwiU0FWSU5HUyIsIk9USEVSIl1d~WyIyNjRmZDlhNTg4MTA2NTIyMzY5ZTk4Y2E0MDM4MWIyZCIsInNjb3JlX2JyZWFrZG93biIsW3sib2YiOjcwMCwiYmFzaXMiOiIxIG9mIDIgYmlsbHMgb24gdGltZSwgcmVjZW50IG9uZXMgY291bnQgbW9zdDsgMSBtb250aCB3aXRoIGEgYmlsbCwgZnVsbCBmcm9tIDYiLCJ2YWx1ZSI6IjAuMDgzNSIsImZhY3RvciI6InB1bmN0dWFsaXR5IiwicG9pbnRzIjo1OH0seyJvZiI6MjAwLCJiYXNpcyI6IjEgbW9udGggd2l0aCBhIGJpbGwsIGZ1bGwgZnJvbSAxMiIsInZhbHVlIjoiMC4wODMzIiwiZmFjdG9yIjoiaGlzdG9yeSIsInBvaW50cyI6MTd9LHsib2YiOjEwMCwiYmFzaXMiOiIwIG1vbnRocyBpbiBhIHJvdyB3aXRoIGV2ZXJ5IGJpbGwgb24gdGltZSwgZnVsbCBmcm9tIDEyIiwidmFsdWUiOiIwLjAwMDAiLCJmYWN0b3IiOiJzdHJlYWsiLCJwb2ludHMiOjB9XV0~WyI2NzNmYTIzMzdiYmE0NjI3N2ZhMWY4ZTFiMTYxYmU3NCIsImJpbGxzIiwyXQ~WyJlMzJmYzEyYTc2ZjRhNmVlY2I0MDhiMTNiODM1NDdmYSIsInBheWVlcyIsMl0~WyI3NDM4MDliZTAwN2Q0NGE5ZGExZWMxYTk2Yjg1YTA2ZCIsIm1vbnRoc19jb3ZlcmVkIiwxXQ~WyI5NjVjOTQ0ZGUxMmEwYmNlNWEwNzdjZjg4ODkzYTM3YSIsInRvdGFsX3BhaWQiLDEwMDBd~WyI0ZjM1MGRmOTY2ZGExODEyNjAwYjFjZWE2M2M0NmQwYiIsInBheW1lbnRzX2xlZnRfb3V0IiwwXQ~"
           *     }
           */
          'application/json': components['schemas']['ExportedCredential'];
          'application/dc+sd-jwt': components['schemas']['SdJwt'];
          'application/pdf': string;
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      406: components['responses']['NotAcceptable'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  readStatusList: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` that you know; the answer is 304 while it is still right. */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
      };
      path: {
        /**
         * @description The list, as a credential's `status` claim names it.
         * @example 1
         */
        list_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The list. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Cache-Control': components['headers']['CacheControl'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'application/statuslist+jwt': string;
        };
      };
      304: components['responses']['NotModified'];
      400: components['responses']['BadRequest'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  readCredentialType: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The metadata. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Cache-Control': components['headers']['CacheControl'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "vct": "https://localhost:8443/api/v1/credential/types/payment-reliability",
           *       "name": "Payment reliability",
           *       "description": "How reliably somebody paid bills in a period: a score from 0 to 1000 and, where its holder shows them, the figures behind it. They come from payments made through this service, to payees for whom its operator or an application vouches. Credentials without the claim bills count payments to all payees.",
           *       "display": [
           *         {
           *           "locale": "en-GB",
           *           "name": "Payment reliability",
           *           "description": "How reliably somebody paid bills in a period: a score from 0 to 1000 and, where its holder shows them, the figures behind it. They come from payments made through this service, to payees for whom its operator or an application vouches. Credentials without the claim bills count payments to all payees."
           *         }
           *       ],
           *       "claims": [
           *         {
           *           "path": [
           *             "iss"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Issued by"
           *             }
           *           ],
           *           "sd": "never"
           *         },
           *         {
           *           "path": [
           *             "sub"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Whose payments"
           *             }
           *           ],
           *           "sd": "never"
           *         },
           *         {
           *           "path": [
           *             "reliability_score"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Reliability score, 0 to 1000"
           *             }
           *           ],
           *           "sd": "never"
           *         },
           *         {
           *           "path": [
           *             "iat"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Issued"
           *             }
           *           ],
           *           "sd": "never"
           *         },
           *         {
           *           "path": [
           *             "exp"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Valid until"
           *             }
           *           ],
           *           "sd": "never"
           *         },
           *         {
           *           "path": [
           *             "on_time_rate"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Share of payments on time"
           *             }
           *           ],
           *           "sd": "allowed"
           *         },
           *         {
           *           "path": [
           *             "total_payments"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Payments"
           *             }
           *           ],
           *           "sd": "allowed"
           *         },
           *         {
           *           "path": [
           *             "missed_payments"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Missed payments"
           *             }
           *           ],
           *           "sd": "allowed"
           *         },
           *         {
           *           "path": [
           *             "period"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Period"
           *             }
           *           ],
           *           "sd": "allowed"
           *         },
           *         {
           *           "path": [
           *             "categories"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Categories of payees"
           *             }
           *           ],
           *           "sd": "allowed"
           *         },
           *         {
           *           "path": [
           *             "score_breakdown"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "What the score is made of"
           *             }
           *           ],
           *           "sd": "allowed"
           *         },
           *         {
           *           "path": [
           *             "bills"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Bills"
           *             }
           *           ],
           *           "sd": "allowed"
           *         },
           *         {
           *           "path": [
           *             "payees"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Accounts that bills were paid to"
           *             }
           *           ],
           *           "sd": "allowed"
           *         },
           *         {
           *           "path": [
           *             "months_covered"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Months with a bill"
           *             }
           *           ],
           *           "sd": "allowed"
           *         },
           *         {
           *           "path": [
           *             "total_paid"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Paid in all, in pence"
           *             }
           *           ],
           *           "sd": "allowed"
           *         },
           *         {
           *           "path": [
           *             "payments_left_out"
           *           ],
           *           "display": [
           *             {
           *               "locale": "en-GB",
           *               "label": "Payments to payees for whom nobody vouches"
           *             }
           *           ],
           *           "sd": "allowed"
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['CredentialTypeMetadata'];
        };
      };
      400: components['responses']['BadRequest'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
    };
  };
  readCredentialKeys: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The keys. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Cache-Control': components['headers']['CacheControl'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "keys": [
           *         {
           *           "kty": "EC",
           *           "crv": "P-256",
           *           "x": "cBRceAS7vejWITDP-5IJ7vjQ9SbitKbISi95RP7AGXQ",
           *           "y": "5BoSCzjbjc7mHO5ANRwi5LURto031oEH-S1JWaXYyZQ",
           *           "kid": "HUsmgEd-j63L7CVmIRD4c50rLH1gU80mSZL5PZBPKPU",
           *           "alg": "ES256",
           *           "use": "sig"
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['JwkSet'];
        };
      };
      400: components['responses']['BadRequest'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  readCredentialIssuer: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The metadata. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          'Cache-Control': components['headers']['CacheControl'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "issuer": "https://localhost:8443",
           *       "jwks_uri": "https://localhost:8443/.well-known/jwks.json"
           *     }
           */
          'application/json': {
            /**
             * Format: uri
             * @description The `iss` of the credentials.
             */
            issuer: string;
            /**
             * Format: uri
             * @description Where the keys are.
             */
            jwks_uri: string;
          };
        };
      };
      400: components['responses']['BadRequest'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
    };
  };
  storeVaultRecord: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "pii_type": "employee_bank",
         *       "data": {
         *         "sort_code": "40-12-76",
         *         "account_number": "12345678",
         *         "account_holder_name": "Ada King"
         *       },
         *       "owner_id": "emp-1042",
         *       "metadata": {
         *         "source": "onboarding",
         *         "batch": {
         *           "id": 7,
         *           "checked_by": [
         *             "ada",
         *             "grace"
         *           ]
         *         }
         *       }
         *     }
         */
        'application/json': components['schemas']['StoreVaultRecordRequest'];
      };
    };
    responses: {
      /** @description Stored. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          Location: components['headers']['Location'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "vault_ref": "vault:user_name:01a201c6-d314-76ab-9e47-d6b99daf1f19",
           *       "created_at": "2026-11-22T05:42:17.107Z"
           *     }
           */
          'application/json': components['schemas']['StoredVaultRecord'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  batchRetrieveVaultRecords: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "vault_refs": [
         *         "vault:employee_bank:01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11"
         *       ]
         *     }
         */
        'application/json': components['schemas']['BatchRetrieveRequest'];
      };
    };
    responses: {
      /** @description What can be given, and what cannot. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Cache-Control': components['headers']['NoStore'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "records": [
           *         {
           *           "vault_ref": "vault:payee_bank:01a201c7-4e9b-769e-85a3-d4da3fdc47eb",
           *           "pii_type": "payee_bank",
           *           "data": {
           *             "account_holder_name": "Example Energy",
           *             "sort_code": "123456",
           *             "account_number": "12345678"
           *           },
           *           "owner_id": "emp-1042",
           *           "metadata": {
           *             "source": "onboarding"
           *           },
           *           "created_at": "2026-11-21T12:00:00.000Z"
           *         }
           *       ],
           *       "errors": []
           *     }
           */
          'application/json': components['schemas']['VaultRecordBatch'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getVaultRecord: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description A record's reference, `vault:{pii_type}:{uuid}`; its colons may be percent-encoded.
         * @example vault:employee_bank:01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        vault_ref: components['parameters']['VaultRef'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The personal data. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Cache-Control': components['headers']['NoStore'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "vault_ref": "vault:user_phone:01a201c6-d209-75e3-a601-8c36d9755023",
           *       "pii_type": "user_phone",
           *       "data": {
           *         "phone": "+44 (0)7700 900123"
           *       },
           *       "owner_id": "emp-1042",
           *       "metadata": {
           *         "source": "onboarding",
           *         "batch": 12.5,
           *         "consented": true
           *       },
           *       "created_at": "2026-11-22T05:42:16.841Z"
           *     }
           */
          'application/json': components['schemas']['VaultRecord'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      410: components['responses']['Gone'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  eraseVaultRecord: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description A record's reference, `vault:{pii_type}:{uuid}`; its colons may be percent-encoded.
         * @example vault:employee_bank:01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        vault_ref: components['parameters']['VaultRef'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Erased. */
      204: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      410: components['responses']['Gone'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  verifyVaultField: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description A record's reference, `vault:{pii_type}:{uuid}`; its colons may be percent-encoded.
         * @example vault:employee_bank:01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        vault_ref: components['parameters']['VaultRef'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "field": "sort_code",
         *       "value": "401276"
         *     }
         */
        'application/json': components['schemas']['VerifyRequest'];
      };
    };
    responses: {
      /** @description Whether it is the value. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Cache-Control': components['headers']['NoStore'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "vault_ref": "vault:user_email:01a201c7-2fad-72e3-bf50-52e39170ff7b",
           *       "field": "email",
           *       "match": true
           *     }
           */
          'application/json': components['schemas']['FieldVerification'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      410: components['responses']['Gone'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getMaskedVaultRecord: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description A record's reference, `vault:{pii_type}:{uuid}`; its colons may be percent-encoded.
         * @example vault:employee_bank:01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11
         */
        vault_ref: components['parameters']['VaultRef'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The fields that the record has, masked. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Cache-Control': components['headers']['NoStore'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "vault_ref": "vault:user_phone:01a201c7-2965-7700-9ff7-08f9f64d20c3",
           *       "pii_type": "user_phone",
           *       "masked": {
           *         "phone": "*** *** 0123"
           *       }
           *     }
           */
          'application/json': components['schemas']['MaskedVaultRecord'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      410: components['responses']['Gone'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listAuditEvents: {
    parameters: {
      query?: {
        /** @description Only what happened to this, such as a payment, a user or a vault reference. */
        subject?: components['schemas']['ResourceId'];
        /** @description Only events of this kind, such as `sign-in.failed`. */
        kind?: string;
        /** @description Only what this user, key or operator did. */
        actor?: components['schemas']['ResourceId'];
        /** @description Only what is of this date or later. */
        from?: components['parameters']['From'];
        /** @description Only what is of this date or earlier. */
        to?: components['parameters']['To'];
        /** @description How many items a page holds at most. */
        limit?: components['parameters']['Limit'];
        /** @description The `next_cursor` of the page before; without it, the first page. It is good for the same list only: the same operation, owner and filters. `limit` may change. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of events. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "event_id": "evt_01a201d1-abbf-77a2-964e-52ac7fadd1fc",
           *           "subject": "business-clock",
           *           "subject_seq": 45,
           *           "kind": "clock.moved",
           *           "actor": "key_01a201d1-65cf-7286-a9e1-3a940c9cba93",
           *           "data": {
           *             "to": "2028-02-05T00:00:14.979Z",
           *             "from": "2028-02-05T00:00:13.979Z"
           *           },
           *           "created_at": "2026-11-22T05:54:07.922Z",
           *           "previous_hash": "39235af36ac483d468c313b12e6901bd34821bcc7518c40b4bfd49de4637d831",
           *           "hash": "d8fe0453e41bb17262fc962e0a1050e4a4ff76e3cf609bb7dda0d5d1d869d73a"
           *         }
           *       ],
           *       "next_cursor": "eyJwcm90ZWN0ZWQiOiJleUpoYkdjaU9pSmthWElpTENKbGJtTWlPaUpCTWpVMlEwSkRMVWhUTlRFeUluMCIsIml2IjoidUVzcFpzdTJEa21keFF1MU9aQ1RhdyIsImNpcGhlcnRleHQiOiJnc3V0SFlZdjlKNWptSzF0aXNnVEpRIiwidGFnIjoiZWc1SDlFVzNtQ0RUWHVMMkhXbktWZzdOanNMYkRXV2RqNGhpWHl1T1FRVSJ9"
           *     }
           */
          'application/json': components['schemas']['AuditEventPage'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  readHealth: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description How the parts are; `status` is `ok` where all of them are up. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "ok",
           *       "parts": [
           *         {
           *           "name": "database",
           *           "status": "up",
           *           "ms": 2
           *         },
           *         {
           *           "name": "temporal",
           *           "status": "up",
           *           "ms": 4
           *         },
           *         {
           *           "name": "bank",
           *           "status": "up",
           *           "ms": 9
           *         },
           *         {
           *           "name": "key-service",
           *           "status": "up",
           *           "ms": 1
           *         }
           *       ],
           *       "queues": {
           *         "outbox": 0,
           *         "outbox_oldest_s": 0,
           *         "mail": 0,
           *         "payments_open": 3,
           *         "payments_for_operator": 0
           *       }
           *     }
           */
          'application/json': components['schemas']['Health'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  readClock: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The time. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "now": "2026-11-22T05:53:50.647Z"
           *     }
           */
          'application/json': components['schemas']['ClockReading'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  moveClock: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A name of your choice for this request, 1 to 255 printable ASCII characters, such as a fresh UUID. Sending the same request again with the same key within 24 hours gives the stored answer, marked `Idempotent-Replayed`, and moves nothing again.
         * @example 6b0f6a0e-53f0-4a5b-9ce4-54ad4d2a9f0e
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "advance": "P31D"
         *     }
         */
        'application/json': components['schemas']['ClockMove'];
      };
    };
    responses: {
      /** @description The time that it is now. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "now": "2027-02-19T05:43:40.677Z"
           *     }
           */
          'application/json': components['schemas']['ClockReading'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['Conflict'];
      413: components['responses']['ContentTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableContent'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  checkLive: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It lives. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "live"
           *     }
           */
          'application/json': components['schemas']['Liveness'];
        };
      };
      400: components['responses']['BadRequest'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
    };
  };
  checkReady: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is ready. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "ready"
           *     }
           */
          'application/json': components['schemas']['Readiness'];
        };
      };
      400: components['responses']['BadRequest'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  readContract: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The contract as one OpenAPI 3.1 document. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "openapi": "3.1.0",
           *       "info": {
           *         "title": "Ringfence",
           *         "version": "0.1.0"
           *       },
           *       "paths": {}
           *     }
           */
          'application/json': {
            [key: string]: unknown;
          };
        };
      };
      304: components['responses']['NotModified'];
      400: components['responses']['BadRequest'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
    };
  };
  listProblems: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page that lists the codes. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      400: components['responses']['BadRequest'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
    };
  };
  explainProblem: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `code` of a problem document.
         * @example exceeds-safe-to-spend
         */
        code: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page that explains the code. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      400: components['responses']['BadRequest'];
      404: components['responses']['NotFound'];
      408: components['responses']['RequestTimeout'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
    };
  };
}
