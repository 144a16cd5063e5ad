import { defineEntity, p } from '@mikro-orm/core';
import type {
  PaymentFailure,
  PaymentStatus,
  ProviderCategory,
  Submission,
  VouchedBy,
} from '../../../domain/payments.ts';
import { calendarDate, createdAt, instant, pence, sequence, text } from './columns.ts';

/**
 * A payee of bills. Name and bank details are in the PII vault; `heldBy` is the caller who added it, null if it is for
 * everybody. Payees with one account have one fingerprint. A payee of an earlier version gets its fingerprint when it
 * is first counted.
 */
export const Provider = defineEntity({
  name: 'Provider',
  tableName: 'providers',
  properties: {
    providerId: text().primary(),
    seq: sequence(),
    heldBy: text().nullable().index('providers_held_by'),
    category: text().$type<ProviderCategory>(),
    bankRef: text().index('providers_bank_ref'),
    vouchedBy: text().$type<VouchedBy>().nullable(),
    accountFingerprint: text().nullable(),
    createdAt: createdAt(),
    /** When it was removed; nobody can pay it any more. */
    removedAt: instant().nullable(),
  },
});

/** A payment as clients poll it. The row is the truth; the workflow drives it. */
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
    category: text().$type<ProviderCategory>(),
    amount: pence(),
    currency: text(),
    reference: text().nullable(),
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
  },
  indexes: [{ name: 'payments_owner', properties: ['ownerId', 'seq'] }],
});

/**
 * One attempt at paying.
 * - `submission`: what the bank has of it, as far as we know: none, in_doubt or accepted.
 * - `awaited`: its workflow waits for a signal with the outcome.
 * - `sends`: how often it was claimed for sending.
 */
export const PaymentAttempt = defineEntity({
  name: 'PaymentAttempt',
  tableName: 'payment_attempts',
  properties: {
    paymentId: text().primary(),
    attempt: p.integer().primary(),
    status: text().$type<PaymentStatus>(),
    submission: text().$type<Submission>().default('none'),
    bankPaymentId: text().nullable().unique('payment_attempts_bank_payment_unique'),
    firstSentAt: instant().nullable(),
    failure: p.json<PaymentFailure>().nullable(),
    awaited: p.boolean().default(false),
    sends: p.integer().default(0),
    createdAt: instant(),
  },
});

/** One line of a payment's timeline. */
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
