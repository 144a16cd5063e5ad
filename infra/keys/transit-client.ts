import { readFile, stat } from 'node:fs/promises';
import { Agent, request } from 'undici';
import { DomainError } from '../../domain/errors.ts';
import { isOwnMachine } from '../../domain/own-machine.ts';
import { ConfigError, contentOf } from '../config/settings.ts';
import type { KeysConfig } from '../config/index.ts';
import { requirePrivate } from './private-file.ts';

type TransitConfig = KeysConfig['transit'];

/** Transit answered 400 or 404: the key does not exist, or the request is invalid. */
export class TransitRefusal extends Error {
  override readonly name = 'TransitRefusal';
  readonly status: 400 | 404;
  readonly noKey: boolean;

  constructor(status: 400 | 404, answer: string) {
    super(`the key service responds with ${status}`);
    this.status = status;
    this.noKey = status === 404 || /key not found/i.test(answer);
  }
}

export type AskTransit = Awaited<ReturnType<typeof transitClient>>;

const CONNECTIONS = 32;
const LARGEST_ANSWER = 8 * 1_048_576;

/**
 * Follows no redirects. Errors contain neither request nor response data.
 * @throws ConfigError if a configured file cannot be used, or keys would be sent unencrypted.
 */
export async function transitClient(config: TransitConfig) {
  const { url, mount, ca, timeoutMs } = config;
  refuseClear(url);
  const agent = new Agent({
    connect: { timeout: timeoutMs, ...(ca !== undefined && { ca: readAuthorities(ca) }) },
    connections: CONNECTIONS,
    maxResponseSize: LARGEST_ANSWER,
  });
  const token = await tokenOf(config.tokenFile);

  const send = async (method: 'GET' | 'POST', address: string, body: object | undefined, by: string) => {
    const answer = await request(address, {
      method,
      dispatcher: agent,
      headers: {
        'x-vault-token': by,
        'x-vault-request': 'true',
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  };

  /** `path` is relative to the engine. @returns the response's `data`. @throws TransitRefusal for 400 and 404. */
  return async (method: 'GET' | 'POST', path: readonly string[], body?: object) => {
    const address = [url, 'v1', ...[...mount.split('/'), ...path].map(encodeURIComponent)].join('/');
    try {
      const used = await token();
      const first = await send(method, address, body, used);
      if (first.status !== 403) return dataOf(first);
      const fresh = await token();
      return dataOf(fresh === used ? first : await send(method, address, body, fresh));
    } catch (error) {
      if (error instanceof TransitRefusal || error instanceof DomainError) throw error;
      throw unavailable(reasonOf(error));
    }
  };
}

function dataOf({ status, text }: { status: number; text: string }): Readonly<Record<string, unknown>> | undefined {
  if (status === 204) return undefined;
  if (status === 400 || status === 404) throw new TransitRefusal(status, text);
  if (status === 403) throw unavailable('it rejects the token of this service');
  if (status === 503) throw unavailable('it is sealed or in standby');
  if (status !== 200) throw unavailable(`it answers ${status}`);
  const data = parsed(text)?.data;
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : undefined;
}

function parsed(text: string): { data?: unknown } | null {
  try {
    return JSON.parse(text) as { data?: unknown } | null;
  } catch {
    throw unavailable('its response is not JSON');
  }
}

/** `reason` is a clause without a full stop. */
export function unavailable(reason: string): DomainError {
  return new DomainError('dependency-unavailable', `The key service cannot be used: ${reason}.`, {
    dependency: 'key service',
  });
}

/** Another program renews the token in the file. While the file is unusable, the last token is used. */
async function tokenOf(file: string): Promise<() => Promise<string>> {
  const read = async () => {
    const { mode } = await stat(file);
    requirePrivate('TRANSIT_TOKEN_FILE', file, mode);
    const text = (await readFile(file, 'utf8')).trim();
    if (!/^[\x21-\x7e]{1,4096}$/.test(text))
      throw new ConfigError(`TRANSIT_TOKEN_FILE names ${file}, which contains no token.`);
    return text;
  };
  let known = await read().catch((error: unknown) => {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`TRANSIT_TOKEN_FILE names ${file}, which cannot be read (${reasonOf(error)}).`);
  });
  return async () => {
    known = await read().catch(() => known);
    return known;
  };
}

function refuseClear(url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isOwnMachine(hostname)) return;
  throw new ConfigError(
    'TRANSIT_URL begins with http://, but the service sends content keys to it. Use https://. You can use http:// only for this machine.',
  );
}

function readAuthorities(file: string): string {
  const pem = contentOf('TRANSIT_CA', file);
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  throw new ConfigError(`TRANSIT_CA names ${file}, which contains no certificate.`);
}

/** Uses only the error's code, because a message might quote request data. */
function reasonOf(error: unknown): string {
  const { name, code } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return 'it does not respond in time';
  return typeof code === 'string' ? code : 'unknown error';
}
