import { defineEntity, p } from '@mikro-orm/core';
import { instant, text } from './columns.ts';

export type JourneyOutcome = 'authorised' | 'refused' | 'failed';

/** The bank knows the consent as `consentRef`, which is null until the bank has named it. */
export const BankJourney = defineEntity({
  name: 'BankJourney',
  tableName: 'bank_journeys',
  properties: {
    journeyId: text().primary(),
    stateHash: text().unique('bank_journeys_state_unique'),
    connectionId: text().nullable(),
    userId: text().nullable(),
    houseBankId: text().nullable(),
    houseBy: text().nullable(),
    browserHash: text(),
    consentRef: text().nullable(),
    sealed: text().nullable(),
    answers: p.integer().default(0),
    begunAt: instant(),
    finishingAt: instant().nullable(),
    outcome: text().$type<JourneyOutcome>().nullable(),
    reason: text().nullable(),
    overAt: instant().nullable(),
    settledAt: instant().nullable(),
  },
});

/** Lets the operator who has it grant the consent of the house account. */
export const BankHouseLink = defineEntity({
  name: 'BankHouseLink',
  tableName: 'bank_house_links',
  properties: {
    tokenHash: text().primary(),
    bankId: text(),
    madeBy: text(),
    expiresAt: instant().index('bank_house_links_expires'),
  },
});

/** Only the handle of which this is the hash can decrypt `sealed`. */
export const BankAnswer = defineEntity({
  name: 'BankAnswer',
  tableName: 'bank_answers',
  properties: {
    handleHash: text().primary(),
    journeyId: text().index('bank_answers_journey'),
    sealed: text(),
    expiresAt: instant().index('bank_answers_expires'),
  },
});
