import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type Client, type Credential } from '../../client/src/index.ts';
import { tlsFetch } from '../../client/src/node.ts';
import { OperatorError } from '../admin/errors.ts';
import type { Config } from '../../infra/config/index.ts';
import type { Movement } from '../sandbox-bank/store.ts';
import { approveAtBank } from './browser.ts';
import type { Teller } from './print.ts';

export type Api = Awaited<ReturnType<typeof openApi>>;

/** When `stopping` aborts, running and later requests fail. */
export async function openApi({ api, bank, dataDir }: Config, teller: Teller, stopping: AbortSignal) {
  const send = tlsFetch({ ca: await readAuthority(api.tls.ca), ...(await vaultClient(dataDir)) });
  const sendToBank = tlsFetch({ ca: await readAuthority(bank.tls.ca) });

  return {
    /** A `quiet` client does not print its requests. */
    clientFor(credential?: Credential, { quiet = false } = {}): Client {
      return createClient({
        baseUrl: api.publicUrl,
        ...(credential && { credential }),
        ...(credential && 'apiKey' in credential && { vaultKey: credential.apiKey }),
        retry: { attempts: 1 },
        async fetch(request) {
          if (!quiet) await printRequest(teller, request);
          return send(new Request(request, { signal: AbortSignal.any([request.signal, stopping]) }));
        },
      });
    },
    async movements(paymentId: string): Promise<Movement[]> {
      const url = `${bank.url}/sandbox/movements?payment_id=${encodeURIComponent(paymentId)}`;
      teller.asked(`GET ${url}`);
      const response = await sendToBank(new Request(url, { signal: stopping }));
      if (!response.ok)
        throw new OperatorError(
          `The sandbox bank responded with ${response.status} to a request for the money that it moved.`,
        );
      return ((await response.json()) as { items: Movement[] }).items;
    },
    /** In the browser of a person, who approves a connection at the sandbox bank. */
    async approve(journey: Parameters<typeof approveAtBank>[1]): Promise<void> {
      teller.asked(`GET ${new URL(journey.authoriseUrl).pathname}`, 'and the pages that follow');
      await approveAtBank(
        (request) =>
          (request.url.startsWith(`${bank.url}/`) ? sendToBank : send)(new Request(request, { signal: stopping })),
        journey,
      );
    },
    async credit(order: object): Promise<void> {
      const [url, body] = [`${bank.url}/sandbox/credits`, JSON.stringify(order)];
      teller.asked(`POST ${url}`, spaced(body));
      const headers = { 'content-type': 'application/json' };
      const { status } = await sendToBank(new Request(url, { method: 'POST', headers, body, signal: stopping }));
      if (status !== 201) throw new OperatorError(`The sandbox bank responded with ${status} to a credit.`);
    },
  };
}

async function printRequest(teller: Teller, request: Request): Promise<void> {
  const { method, headers } = request;
  const { pathname, search } = new URL(request.url);
  const [key, prefer, accept] = ['idempotency-key', 'prefer', 'accept'].map((name) => headers.get(name));
  const shown = [
    ...(key?.startsWith('demo-') ? [`  Idempotency-Key: ${key}`] : []),
    ...(prefer ? [`  Prefer: ${prefer}`] : []),
    ...(accept && accept !== 'application/json' ? [`  Accept: ${accept}`] : []),
  ];
  teller.asked(`${method} ${pathname}${search}${shown.join('')}`, await bodyOf(request.clone()));
}

async function bodyOf(request: Request): Promise<string | undefined> {
  if (request.headers.get('content-type')?.startsWith('multipart/')) {
    // The body has one small file, so memory is no concern.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const parts = [...(await request.formData())].map(([name, value]) =>
      typeof value === 'string'
        ? `${name}=${value}`
        : `${name}=@${value.name} (${value.size.toLocaleString('en-GB')} bytes)`,
    );
    return parts.join('  ');
  }
  const text = await request.text();
  return text === '' ? undefined : spaced(text);
}

/** Printed lines break at spaces, so the JSON gets spaces. */
function spaced(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 1).replace(/\n\s*/g, ' ');
}

async function vaultClient(dataDir: string): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  const read = (file: string) => readFile(join(dataDir, 'pki', file));
  const [cert, key] = await Promise.all([read('vault-client.crt'), read('vault-client.key')]).catch(() => []);
  return cert && key && { cert, key };
}

async function readAuthority(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => {
    throw new OperatorError(
      `The CA certificate ${file} cannot be read. The running stack might have been started with another RINGFENCE_DATA or TLS_CA.`,
    );
  });
}
