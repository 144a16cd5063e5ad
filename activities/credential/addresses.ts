import type { Services } from '../../infra/services.ts';

export function addressesOf({ config }: Pick<Services, 'config'>) {
  const issuer = config.api.publicUrl;
  const credentials = `${issuer}/api/v1/credential`;
  return {
    issuer,
    keys: `${issuer}/.well-known/jwks.json`,
    type: `${credentials}/types/payment-reliability`,
    statusList: (listId: number) => `${credentials}/status-lists/${listId}`,
    verify: (credentialId: string) => `${credentials}/${credentialId}/verify`,
  };
}
