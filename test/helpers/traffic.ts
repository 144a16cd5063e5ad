import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** One request to a bank's API, and its response. */
export interface Traffic {
  method: string;
  path: string;
  sent: { headers: ReadonlyMap<string, string>; body: string };
  status: number;
  answer: { headers: ReadonlyMap<string, string>; body: string };
}

interface Message {
  request: { method: string; path: string; headers: string[]; body: Buffer | string | null };
  response?: { statusCode: number; headers: Buffer[] };
  chunk?: Buffer;
}

/** Records what undici sends to paths that begin with `prefix`, and what it receives. */
export function recordTraffic(prefix: string) {
  const all = new Map<object, Traffic & { chunks: Buffer[] }>();
  const listeners: [string, (message: unknown) => void][] = [
    [
      'undici:request:create',
      (message) => {
        const { request } = message as Message;
        if (!request.path.startsWith(prefix)) return;
        const body = request.body?.toString() ?? '';
        const sent = { headers: pairsOf(request.headers), body };
        const answer = { headers: new Map<string, string>(), body: '' };
        all.set(request, { ...request, sent, status: 0, answer, chunks: [] });
      },
    ],
    [
      'undici:request:headers',
      (message) => {
        const { request, response } = message as Message;
        const known = all.get(request);
        if (known === undefined || response === undefined) return;
        known.status = response.statusCode;
        known.answer.headers = pairsOf(response.headers.map(String));
      },
    ],
    [
      'undici:request:bodyChunkReceived',
      (message) => {
        const { request, chunk } = message as Message;
        all.get(request)?.chunks.push(chunk!);
      },
    ],
  ];
  for (const [name, listener] of listeners) subscribe(name, listener);
  return {
    all: (): Traffic[] =>
      [...all.values()].map(({ chunks, answer, ...one }) => {
        return { ...one, answer: { ...answer, body: Buffer.concat(chunks).toString() } };
      }),
    stop() {
      for (const [name, listener] of listeners) unsubscribe(name, listener);
    },
  };
}

function pairsOf(flat: readonly string[]): Map<string, string> {
  const pairs = new Map<string, string>();
  for (let index = 0; index + 1 < flat.length; index += 2) pairs.set(flat[index]!.toLowerCase(), flat[index + 1]!);
  return pairs;
}
