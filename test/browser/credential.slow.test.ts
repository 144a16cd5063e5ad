import { paymentActivities } from '../../activities/payments/index.ts';
import { credentialsOf } from '../helpers/activities.ts';
import { startApi } from '../helpers/api.ts';
import { axeFaults, layoutFaults, lookAs, LOOKS, withBrowser } from '../helpers/browser.ts';
import { movableClock } from '../helpers/clock.ts';
import { payBill, tamper } from '../helpers/credential.ts';
import { anyKey } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';

const clock = movableClock();
const bank = playedBank();
const api = startApi({ clock, bank });
const browser = withBrowser();
const SHOTS = process.env.CREDENTIAL_SHOTS;

async function newCredential() {
  const credentials = credentialsOf(api.services);
  const { credential_id } = await credentials.beginCredential({ principal: anyKey, user_id: 'emp-1042' });
  await credentials.issueCredential({ credential_id });
  return { credential_id, address: `${api.url}/api/v1/credential/${credential_id}/verify` };
}

beforeAll(async () => {
  clock.set('2026-11-21T09:30:00.000Z');
  await paymentActivities(api.services).ensureSandboxPayees();
  for (let paid = 0; paid < 9; paid += 1) await payBill(api.services, bank, { owner: 'emp-1042' });
});
beforeEach(() => clock.set('2026-11-21T09:30:00.000Z'));

async function inEachState(): Promise<Record<string, { address: string; title: string }>> {
  const credentials = credentialsOf(api.services);
  const [valid, revoked, tampered] = [await newCredential(), await newCredential(), await newCredential()];
  await credentials.revokeCredential({ principal: anyKey, credential_id: revoked.credential_id });
  await tamper(api.services, tampered.credential_id, 'reliability_score = 1000');
  return {
    valid: { ...valid, title: 'This credential is valid' },
    revoked: { ...revoked, title: 'This credential was withdrawn' },
    tampered: { ...tampered, title: 'Do not rely on this credential' },
  };
}

test('in every state the page shows the status, is accessible, and fits desktop and phone, light and dark', async () => {
  for (const [state, { address, title }] of Object.entries(await inEachState())) {
    const page = await browser.newPage();
    await page.goto(address);
    for (const look of LOOKS) {
      await lookAs(page, look);
      expect(await page.$eval('h1', (element) => element.textContent)).toBe(title);
      expect([state, look, await axeFaults(page)]).toEqual([state, look, []]);
      expect([state, look, await layoutFaults(page)]).toEqual([state, look, []]);
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/${state}-${look.scheme}-${look.width}.png`, fullPage: true });
    }
    await page.close();
  }
});

test('without JavaScript a landlord sees the score, the holder, the expiry, and how to verify', async () => {
  const { address, credential_id } = await newCredential();
  const page = await browser.newPage({ javaScript: false });
  await page.goto(address);
  const text = await page.$eval('main', (element) => element.textContent);
  for (const words of ['out of 1000', 'emp-1042', '19 February 2027', credential_id, `${api.url}/`, 'does not mean']) {
    expect(text).toContain(words);
  }
  clock.set('2027-02-20T09:30:00.000Z');
  await page.goto(address);
  expect(await page.$eval('h1', (element) => element.textContent)).toBe('This credential has expired');
  expect(await page.$eval('main', (element) => element.textContent)).toContain('Was valid until');
});

test('an unknown address shows a plain explanation', async () => {
  const page = await browser.newPage();
  await page.goto(`${api.url}/api/v1/credential/cred_none/verify`);
  expect(await page.$eval('main', (element) => element.textContent)).toContain('There is no credential with this id.');
  expect(await axeFaults(page)).toEqual([]);
});

test('prints on one sheet of A4, even in dark mode', async () => {
  const { address } = await newCredential();
  const page = await browser.newPage();
  await lookAs(page, { scheme: 'dark', width: 1_280 });
  await page.goto(address);
  const pdf = await page.pdf({ format: 'A4', ...(SHOTS ? { path: `${SHOTS}/print.pdf` } : {}) });
  const text = Buffer.from(pdf).toString('latin1');
  expect(text.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  await page.emulateMediaType('print');
  expect(await page.evaluate(`getComputedStyle(document.body).backgroundColor`)).toBe('rgb(255, 255, 255)');
  expect(await axeFaults(page)).toEqual([]);
});
