import { defineEntity, p } from '@mikro-orm/core';
import type { PaymentFailure, PaymentStatus, PayeeCategory, Submission, VouchedBy } from '../../../domain/payments.ts';
import { calendarDate, createdAt, instant, pence, sequence, text } from './columns.ts';

/**
 * A payee. The PII vault stores the name and bank details.
 * - `heldBy`: the user or application that added the payee. Null if everybody may pay the payee.
 * - `accountFingerprint`: a keyed hash of the bank account.
 * - `ownAccountOf`: an operator said that the account is this person's own.
 * - `confirmBeforePay`: after a restore, nobody has confirmed yet that the payee is still wanted.
 */
export const Payee = defineEntity({
  name: 'Payee',
  tableName: 'payees',
  properties: {
    providerId: text().primary(),
    seq: sequence(),
    heldBy: text().nullable().index('payees_held_by'),
    category: text().$type<PayeeCategory>(),
    bankRef: text().index('payees_bank_ref'),
    vouchedBy: text().$type<VouchedBy>().nullable(),
    accountFingerprint: text(),
    ownAccountOf: text().nullable(),
    createdAt: createdAt(),
    removedAt: instant().nullable(),
    mac: text(),
    macVersion: p.integer(),
    confirmBeforePay: p.boolean().default(false),
  },
});

/**
 * The row decides the payment's state, and the workflow only acts on the row.
 * - `connectionId`: the person's connection that pays. Null for the house account.
 * - `countsOn`: the day in whose month the payment counts towards the limits of the connection.
 * - `doubtedBy`: the restore after which nobody knows whether the bank paid it.
 */
export const Payment = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  properties: {
    paymentId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    allocationId: text().index('payments_allocation'),
    vaultId: text(),
    providerId: text(),
    category: text().$type<PayeeCategory>(),
    amount: pence(),
    currency: text(),
    reference: text().nullable(),
    connectionId: text().nullable(),
    countsOn: calendarDate().nullable(),
    executeOn: calendarDate().nullable(),
    dueDate: calendarDate().nullable(),
    status: text().$type<PaymentStatus>(),
    bankStatus: text().nullable(),
    attempt: p.integer(),
    failure: p.json<PaymentFailure>().nullable(),
    attention: p.boolean().default(false),
    initiatedAt: instant(),
    estimatedCompletion: instant(),
    updatedAt: instant(),
    version: p.integer().default(1),
    doubtedBy: text().nullable(),
  },
  indexes: [{ name: 'payments_owner', properties: ['ownerId', 'seq'] }],
});

/**
 * - `bankId`: the bank that the attempt goes to.
 * - `submission`: whether the bank has the payment.
 * - `awaited`: whether the attempt's workflow waits for a signal with the outcome.
 * - `sends`: how often a worker claimed the attempt for sending.
 * - `requestedBy`: the owner, or the lineage of the API key.
 * - `clientId` and `familyId`: the owner's OAuth client and sign-in. An operator's retry keeps the caller and the client.
 * - `contradicted`: the bank contradicted our record of the attempt, and no operator has acknowledged that.
 */
export const PaymentAttempt = defineEntity({
  name: 'PaymentAttempt',
  tableName: 'payment_attempts',
  properties: {
    paymentId: text().primary(),
    attempt: p.integer().primary(),
    bankId: text(),
    status: text().$type<PaymentStatus>(),
    submission: text().$type<Submission>().default('none'),
    bankPaymentId: text().nullable(),
    firstSentAt: instant().nullable(),
    failure: p.json<PaymentFailure>().nullable(),
    awaited: p.boolean().default(false),
    sends: p.integer().default(0),
    createdAt: instant(),
    requestedBy: text(),
    clientId: text().nullable(),
    familyId: text().nullable(),
    contradicted: p.boolean().default(false),
  },
  uniques: [{ name: 'payment_attempts_bank_payment_unique', properties: ['bankId', 'bankPaymentId'] }],
});

/**
 * - `outcomeId`: the payment and its attempt.
 * - `outcome`: how the attempt gave the money back, or `unsent`: after `sends` calls the bank did not have it.
 */
export const PaymentOutcome = defineEntity({
  name: 'PaymentOutcome',
  tableName: 'payment_outcomes',
  properties: {
    outcomeId: text().primary(),
    paymentId: text(),
    ownerId: text().index('payment_outcomes_owner'),
    sends: p.integer(),
    outcome: text().$type<'unsent' | 'failed' | 'cancelled' | 'returned'>(),
    mac: text(),
    macVersion: p.integer(),
  },
  indexes: [{ name: 'payment_outcomes_mac_version', properties: ['macVersion', 'outcomeId'] }],
});

export const PaymentEvent = defineEntity({
  name: 'PaymentEvent',
  tableName: 'payment_events',
  properties: {
    seq: sequence().primary(),
    paymentId: text().index('payment_events_payment'),
    status: text().$type<PaymentStatus>(),
    attempt: p.integer(),
    detail: text(),
    createdAt: instant(),
  },
});

/** How many payments of an owner go out on a day. `delegated`: those that clients and API keys ordered for a person. */
export const OwnerPaymentCount = defineEntity({
  name: 'OwnerPaymentCount',
  tableName: 'owner_payment_counts',
  properties: {
    day: calendarDate().primary(),
    ownerId: text().primary(),
    used: p.integer(),
    delegated: p.integer(),
  },
});

/** The same for an application, in several rows: `payment_count` says why. */
export const AppPaymentCount = defineEntity({
  name: 'AppPaymentCount',
  tableName: 'app_payment_counts',
  properties: {
    day: calendarDate().primary(),
    appId: text().primary(),
    shard: p.integer().primary(),
    used: p.integer(),
  },
});
