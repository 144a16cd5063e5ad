import { getCACertificates } from 'node:tls';
import type { CustomFetch } from 'openid-client';
import type { Agent, RequestInit } from 'undici';
import { isOwnMachine } from '../../domain/own-machine.ts';
import { contentOf } from '../config/settings.ts';

const CONNECT_MS = 5_000;
const LARGEST_ANSWER_BYTES = 1_048_576;

/** Trusts Node's default certificate authorities and those in the PEM file. */
export function openTransport(caFile: string | undefined) {
  const ca = caFile === undefined ? undefined : [...getCACertificates('default'), contentOf('SIGN_IN_CA', caFile)];
  let agent: Agent | undefined;
  const checkedFetch: CustomFetch = async (url, options) => {
    if (!isSafe(new URL(url)))
      throw new TypeError('the URL of a provider must begin with https://, or with http:// on this machine');
    // Loads undici with the first request, because many processes call no provider.
    const { Agent, fetch } = await import('undici');
    agent ??= new Agent({ connect: { ca, timeout: CONNECT_MS }, maxResponseSize: LARGEST_ANSWER_BYTES });
    return fetch(url, { ...(options as RequestInit), dispatcher: agent });
  };
  return { fetch: checkedFetch, close: async () => agent?.destroy() };
}

export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isOwnMachine(hostname));
}
