import type { Client, Output } from '../../../client/src/index.ts';
import { byId, day, facts, h, onSubmit } from './page.ts';
import { SERVICE } from './sign-in.ts';

const MOST = 1_000;

export function credentialCard(client: Client, userId: string): void {
  onSubmit('proof', async () => {
    const credential = await client.untilCredentialIssued({ user_id: userId });
    const path = { credential_id: credential.credential_id };
    const pdf = await client.exportCredential({ path }, { accept: 'application/pdf' });
    byId('credential').replaceChildren(...shown(credential, URL.createObjectURL(pdf)));
  });
}

function shown(credential: Output<'generateCredential'>, pdf: string): Node[] {
  const { reliability_score: score, on_time_rate, bills = 0, period, expires_at, credential_id } = credential;
  const address = `${SERVICE}/api/v1/credential/${credential_id}/verify`;
  return [
    h('p', { class: 'result' }, h('strong', {}, String(score)), ` of ${MOST}`),
    h('progress', { max: String(MOST), value: String(score), 'aria-label': 'Score' }),
    facts([
      ['On time', `${Math.round(Number(on_time_rate) * 100)} % of ${bills} ${bills === 1 ? 'bill' : 'bills'}`],
      ['Period', period.split(' to ').map(day).join(' to ')],
      ['Valid until', day(expires_at)],
    ]),
    h(
      'p',
      { class: 'pair' },
      h('a', { class: 'button quiet', href: address, target: '_blank', rel: 'noreferrer' }, 'Check it'),
      h('a', { class: 'button quiet', href: pdf, download: 'credential.pdf' }, 'Save PDF'),
    ),
  ];
}
