/** Titles by file. For a standard, each title comes with the sections of the standard. */
export type Proofs = Record<string, readonly string[] | Record<string, string>>;

/** By section of docs/guarantees.md. */
export const SECTIONS: Record<string, Proofs> = {
  Money: {
    'test/domain/paycheck.test.ts': ['nothing is created or lost, and no part is negative'],
    'test/domain/money.test.ts': ['a share is what integer arithmetic says, to the penny'],
    'test/activities/ledger.test.ts': [
      'entries that do not balance',
      'an entry that overdraws an account, even if the next one fills it up again',
    ],
    'test/activities/allocations.test.ts': [
      'of 40 allocations that together exceed what is safe to spend, exactly those that fit succeed',
      'balances, lots and refusals are those of a simple model, and the ledger is sound after every step',
    ],

    'test/activities/payees.test.ts': ['while forty payments to it are ordered has none of them, or stays'],
    'test/activities/yield.test.ts': ['over years of deposits, withdrawals and postings at any time, no penny is lost'],
    'test/api/shell.test.ts': [
      'sent twenty times at once takes effect once',
      'is free again when the process that worked on it is gone, and nothing of it is left',
    ],
    'test/activities/payments.test.ts': [
      'a settled payment is with the payee, once, however often it is submitted again',
      'an unknown outcome stays in flight, is queried again, and is never pending, even when the bank is offline',
      'a cancellation during the submission reports what really happens to the payment',
      'late and repeated messages never move a payment backwards',
    ],
    'test/activities/payments-unsigned.test.ts': [
      'a cancelled payment that the bank paid is flagged for an operator, and the event is acknowledged',
    ],
    'test/activities/payments-statuses.test.ts': [
      'can be neither retried nor cancelled, and its money pays nothing else',
    ],
    'test/activities/hostile-arguments.test.ts': [
      'any simultaneous calls leave the ledger sound, and post and pay nothing early',
    ],
  },
  'People and authority': {
    'test/api/reach.test.ts': ['%s: is refused in the same words as an unknown resource'],
    'test/infra/roles.test.ts': [
      'cannot forge a balanced transfer or a back-dated event through the trigger of a temporary table',
    ],
    'test/activities/disabled-accounts.test.ts': [
      'of forty who sign in, renew, redeem, consent and pay while it is disabled, none acts or pays afterwards',
    ],
    'test/activities/account-claim.test.ts': ['payees and payments that are added during the claim do not remain'],
    'test/api/identity-link.test.ts': [
      'whoever registered an address before its owner came loses everything that gives access to it',
      'does not get into an account whose owner has %s the address, and takes nothing from it',
    ],
  },
  'A stolen database role': {
    'test/activities/macs.test.ts': [
      'evidences what the service stored, and nothing that the role inserted or copied',
      'that ends cannot get its row of before back, and belongs to the application of its lineage',
    ],
    'test/activities/payee-macs.test.ts': ['a payee %s gets nothing, the money comes back, and an alert is raised'],
    'test/activities/yield-attacks.test.ts': ['nobody chooses an amount, a rate or the days of interest'],
    'test/activities/verify.test.ts': [
      'verify finds %s, made by the owner of the schema',
      'a nightly run checks what is new, and in 28 nights each old event once',
    ],
  },
  'A person’s own bank': {
    'test/domain/bank-rows.test.ts': [
      'nothing is lost or stored twice, in any order, however often it is read and whichever ids are shown',
    ],
    'test/domain/reconciliation.test.ts': [
      'no booking is two payments’, whatever comes in whatever order, and the same again changes nothing',
    ],
    'test/activities/bank-reading.test.ts': [
      'a sync that is killed in any step, and begins anew, stores and counts everything once',
      'hold against forty requests at once, which make one sync',
    ],
    'test/api/bank-reading.test.ts': [
      'counts own money of current and savings accounts in pounds, each account once',
      'tells the bank that the person is there only within five minutes of their own sign-in',
    ],
  },
  'Documents and credentials': {
    'test/domain/legacy.test.ts': [
      'every given amount is printed on the page',
      'an amount of the year to date is never given as the amount of the period',
    ],
    'test/faults/reader-process.slow.test.ts': [
      'ends a process that holds too much memory, and reads on',
      'that a file took over knows no secret, reads and writes no file, starts no program, and crashes nobody by what it sends',
    ],
    'test/activities/legacy.test.ts': ['that runs again reads nothing twice, and two at once store one outcome'],
    'test/activities/legacy-fair-queue.test.ts': [
      'a person with a proven address waits behind one document of a hundred new accounts',
    ],
    'test/activities/credential.test.ts': [
      'with any one character replaced is reported as tampered with, or as no credential',
      'refuses a credential that is revoked or expired, or whose status list is unavailable',
    ],
    'test/faults/crash.slow.test.ts': ['a credential is signed once for its Idempotency-Key, even after a kill -9: %s'],
  },
  'Data at rest': {
    'test/docs/walk.slow.test.ts': [
      'after all these calls, no personal data or secret is in the clear in the database, in Temporal or in a log',
    ],
    'test/api/legacy.test.ts': ['nothing of a payslip is in the database, in a workflow or in the log in the clear'],
    'test/activities/legacy.test.ts': [
      'destroys the file, the reading, the NI number and the keys, but not the record that it existed',
    ],
    'test/faults/watching.slow.test.ts': ['contain no id, address or amount', 'contains only names, ids and codes'],
  },
  'What is bounded': {
    'test/api/budget.test.ts': [
      'in any order of events, no sum is wrong, the limits hold, and nobody loses a first large exchange',
    ],
    'test/api/held-bytes.test.ts': [
      'unfinished bodies of one key are refused beyond its share, and others are served as before',
      'ends a body after a minute, however steadily it arrives',
      'lets an upload take minutes, but not 30 seconds without a byte',
    ],
    'test/api/upload-places.test.ts': [
      'the slowest that is older than five seconds gives way, and a phone does not while somebody is slower',
    ],
    'test/infra/turns.test.ts': ['callers who always come back at once do not keep another waiting'],
    'test/activities/payment-turns.test.ts': [
      'of one owner five payments are under way, the oldest first, and each result lets the next go',
      'another’s bill is the next after the turns under way, beside many of an owner, of a key and of persons',
    ],
    'test/activities/payment-counts.test.ts': ['of forty at once of one owner, exactly the allowed ones are made'],
    'test/faults/nginx.slow.test.ts': [
      'reaches the API only as a whole',
      'has a hundred requests at a time, and does not hinder others',
    ],
  },
  'Operation: processes, crashes, deploying': {
    'test/faults/crash.slow.test.ts': ['all end, and each moves its money once: everything at once, and restarted'],
    'test/faults/outages.slow.test.ts': [
      'payments are accepted all along, none is refused or lost, and each is settled once when it is back',
      'gives every kind of request a 503 in limited time, and nothing is lost or done twice when it answers again',
    ],
    'test/programs/full-output.slow.test.ts': [
      'serves requests while standard error and standard output are full, counts the lines that it lost, and stops cleanly',
    ],
    'test/faults/clock-jump.slow.test.ts': [
      'hours back, no request waits for hours, nothing is paid twice, and no payment is lost',
    ],
    'test/faults/growth.slow.test.ts': [
      'requests read about as many pages after every table has grown a hundredfold without new statistics',
    ],
    'test/infra/migrations.test.ts': [
      'a migration that waits for a lock delays no requests, and runs when the lock is free',
      'with a migration whose text has changed is refused by migrate and by every process',
    ],
    'test/faults/release.slow.test.ts': [
      'gets nothing before its promotion, then takes over running payments, and gives them back: each is paid once',
    ],
    'test/faults/backup.slow.test.ts': [
      'comes back with all that was archived: money, audit, sealed records, and payments that were under way',
    ],
    'test/faults/local-backup.slow.test.ts': [
      'a backup stops the stack, archives its folder and starts it; an empty folder gets back all that was there',
    ],
    'test/faults/restore.slow.test.ts': [
      'a backup that is restored by the book pays nothing twice, and gives back nothing that was taken away',
    ],
    'test/activities/restore.test.ts': [
      'is neither sent, cancelled, retried, resolved nor given back, whatever the bank says but that it paid',
      'completes what the bank or a statement shows, and leaves all else in doubt',
      'without a whole list, every password is forgotten, and no payee is paid before the person confirms it',
    ],
    'test/infra/witness.test.ts': [
      'a backup restored into the same server while the service runs is noticed at the next connection',
      'a crash between database and folder does not look like a restore',
    ],
    'test/api/restoring.test.ts': [
      'neither a message that waits nor a workflow that runs sends a payment before the restore has ended',
    ],
    'test/faults/deployed.slow.test.ts': ['pay a bill and read a payslip'],
  },
  'RFC 9700 (OAuth 2.0 security)': {
    'test/api/sign-in.test.ts': {
      'the redirect URI %j, which is not exactly the registered one': '2.1, 4.1',
      'the authorization request that follows is checked again, and cannot redirect elsewhere': '4.11',
      'without the token, with another, with one of another form or of another browser, or without the cookie':
        '2.1, 4.7',
      'allowed: a code, the state and the issuer go to the registered address, and the code gets tokens': '2.1, 4.4',
      'a public client without PKCE': '2.1.1',
      'opening it does not use up the link, and sends the token nowhere': '4.2, 4.3',
      '303 gives a session of 12 hours under a new identifier, and leads to the request that it came from': '4.12',
    },
    'test/api/oauth.test.ts': {
      'a verifier for a code without a challenge, as in a PKCE downgrade': '2.1.1, 4.8',
      'a second use of a code ends the tokens of the first, audited': '2.1.1, 4.5',
      '400 unsupported_grant_type': '2.1.2, 2.4',
      'a confidential client without its secret, also where it sends a code_verifier': '2.5',
      '200 gives the metadata of RFC 8414': '2.6',
    },
    'test/activities/auth.test.ts': {
      'a later use of the old token ends the sign-in with all its tokens, and is audited': '2.2.2, 4.14',
    },
    'test/api/proxied.test.ts': {
      'on the plain listener, from an address that is no trusted proxy, does not count': '4.13',
    },
    'test/api/vault-transport.test.ts': {
      'the vault refuses a key in Authorization, and other operations refuse a key in X-Vault-API-Key': '4.15',
    },
    'test/browser/sign-in.slow.test.ts': { 'cannot show %s in a frame': '4.16' },
    'test/api/identity-sign-in.test.ts': {
      '303 sends the browser to the provider with PKCE, state and nonce, and keeps none of them in the clear':
        '2.1, 4.4, 4.7',
    },
  },
  'OWASP ASVS 4.0.3': {
    'test/domain/auth.test.ts': {
      'a registration names every fault at once, each with its pointer': '2.1.1–2.1.9',
    },
    'test/api/sign-in.test.ts': {
      '401 for a wrong current password, 400 for a refused new password, and nothing changes': '2.1.6',
      '204 sets the password once, ends every sign-in, signs nobody in, and sends a mail about it': '2.2.3',
      '401 with the same answer for a link that is forged, cut short, padded, expired or used': '2.5.6, 2.7.2, 2.7.3',
      'a session id that somebody planted is not used, and the previous session ends': '3.2.1, 3.2.2',
      'a session ends after 12 hours, whatever the cookie says': '3.3.1',
      '303 ends the session with the tokens that were granted in it, and leads to the sign-in page': '3.3.2',
      '204 changes the password and ends every other sign-in': '3.3.3',
      'knows the browser by a cookie that only this host gets, by TLS, and no script reads': '3.4.1–3.4.5',
    },
    'test/api/limits.test.ts': {
      'after 10 failed sign-ins it refuses, the right password too, at every process, whatever spelling is used':
        '2.2.1',
    },
    'test/infra/keys.test.ts': {
      'are Argon2id with the recommended cost, salted': '2.4.1–2.4.5',
      'does not decrypt with any byte changed, removed or added': '6.2.1, 6.2.5',
      'a sealed record is a JWE that another implementation opens, its key unwrapped by another of RFC 3394':
        '6.2.2–6.2.6',
      'an API key has its prefix, 43 digits of base 62 and a checksum of 6, and no two are alike': '6.3.1–6.3.3',
    },
    'test/activities/password-reset.test.ts': {
      'runs the very same statements for a known and an unknown address': '2.5.1–2.5.6',
      'a queued mail has neither address nor token, and the database has only a hash of the token': '2.7.5',
    },
    'test/activities/auth.test.ts': { 'rotated with an overlap, both work until it is over': '2.10.1–2.10.4' },
    'test/activities/payments-grants.test.ts': {
      'fails and returns the money if the key was revoked before its day': '2.10.1–2.10.4',
    },
    'test/api/oauth.test.ts': { '200 a refresh token ends with its access tokens, audited': '3.5.1' },
    'test/activities/vault.test.ts': {
      'of any type, its metadata and every access to it: nothing of it is in the tables or the log in the clear':
        '6.1.1',
    },
    'test/faults/key-rotation.slow.test.ts': {
      'completes although all processes are killed at once and restarted': '6.4.1, 6.4.2',
    },
  },
};
