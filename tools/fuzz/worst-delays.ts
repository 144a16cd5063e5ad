import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import type { Contract, Operation } from '../../api/http/contract.ts';
import { operationsWithBodies, worstBodies, type WorstBody } from './worst-bodies.ts';

export interface Target {
  url: string;
  metricsPort: number;
  pki: (file: string) => string;
  key: string;
  token: string;
}

export interface Sender {
  send(operation: Operation, body: WorstBody): Promise<number>;
  /** The API's longest event loop delay since the last call, in milliseconds. */
  longestDelay(): Promise<number>;
  close(): Promise<void>;
}

const VAULT_REF = 'vault:user_phone:01a201c7-2965-7700-9ff7-08f9f64d20c3';
/** Operations that people can call, but not API keys. */
const PERSONS: ReadonlySet<string> = new Set(['updateProfile', 'changePassword', 'sendVerificationMail']);

/** Sends each body with the kind of credential that the operation needs. */
export function senderTo({ url, metricsPort, pki, key, token }: Target): Sender {
  const read = (file: string) => readFileSync(pki(file));
  const client = { cert: read('vault-client.crt'), key: read('vault-client.key') };
  const dispatcher = new Agent({ connect: { ca: read('ca.crt'), ...client } });
  return {
    async send(operation, { type, text }) {
      const path = operation.path.replace('{vault_ref}', VAULT_REF).replace(/\{\w+\}/g, 'none');
      const bearer = PERSONS.has(operation.id) ? token : key;
      const credential =
        operation.credential === 'vault' ? { 'x-vault-api-key': key } : { authorization: `Bearer ${bearer}` };
      const headers = { 'content-type': type, ...(operation.scopes === 'public' ? {} : credential) };
      const { statusCode, body } = await request(`${url}${path}`, {
        method: operation.method,
        dispatcher,
        headers,
        body: text,
      });
      await body.dump();
      return statusCode;
    },
    async longestDelay() {
      const { body } = await request(`http://127.0.0.1:${metricsPort}/metrics`);
      const found = /^nodejs_eventloop_lag_max_seconds(?:\{.*\})? (\S+)$/m.exec(await body.text());
      return Number(found![1]) * 1_000;
    },
    close: () => dispatcher.close(),
  };
}

export interface Case {
  operation: Operation;
  body: WorstBody;
}

export function worstCases(contract: Contract): Case[] {
  return operationsWithBodies(contract).flatMap((operation) =>
    worstBodies(contract, operation).map((body) => ({ operation, body })),
  );
}

/** The delay is in milliseconds. */
export async function delayOf(sender: Sender, { operation, body }: Case): Promise<{ status: number; delay: number }> {
  const status = await sender.send(operation, body);
  return { status, delay: await sender.longestDelay() };
}
