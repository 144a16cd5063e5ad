import type { Client, Output } from '../../../client/src/index.ts';
import { byId, facts, h, line, onSubmit, p } from './page.ts';
import { SERVICE } from './sign-in.ts';
import { counted, day, leftOutOf, meaningOf, verdictOf } from './words.ts';

type Credential = Output<'generateCredential'>;

const FACTORS: Readonly<Record<string, string>> = {
  punctuality: 'Bills paid on time',
  history: 'Months with a bill',
  streak: 'Months in a row without a late bill',
};

export function credentialCard(client: Client, userId: string): void {
  onSubmit('proof', async () => {
    const credential = await client.untilCredentialIssued({ user_id: userId });
    const path = { credential_id: credential.credential_id };
    const pdf = await client.exportCredential({ path }, { accept: 'application/pdf' });
    byId('credential').replaceChildren(...shown(credential, URL.createObjectURL(pdf)));
  });
}

function shown(credential: Credential, pdf: string): Node[] {
  const { reliability_score: score, bills, payments_left_out, expires_at } = credential;
  const [from = '', to = ''] = credential.period.split(' to ').map(day);
  const period = from === to ? from : `${from} to ${to}`;
  return [
    h('p', { class: 'result' }, h('strong', { class: 'score' }, String(score)), ' of 1,000'),
    meter('Score', score, 1_000),
    h('p', { class: 'result' }, h('strong', {}, verdictOf(credential))),
    p(meaningOf(credential)),
    p(leftOutOf(payments_left_out), 'why'),
    h('details', {}, h('summary', {}, 'How the score adds up'), parts(credential)),
    facts([
      ['It covers', `${counted(bills, 'bill')}, ${period}`],
      ['Valid until', day(expires_at)],
    ]),
    links(`${SERVICE}/api/v1/credential/${credential.credential_id}/verify`, pdf),
  ];
}

function parts({ score_breakdown }: Credential): HTMLElement {
  const rows = score_breakdown.map(({ factor, points, of }) => {
    const name = FACTORS[factor] ?? 'Other';
    return h('li', {}, line(name, `${points} of ${of}`), meter(name, points, of));
  });
  return h('ul', { class: 'rows' }, ...rows);
}

const meter = (name: string, value: number, most: number): HTMLElement =>
  h('progress', { max: String(most), value: String(value), 'aria-label': name });

function links(address: string, pdf: string): HTMLElement {
  const check = { class: 'button quiet', href: address, target: '_blank', rel: 'noreferrer' };
  const save = { class: 'button quiet', href: pdf, download: 'credential.pdf' };
  return h('p', { class: 'pair' }, h('a', check, 'See what a landlord sees'), h('a', save, 'Save as PDF'));
}
