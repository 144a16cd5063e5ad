export const SCOPES = ['accounts', 'balance', 'transactions', 'cards', 'offline_access'] as const;
export type Scope = (typeof SCOPES)[number];

export const BANK_ID = 'ob-sandbox';

/** In the API's words, a provider is a bank. Only the first one has customers. */
const PROVIDERS = [
  { provider_id: BANK_ID, display_name: 'Sandbox Bank', country: 'uk' },
  { provider_id: 'mock', display_name: 'Mock', country: 'uk' },
  { provider_id: 'ob-sandbox-ie', display_name: 'Sandbox Bank of Ireland', country: 'ie' },
] as const;

export function isProvider(id: string): boolean {
  return PROVIDERS.some(({ provider_id }) => provider_id === id);
}

export function logoOf(base: string, id: string): string {
  return `${base}/logos/${id}.svg`;
}

export function providersFor(base: string): object[] {
  return PROVIDERS.map((provider) => ({ ...provider, logo_url: logoOf(base, provider.provider_id), scopes: SCOPES }));
}
