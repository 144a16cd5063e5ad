import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Contract, Operation } from '../../api/http/contract.ts';
import { operationsWithBodies, worstBodies, type WorstBody } from './worst-bodies.ts';
import { worstHeads } from './worst-heads.ts';

export interface Target {
  url: string;
  /** The API's longest event loop delay since the last call, in milliseconds. */
  longestDelay: () => Promise<number>;
  pki: (file: string) => string;
  key: string;
  token: string;
}

export interface Sender {
  send(operation: Operation, body: WorstBody): Promise<number>;
  longestDelay(): Promise<number>;
  close(): Promise<void>;
}

const VAULT_REF = 'vault:user_phone:01a201c7-2965-7700-9ff7-08f9f64d20c3';
/** Operations that people can call, but not API keys. */
const PERSONS: ReadonlySet<string> = new Set(['updateProfile', 'changePassword', 'sendVerificationMail']);

/** Sends each body with the kind of credential that the operation needs. */
export function senderTo({ url, longestDelay, pki, key, token }: Target): Sender {
  const read = (file: string) => readFileSync(pki(file));
  const client = { cert: read('vault-client.crt'), key: read('vault-client.key') };
  const dispatcher = new Agent({ connect: { ca: read('ca.crt'), ...client } });
  return {
    async send(operation, { type, text, query = '', more = {} }) {
      const path = operation.path.replace('{vault_ref}', VAULT_REF).replace(/\{\w+\}/g, 'none');
      const bearer = PERSONS.has(operation.id) ? token : key;
      const credential =
        operation.credential === 'vault' ? { 'x-vault-api-key': key } : { authorization: `Bearer ${bearer}` };
      const content = type === undefined ? {} : { 'content-type': type };
      const headers = { ...content, ...(operation.scopes === 'public' ? {} : credential), ...more };
      const { statusCode, body } = await request(`${url}${path}${query}`, {
        method: operation.method,
        dispatcher,
        headers,
        ...(text !== undefined && { body: text }),
      });
      await body.dump();
      return statusCode;
    },
    longestDelay,
    close: () => dispatcher.close(),
  };
}

/** Node drops the first sample after a reset, and the metric has one every 10 ms. */
const NEXT_SAMPLE_MS = 25;

export async function delayInMetrics(port: number): Promise<number> {
  const { body } = await request(`http://127.0.0.1:${port}/metrics`);
  const found = /^nodejs_eventloop_lag_max_seconds(?:\{.*\})? (\S+)$/m.exec(await body.text());
  await sleep(NEXT_SAMPLE_MS);
  return Number(found![1]) * 1_000;
}

export interface Case {
  operation: Operation;
  body: WorstBody;
}

export function worstCases(contract: Contract): Case[] {
  const bodies = operationsWithBodies(contract).flatMap((operation) =>
    worstBodies(contract, operation).map((body) => ({ operation, body })),
  );
  return [...bodies, ...worstHeads(contract)];
}

/** The delay is in milliseconds. */
export async function delayOf(sender: Sender, { operation, body }: Case): Promise<{ status: number; delay: number }> {
  const status = await sender.send(operation, body);
  return { status, delay: await sender.longestDelay() };
}
