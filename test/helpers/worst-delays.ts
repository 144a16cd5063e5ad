import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import type { Contract, Operation } from '../../api/http/contract.ts';
import { operationsWithBodies, worstBodies, type WorstBody } from './worst-bodies.ts';

/** An API, where it tells its metrics, and who sends it bodies: a key and a person's token of every scope. */
export interface Target {
  url: string;
  metricsPort: number;
  pki: (file: string) => string;
  key: string;
  token: string;
}

/** What sends bodies to an API, and asks how long it stood still. */
export interface Sender {
  /** Sends a body as a caller of the operation would. @returns the status of the answer. */
  send(operation: Operation, body: WorstBody): Promise<number>;
  /** The longest delay of the API's event loop since it was last asked, in milliseconds. */
  longestDelay(): Promise<number>;
  close(): Promise<void>;
}

const VAULT_REF = 'vault:user_phone:01a201c7-2965-7700-9ff7-08f9f64d20c3';
/** A person's own, or what only persons do, is not for a key. */
const PERSONS: ReadonlySet<string> = new Set(['updateProfile', 'changePassword', 'sendVerificationMail']);

/** Sends bodies to an API with every credential that there is. */
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

/** A worst body of an operation. */
export interface Case {
  operation: Operation;
  body: WorstBody;
}

/** The worst bodies of all operations of the contract. */
export function worstCases(contract: Contract): Case[] {
  return operationsWithBodies(contract).flatMap((operation) =>
    worstBodies(contract, operation).map((body) => ({ operation, body })),
  );
}

/** Sends a body. @returns the status of the answer, and how long the API stood still meanwhile. */
export async function delayOf(sender: Sender, { operation, body }: Case): Promise<{ status: number; delay: number }> {
  const status = await sender.send(operation, body);
  return { status, delay: await sender.longestDelay() };
}
