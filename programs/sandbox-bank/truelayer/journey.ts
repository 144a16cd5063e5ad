import type { Interaction, Provider } from 'oidc-provider';
import { REFUSED, type Journey } from '../customer-page.ts';
import type { TrueLayerConsents } from './consents.ts';
import { BANK_ID } from './providers.ts';
import type { Switches } from './switches.ts';

interface Books {
  provider: Provider;
  consents: TrueLayerConsents;
  switches: Switches;
}

const FAILED = { error: 'provider_error', error_description: 'the bank failed' };

/** There is no consent before the customer approves. */
export function trueLayerJourneys({ provider, consents, switches }: Books) {
  /** The library answers as the stored request says. Returns whether the journey fails. */
  async function isSpoilt(interaction: Interaction, customer: string): Promise<boolean> {
    const spoilt = switches.of(customer);
    const { params } = interaction;
    if (spoilt.isOn('query_answer')) delete params['response_mode'];
    if (spoilt.isOn('error_without_state')) delete params['state'];
    await interaction.persist();
    return spoilt.isOn('error_without_state');
  }

  return (interaction: Interaction): Journey => {
    const { client_id: clientId = '', scope = '', provider_id: providerId = BANK_ID } = interaction.params;
    return {
      kind: 'accounts',
      request: '{}',
      isOpenTo: () => true,
      offers: ({ kind }) => kind !== 'card' || scope.split(' ').includes('cards'),
      async refuse(customer) {
        await isSpoilt(interaction, customer);
        return REFUSED;
      },
      async approve(customer, chosen) {
        if (await isSpoilt(interaction, customer)) return FAILED;
        const grant = new provider.Grant({ clientId, accountId: customer });
        grant.addOIDCScope(scope);
        const grantId = await grant.save();
        const ownIds = switches.of(customer).isOn('new_ids');
        const accountIds = chosen.map(({ id }) => id);
        consents.add({ ownerId: customer, grantId, accountIds, providerId, ownIds });
        return { login: { accountId: customer, remember: false }, consent: { grantId } };
      },
    };
  };
}
