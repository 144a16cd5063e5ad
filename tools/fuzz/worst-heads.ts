import type { Contract, Operation } from '../../api/http/contract.ts';
import { FILLS, type WorstBody } from './worst-bodies.ts';

/** Node refuses more than 16 KiB of headers and request line together. */
const MOST_BYTES = 15_000;
/** Headers that the service reads for operations that do not declare them too. */
const ALWAYS = ['accept', 'content-type', 'cookie', 'origin', 'user-agent', 'x-request-id', 'traceparent'];
const SEPARATED = [',', ';', '=', '"', 'a=b; ', 'a;q=0.1, ', '"a", ', '/', '\t', ';a="', '%', 'wait=1, '];
const QUERIES = ['a&', 'a=1&', 'limit=1&', '%41', '%', '%C3%A9', '+', '=', 'a[b]=1&', 'cursor=A&'];

/** Requests without a body whose query or headers are as long as they may be. */
export function worstHeads({ operations }: Contract): { operation: Operation; body: WorstBody }[] {
  const reads = operations.filter(({ method, credential }) => method === 'GET' && credential === 'bearer');
  const firstWith = (name: string) => reads.find(({ headerNames }) => headerNames.includes(name));
  const declared = new Set(reads.flatMap(({ headerNames }) => headerNames));
  const headers = [...new Set([...ALWAYS, ...declared])].flatMap((name) => {
    const operation = firstWith(name) ?? reads.find(({ id }) => id === 'listPayments')!;
    return [...FILLS.filter((fill) => fill !== 'é'), ...SEPARATED].map((fill) => ({
      operation,
      body: { what: `${name} of ${JSON.stringify(fill)}`, more: { [name]: `a/b${filled(fill)}a` } },
    }));
  });
  const queries = reads
    .filter(({ queryNames }) => queryNames.size > 0)
    .flatMap((operation) =>
      QUERIES.map((fill) => ({ operation, body: { what: `a query of ${fill}`, query: `?${filled(fill)}` } })),
    );
  return [...headers, ...queries];
}

function filled(fill: string): string {
  return fill.repeat(Math.floor(MOST_BYTES / fill.length));
}
