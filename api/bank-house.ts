import { beginHouseJourney, houseOfLink, type FinishedHouse } from '../activities/bank/house.ts';
import type { Services } from '../infra/services.ts';
import type { Module } from './http/handlers.ts';
import { browserOf, openForm, requireOwnForm } from './http/request/browser.ts';
import { houseAccountPage, houseConnectedPage, houseFailedPage, houseUsedPage } from './pages/bank-house.ts';
import { WHY_FAILED } from './pages/bank-texts.ts';
import type { HtmlPage } from './pages/layout.ts';
import { pageReply, sentOn } from './pages/reply.ts';

const PURPOSE = 'house-account';

export const bankHouseHandlers = (services: Services) =>
  ({
    async showHouseAccount({ query: { link }, headers }) {
      const { bank, consentRef } = await houseOfLink(services, { link });
      const { csrf, setCookie } = openForm(services, headers, PURPOSE);
      const { name: bankName, regulated } = bank;
      return pageReply(200, houseAccountPage({ bankName, regulated, consentRef, link, csrf }), {
        'Set-Cookie': setCookie,
      });
    },

    async connectHouseAccount({ body, headers }) {
      requireOwnForm(services, { headers, purpose: PURPOSE, token: body.csrf });
      const { browser } = browserOf(headers);
      const sendTo = await beginHouseJourney(services, { link: body.link, browser });
      return sendTo === undefined ? pageReply(200, houseFailedPage(WHY_FAILED['bank-away'])) : sentOn(sendTo);
    },
  }) satisfies Module;

export function houseFinishedPage(finished: FinishedHouse): HtmlPage {
  if (finished.kind === 'authorised') return houseConnectedPage(finished.bankName);
  if (finished.kind === 'refused') return houseFailedPage('You refused at the bank.');
  return finished.why === 'used' ? houseUsedPage : houseFailedPage(WHY_FAILED[finished.why]);
}
