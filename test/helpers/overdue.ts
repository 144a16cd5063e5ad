import type { Bank, ConsentAccess } from '../../infra/bank/interface.ts';

type Pay = Bank['pay'];

/** The same call with an access token that is over, so that it renews the secret first. `onRenewed` runs before that is stored. */
export const overdue =
  (pay: Pay, onRenewed: () => void = () => undefined): Pay =>
  (access, instruction) =>
    pay({ ...access, secret: access.secret && overdueSecret(access.secret, onRenewed) }, instruction);

function overdueSecret(secret: NonNullable<ConsentAccess['secret']>, onRenewed: () => void) {
  return {
    get current() {
      return JSON.stringify({ ...(JSON.parse(secret.current) as object), goodUntilMs: 0 });
    },
    renew: (exchange: (given: string) => Promise<string>) =>
      secret.renew(async (given) => {
        const fresh = await exchange(given);
        onRenewed();
        return fresh;
      }),
  };
}
