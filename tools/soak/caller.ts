import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, FormData, request } from 'undici';
import type { FaultStack } from '../../test/helpers/faults.ts';

export interface Ask {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: object | FormData;
  /** Any other status is wrong. */
  expect: readonly number[];
}

export interface Told {
  count: number;
  ms: number[];
}

export interface Caller {
  /** The request is counted under `what`. @throws for an unexpected status. */
  ask<Body>(what: string, ask: Ask): Promise<Body>;
  readonly told: ReadonlyMap<string, Told>;
  /** Unexpected statuses and broken connections. */
  readonly wrongs: readonly string[];
  close(): Promise<void>;
}

/** Sends requests with the vault client's certificate. */
export function openCaller(stack: FaultStack): Caller {
  const pki = (file: string) => readFileSync(join(stack.env.RINGFENCE_DATA!, 'pki', file));
  const tls = { ca: pki('ca.crt'), cert: pki('vault-client.crt'), key: pki('vault-client.key') };
  const agent = new Agent({ connect: tls, connections: 32 });
  const told = new Map<string, Told>();
  const wrongs: string[] = [];
  return {
    told,
    wrongs,
    async ask<Body>(what: string, { method, path, headers = {}, body, expect }: Ask) {
      const begun = performance.now();
      const isForm = body instanceof FormData;
      const type = body === undefined || isForm ? {} : { 'content-type': 'application/json' };
      const sent = body === undefined ? null : isForm ? body : JSON.stringify(body);
      const options = { method, headers: { ...type, ...headers }, body: sent, dispatcher: agent };
      let status: number;
      let text: string;
      try {
        const answer = await request(new URL(path, stack.url), { ...options, headersTimeout: 60_000 });
        status = answer.statusCode;
        text = await answer.body.text();
      } catch (error) {
        wrongs.push(`${what}: ${String(error)}`);
        throw error;
      }
      const one = told.get(what) ?? { count: 0, ms: [] };
      told.set(what, one);
      one.count += 1;
      one.ms.push(performance.now() - begun);
      if (!expect.includes(status)) {
        wrongs.push(`${what}: ${status} ${text.slice(0, 300)}`);
        throw new Error(`${what} was answered with ${status}`);
      }
      return (/^[[{]/.test(text) ? JSON.parse(text) : text) as Body;
    },
    close: () => agent.destroy(),
  };
}
