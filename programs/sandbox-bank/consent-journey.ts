import type { Interaction, Provider } from 'oidc-provider';
import { objectIn, record } from '../../infra/bank/obie-4.0/json.ts';
import { INTENT, SCA } from './authorization.ts';
import { isOpenTo, type Consent, type Consents } from './consents.ts';
import { NOT_OPEN, REFUSED, type Journey } from './customer-page.ts';

/** Decides on the consent that the request names. */
export function consentJourneys({ provider, consents }: { provider: Provider; consents: Consents }) {
  function consentOf({ params }: Interaction): Consent | null {
    const { id_token: claims } = objectIn(Buffer.from(params['claims'] ?? '')) ?? {};
    const { value } = record(record(claims)[INTENT]);
    const consent = typeof value === 'string' ? consents.find(value) : undefined;
    if (consent?.clientId !== params['client_id']) return null;
    const isOpen = consent?.status === 'AWAU' || consent?.status === 'AUTH';
    const scopes = params['scope']?.split(' ') ?? [];
    return consent && isOpen && scopes.includes(consent.kind) ? consent : null;
  }

  return (interaction: Interaction): Journey | null => {
    const consent = consentOf(interaction);
    if (consent === null) return null;
    const { id, kind, request, clientId } = consent;
    return {
      kind,
      request,
      isOpenTo: (customer) => isOpenTo(consent, customer),
      // Cards are no payment accounts, and sterling is paid from sterling.
      offers: (account) => account.kind !== 'card' && (kind === 'accounts' || account.currency === 'GBP'),
      refuse(customer) {
        consents.refuse(consent, customer);
        return Promise.resolve(REFUSED);
      },
      async approve(customer, chosen) {
        const grant = new provider.Grant({ clientId, accountId: customer });
        grant.addOIDCScope(`openid ${kind}`);
        grant.addOIDCClaims([INTENT]);
        const grantId = await grant.save();
        const accountIds = chosen.map((account) => account.id);
        if (!consents.approve(id, { ownerId: customer, grantId, accountIds })) return NOT_OPEN;
        const login = { accountId: customer, remember: false, acr: SCA, amr: ['mfa'] };
        return { login, consent: { grantId } };
      },
    };
  };
}
