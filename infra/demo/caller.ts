import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, FormData, request as send } from 'undici';
import type { operations } from '../../openapi/types.ts';
import type { Config } from '../config.ts';
import { DemoError } from './expect.ts';
import type { Teller } from './print.ts';

type OperationId = keyof operations;
type Responses<Op extends OperationId> = operations[Op]['responses'];
type JsonOf<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type BodyOf<Op extends OperationId> = operations[Op] extends { requestBody?: infer Body }
  ? JsonOf<Exclude<Body, undefined>>
  : never;

/** A request of the story. The operation gives the types of the request body and the response. */
export interface Asked<Op extends OperationId, Status extends keyof Responses<Op>> {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** The response status that the story expects. */
  expect: Status;
  body?: BodyOf<Op>;
  /** The fields and the file of a form, instead of a body. */
  form?: { fields: Readonly<Record<string, string>>; file: { name: string; bytes: Uint8Array<ArrayBuffer> } };
  /** An API key to use instead of the access token. The PII vault also needs a client certificate. */
  key?: string;
  headers?: Readonly<Record<string, string>>;
  /** Does not print the request, for example while polling. */
  quiet?: boolean;
}

export interface Answer<Body> {
  body: Body;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A movement of money in the sandbox bank's list; `amount` is in pence. */
export interface Movement {
  payment_id: string;
  attempt: number;
  provider_id: string;
  amount: number;
  direction: 'out' | 'returned';
  at: string;
}

/** Sends the story's requests over HTTPS, with the certificates that any other caller would use. */
export interface Caller {
  /** Later requests carry this access token. */
  signedInWith(token: string): void;
  /** @throws DemoError if the response has another status than expected. */
  call<Op extends OperationId, Status extends keyof Responses<Op>>(
    operation: Op,
    asked: Asked<Op, Status>,
  ): Promise<Answer<JsonOf<Responses<Op>[Status]>>>;
  /** Downloads a response that is not JSON. @throws DemoError if the response's status is not 200. */
  download(path: string, accept: string): Promise<{ bytes: Uint8Array; headers: Answer<unknown>['headers'] }>;
  /** Checks, without printing, that the service is ready. @throws DemoError if the service is not ready. */
  ready(): Promise<void>;
  /** The movements of money that the sandbox bank recorded for a payment. */
  movements(paymentId: string): Promise<Movement[]>;
  close(): Promise<void>;
}

const ANSWER_WITHIN_MS = 60_000;

/**
 * When `stopping` aborts, the running request fails, and so do all later requests.
 * @throws DemoError if the certificate of the authority cannot be read.
 */
export async function createCaller(config: Config, teller: Teller, stopping: AbortSignal): Promise<Caller> {
  const agentFor = async (file: string) =>
    new Agent({ connect: { ca: await readAuthority(file) }, headersTimeout: ANSWER_WITHIN_MS });
  const [api, bank] = [await agentFor(config.api.tls.ca), await agentFor(config.bank.tls.ca)];
  const vault = new Agent({ connect: { ca: await readAuthority(config.api.tls.ca), ...(await vaultClient(config)) } });
  let token: string | undefined;

  return {
    signedInWith(given) {
      token = given;
    },
    async call(_operation, { method, path, expect, key, form, headers = {}, quiet = false, ...asked }) {
      const atVault = path.startsWith('/api/v1/vault/');
      const body: unknown = asked.body;
      const text = body === undefined ? undefined : JSON.stringify(body);
      const shown = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`);
      const told = form === undefined ? text && readable(body) : toldOf(form);
      if (!quiet) teller.asked(`${method} ${path}${shown.join('')}`, told);
      const answer = await ask(`${config.api.publicUrl}${path}`, {
        signal: stopping,
        method,
        dispatcher: atVault ? vault : api,
        headers: {
          'X-Request-Id': `demo-${randomUUID()}`,
          ...credential(key ?? token, atVault),
          ...(text !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        body: form === undefined ? text : formData(form),
      });
      if (answer.status !== expect)
        throw new DemoError(`${method} ${path} answered ${refusal(answer)} instead of ${String(expect)}.`);
      return { body: answer.body as never, headers: answer.headers };
    },
    async download(path, accept) {
      teller.asked(`GET ${path}  Accept: ${accept}`);
      const headers = { ...credential(token, false), Accept: accept };
      const answer = await ask(`${config.api.publicUrl}${path}`, {
        signal: stopping,
        method: 'GET',
        dispatcher: api,
        headers,
      });
      if (answer.status !== 200)
        throw new DemoError(`GET ${path} answered ${refusal({ ...answer, body: answer.bytes })} instead of 200.`);
      return answer;
    },
    async ready() {
      const answer = await ask(`${config.api.publicUrl}/readyz`, { method: 'GET', dispatcher: api, signal: stopping });
      if (answer.status !== 200)
        throw new DemoError(`The service is not ready: it answered ${refusal(answer)} to GET /readyz.`);
    },
    async movements(paymentId) {
      const url = `${config.bank.url}/sandbox/movements?payment_id=${encodeURIComponent(paymentId)}`;
      teller.asked(`GET ${url}`);
      const answer = await ask(url, { method: 'GET', dispatcher: bank, signal: stopping });
      if (answer.status !== 200)
        throw new DemoError(`The sandbox bank answered ${answer.status} when asked what it moved.`);
      return (answer.body as { items: Movement[] }).items;
    },
    async close() {
      await Promise.all([api, bank, vault].map((agent) => agent.destroy()));
    },
  };
}

type Form = NonNullable<Asked<OperationId, never>['form']>;

function formData({ fields, file }: Form): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new File([file.bytes], file.name));
  return form;
}

function toldOf({ fields, file }: Form): string {
  const parts = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  return [...parts, `file=@${file.name} (${file.bytes.length.toLocaleString('en-GB')} bytes)`].join('  ');
}

function credential(credential: string | undefined, atVault: boolean): Record<string, string> {
  if (credential === undefined) return {};
  return atVault ? { 'X-Vault-API-Key': credential } : { Authorization: `Bearer ${credential}` };
}

/** Reads the client certificate for the vault that a local stack created, if any. */
async function vaultClient({ dataDir }: Config): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  const read = (file: string) => readFile(join(dataDir, 'pki', file));
  const [cert, key] = await Promise.all([read('vault-client.crt'), read('vault-client.key')]).catch(() => []);
  return cert && key && { cert, key };
}

async function readAuthority(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => {
    throw new DemoError(
      `The certificate authority ${file} cannot be read. The running stack was started with another RINGFENCE_DATA or TLS_CA.`,
    );
  });
}

async function ask(url: string, options: Parameters<typeof send>[1]) {
  try {
    const { statusCode, headers, body } = await send(url, options);
    const bytes = await body.bytes();
    const text = new TextDecoder().decode(bytes);
    const isJson = String(headers['content-type']).includes('json');
    return { status: statusCode, headers, bytes, body: (isJson && text !== '' ? JSON.parse(text) : text) as unknown };
  } catch (error) {
    throw new DemoError(noAnswer(new URL(url).origin, error));
  }
}

function noAnswer(origin: string, error: unknown): string {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (/SSL|CERT|SIGNATURE/.test(code)) {
    return `A program answers at ${origin}, but not with a certificate of this stack (${code}). It may be another program, or a stack with another RINGFENCE_DATA.`;
  }
  return `${origin} gave no answer (${code || message.split('\n', 1).join('')}); the logs of the stack are in logs/ of its data directory.`;
}

/** Turns a problem document into part of a sentence. */
function refusal({
  status,
  headers,
  body,
}: {
  status: number;
  headers: Answer<unknown>['headers'];
  body: unknown;
}): string {
  const { code, detail } = (typeof body === 'object' && body !== null ? body : {}) as {
    code?: string;
    detail?: string;
  };
  const what = code === undefined ? '' : ` ${code} ("${detail ?? ''}")`;
  return `${status}${what}, request ${String(headers['x-request-id'])},`;
}

/** Formats JSON with spaces, where the printer can break lines. */
function readable(body: unknown): string {
  return JSON.stringify(body, null, 1).replace(/\n\s*/g, ' ');
}
