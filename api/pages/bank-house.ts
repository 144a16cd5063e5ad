import { formPage } from './forms.ts';
import { escapeHtml, messagePage, type HtmlPage } from './layout.ts';

export const HOUSE_ACCOUNT_PAGE = '/api/v1/bank/house-account';

export function houseAccountPage(page: {
  bankName: string;
  consentRef: string;
  regulated: { name: string; termsUrl: string };
  link: string;
  csrf: string;
}): HtmlPage {
  const { bankName, consentRef, regulated, link, csrf } = page;
  const [bank, firm] = [escapeHtml(bankName), escapeHtml(regulated.name)];
  return formPage({
    title: 'Connect the house account?',
    lead: `<p class="lead">Ringfence will be able to pay from the operator’s own account at <strong>${bank}</strong>, by the consent <strong>${escapeHtml(consentRef)}</strong>. It makes the payments of everybody who uses this service.</p>
<p>Continue only if you ran the command that printed this link. The link works once, and you must come back in this browser.</p>`,
    faults: [],
    action: HOUSE_ACCOUNT_PAGE,
    given: { link, csrf },
    fields: [
      `<p class="fine"><strong>${firm}</strong> is the regulated provider. If you continue, its terms apply.</p>
<p class="beside"><a href="${escapeHtml(regulated.termsUrl)}">Read the terms of ${firm}</a></p>`,
    ],
    button: 'Continue',
    formTargets: ['https:'],
  });
}

export function houseConnectedPage(bankName: string): HtmlPage {
  return messagePage(
    'The house account is connected',
    `<p class="lead">${escapeHtml(bankName)} has confirmed it. You can close this page.</p>`,
  );
}

export function houseFailedPage(why: string): HtmlPage {
  return messagePage(
    'The house account was not connected',
    `<p class="lead">${escapeHtml(why)}</p>\n<p>To try again, run <code>bank connect</code> and open the new link.</p>`,
  );
}

/** The answer may have connected the account the first time. */
export const houseUsedPage = messagePage(
  'This page was opened before',
  `<p class="lead">Each answer of a bank works once. To see how the house account stands, run <code>bank list</code>.</p>`,
);
