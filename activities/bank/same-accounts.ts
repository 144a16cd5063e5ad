import { BankError, type Finished, type Present, type SecretHolder } from '../../infra/bank/interface.ts';
import type { ConnectionRow } from '../../infra/db/queries/bank.ts';
import type { Services } from '../../infra/services.ts';
import { hasAccountInCommon } from './list-accounts.ts';

type Authorised = Extract<Finished, { kind: 'authorised' }>;

export type Checked = { grant: Authorised; refusal: 'no-account-in-common' | `bank-${string}` | undefined };

/**
 * Whether a new consent may take the place of the connection's: it has to show an account that the connection has. Other consents
 * always may. The grant has the newest secret.
 */
export async function checkAccounts(
  services: Services,
  { connection, grant, present }: { connection: ConnectionRow; grant: Authorised; present: Present | null },
): Promise<Checked> {
  const { kind, consent_id, bank_id } = connection;
  const bank = services.banks.find(bank_id);
  if (kind !== 'accounts' || consent_id === null || bank?.port.traits.reauthorise !== 'new') {
    return { grant, refusal: undefined };
  }
  const secret = unsaved(grant.secret);
  try {
    const listed = await bank.port.accounts({ kind, consentRef: grant.consentRef, secret, present });
    const isSame = await hasAccountInCommon(services, connection, listed);
    return { grant: { ...grant, secret: secret.current }, refusal: isSame ? undefined : 'no-account-in-common' };
  } catch (error) {
    if (!(error instanceof BankError)) throw error;
    services.log.warn({ bank_id, kind: error.kind }, 'the accounts of a new consent could not be listed');
    return { grant: { ...grant, secret: secret.current }, refusal: `bank-${error.kind}` };
  }
}

/** Of a consent that is not stored yet, so that no other process can renew it. */
function unsaved(given: string): SecretHolder {
  let current = given;
  return {
    get current() {
      return current;
    },
    async renew(exchange) {
      current = await exchange(current);
      return current;
    },
  };
}
