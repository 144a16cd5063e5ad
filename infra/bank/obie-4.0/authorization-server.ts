import type { KeyObject } from 'node:crypto';
import * as client from 'openid-client';
import { HOUR_MS } from '../../../domain/dates.ts';
import type { BankEntryOf } from '../../config/index.ts';
import { asBankError } from './errors.ts';

/** Clocks may differ by this much. */
export const CLOCK_TOLERANCE_S = 120;
const ASSERTION_LIVES_S = 180;

export type AuthorizationServer = ReturnType<typeof authorizationServer>;
type Work<T> = (configuration: client.Configuration) => Promise<T>;

export interface ServerSettings {
  entry: BankEntryOf<'obie-4.0'>;
  signingKey: KeyObject;
  fetch: client.CustomFetch;
  timeoutMs: number;
}

/** Discovers the server, and again after an hour or a failure. */
export function authorizationServer({ entry, signingKey, fetch, timeoutMs }: ServerSettings) {
  const key = {
    key: signingKey.toCryptoKey({ name: 'RSA-PSS', hash: 'SHA-256' }, false, ['sign']),
    kid: entry.signing_key_id,
  };
  const authentication =
    entry.client_auth === 'tls_client_auth' ? client.TlsClientAuth() : client.PrivateKeyJwt(key, assertion(entry));
  const timeout = Math.ceil(timeoutMs / 1_000) + 1;
  let known: { at: number; metadata: Promise<client.ServerMetadata> } | undefined;

  async function discover(): Promise<client.ServerMetadata> {
    const options = { [client.customFetch]: fetch, timeout };
    const found = await client.discovery(new URL(entry.issuer), entry.client_id, {}, authentication, options);
    return found.serverMetadata();
  }
  function metadata(): Promise<client.ServerMetadata> {
    if (known !== undefined && Date.now() - known.at < HOUR_MS) return known.metadata;
    const latest = { at: Date.now(), metadata: discover() };
    latest.metadata.catch(() => (known = known === latest ? undefined : known));
    known = latest;
    return latest.metadata;
  }
  /** `through` sees the requests of this configuration alone. */
  async function configuration(through: client.CustomFetch = fetch): Promise<client.Configuration> {
    const made = new client.Configuration(
      await metadata().catch((error: unknown) => Promise.reject(asBankError(error))),
      entry.client_id,
      {
        id_token_signed_response_alg: 'PS256',
        use_mtls_endpoint_aliases: true,
        [client.clockTolerance]: CLOCK_TOLERANCE_S,
      },
      authentication,
    );
    made[client.customFetch] = through;
    made.timeout = timeout;
    return made;
  }

  return {
    key,
    fetch,
    metadata: () => metadata().catch((error: unknown) => Promise.reject(asBankError(error))),
    configuration,
    /** @throws BankError */
    async use<T>(work: Work<T>): Promise<T> {
      const made = await configuration();
      try {
        return await work(made);
      } catch (error) {
        const fault = asBankError(error);
        if (fault.kind === 'away' || fault.kind === 'configuration') known = undefined;
        throw fault;
      }
    },
  };
}

/** Some banks expect another audience than their issuer. */
function assertion({ assertion_audience: audience }: BankEntryOf<'obie-4.0'>): client.ModifyAssertionOptions {
  return {
    [client.modifyAssertion](_header, payload) {
      if (audience !== undefined) payload['aud'] = audience;
      allowForClocks(payload, ASSERTION_LIVES_S);
    },
  };
}

/** By itself, the library issues what a server whose clock is a second behind or a minute ahead refuses. */
export function allowForClocks(payload: Record<string, unknown>, livesS: number): void {
  const now = Math.floor(Date.now() / 1_000);
  payload['iat'] = now - CLOCK_TOLERANCE_S;
  payload['nbf'] = now - CLOCK_TOLERANCE_S;
  payload['exp'] = now + livesS;
}
