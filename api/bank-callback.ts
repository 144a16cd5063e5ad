import { randomBytes } from 'node:crypto';
import { freshSessionOf, sessionOf } from '../activities/auth/sessions.ts';
import { keepAnswer, returnTargets } from '../activities/bank/answers.ts';
import { termsOf } from '../activities/bank/describe-connection.ts';
import { finishJourney } from '../activities/bank/finish.ts';
import { finishHouseJourney } from '../activities/bank/house.ts';
import { ATTENDED_FOR_MIN } from '../domain/bank/reading.ts';
import { MINUTE_MS } from '../domain/dates.ts';
import { addressOfBankPage } from '../domain/destinations.ts';
import type { Services } from '../infra/services.ts';
import { houseFinishedPage } from './bank-house.ts';
import { browserOf } from './http/request/browser.ts';
import type { Module } from './http/handlers.ts';
import { presentOf } from './http/request/present.ts';
import { invalid } from './http/request/invalid.ts';
import { answerPage, CALLBACK, connectedPage, failedPage, refusedPage, usedPage } from './pages/bank.ts';
import { WHY_FAILED } from './pages/bank-texts.ts';
import { pageReply, sentOn } from './pages/reply.ts';

export const bankCallbackHandlers = (services: Services) => {
  const keep = async (answer: Readonly<Record<string, string>>) => {
    const { handle } = await keepAnswer(services, { answer });
    return sentOn(`${CALLBACK}/finish?answer=${handle}`);
  };

  return {
    async receiveBankAnswer({ query }) {
      const answer = answerIn(query);
      if (['state', 'code', 'error'].some((name) => answer[name] !== undefined)) return keep(answer);
      const nonce = randomBytes(16).toString('base64');
      return pageReply(200, answerPage({ nonce, formTargets: await returnTargets(services) }));
    },

    postBankAnswer: ({ body }) => keep(body),

    async finishBankJourney({ query: { answer: handle }, headers, address }) {
      const session = await sessionOf(services, headers);
      const { browser } = browserOf(headers);
      const house = await finishHouseJourney(services, { handle, browser });
      if (house) return pageReply(200, houseFinishedPage(house));
      const isThere = (await freshSessionOf(services, headers, ATTENDED_FOR_MIN * MINUTE_MS)) !== undefined;
      const present = isThere ? presentOf({ address, headers }) : null;
      const finished = await finishJourney(services, { handle, session, browser, present });
      if (finished.kind === 'failed') {
        const { why, connectionId } = finished;
        if (why === 'used') return pageReply(200, usedPage);
        const startAgain = connectionId && addressOfBankPage({ bankPage: 'authorise', connectionId });
        return pageReply(200, failedPage({ why: WHY_FAILED[why], startAgain }));
      }
      const { kind, location, row } = finished;
      if (location !== undefined) return sentOn(location);
      if (kind === 'refused') return pageReply(200, refusedPage);
      const accounts = addressOfBankPage({ bankPage: 'accounts', connectionId: row.connection_id });
      const accountsAt = row.kind === 'accounts' ? accounts : undefined;
      return pageReply(200, connectedPage(await termsOf(services, row), accountsAt));
    },
  } satisfies Module;
};

/** The contract does not check what a bank adds to its answer. */
function answerIn(query: Readonly<Record<string, unknown>>): Record<string, string> {
  const pairs = Object.entries(query);
  if (pairs.every((pair): pair is [string, string] => typeof pair[1] === 'string')) return Object.fromEntries(pairs);
  throw invalid([{ pointer: '/query', detail: 'must not contain a parameter twice' }]);
}
