import { writeFile } from 'node:fs/promises';
import { resolve, readContract, type Node, type Operation } from '../../api/http/contract.ts';
import { PROBLEMS } from '../../api/http/reply/problem.ts';

/*
 * Generates the client's table of operations, methods and problem codes, and the service's list of public operations.
 * The output is committed.
 */

const SRC = new URL('../../client/src/', import.meta.url);
const HEAD = '// Generated from the contract by tools/contract/client.ts. Run `npm run generate` to update it.\n';

/** Requests that a client may safely repeat without an Idempotency-Key, besides those that only read. */
const REPEATABLE = new Set([
  'refreshTokens',
  'revokeToken',
  'introspectToken',
  'simulatePaycheck',
  'simulateDebts',
  'forecastYield',
  'verifyPresentedCredential',
  'batchRetrieveVaultRecords',
  'renameVault',
  'closeVault',
  'closeDebtPlan',
  'renameProvider',
  'removeProvider',
]);

const { document, operations } = readContract();
const callable = operations.filter((operation) => !isForBrowsers(operation));

await Promise.all([
  writeFile(new URL('operations.ts', SRC), operationsModule()),
  writeFile(new URL('methods.ts', SRC), methodsModule()),
  writeFile(new URL('codes.ts', SRC), codesModule()),
  writeFile(new URL('../../openapi/public-operations.ts', import.meta.url), publicModule()),
]);

function isForBrowsers({ errors, responses }: Operation): boolean {
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const isJson = good.some(([status, answer]) => status === '204' || 'application/json' in contentOf(answer));
  return errors === 'page' && !isJson;
}

function contentOf(answer: unknown): Node {
  return (resolve(document, answer).content ?? {}) as Node;
}

function entryOf(operation: Operation) {
  const { id, method, path, scopes, credential, idempotent, bodyTypes, form, responses, headerNames } = operation;
  const media = Object.entries(responses).flatMap(([status, answer]) =>
    status.startsWith('2') ? Object.keys(contentOf(answer)) : [],
  );
  return {
    method: method.toLowerCase(),
    path,
    credential: scopes === 'public' ? 'none' : credential,
    idempotent,
    repeatable: method === 'GET' || idempotent || REPEATABLE.has(id),
    body: form !== undefined ? 'form' : bodyTypes.length > 0 ? 'json' : 'none',
    media: [...new Set(media)],
    waits: headerNames.includes('prefer'),
  };
}

function operationsModule(): string {
  const entries = callable.map((operation) => `  ${operation.id}: ${JSON.stringify(entryOf(operation))},`);
  return `${HEAD}
/** What the client needs to know to call each operation. */
export const OPERATIONS = {
${entries.join('\n')}
} as const;

/** An operation that a program can call. */
export type OperationName = keyof typeof OPERATIONS;
`;
}

function methodsModule(): string {
  const methods = callable.map((operation) => {
    const { summary, description = '' } = operation.node as { summary: string; description?: string };
    const scope = Array.isArray(operation.scopes)
      ? `Scope: \`${operation.scopes.join('` or `')}\`.`
      : operation.scopes === 'public'
        ? 'Needs no credential.'
        : 'Any credential will do.';
    const text = [
      summary,
      '',
      ...description.trim().split('\n'),
      '',
      `${scope} \`${operation.method} ${operation.path}\``,
    ];
    const comment = text.map((line) => ` * ${line.replaceAll('*/', '*\\/')}`.trimEnd()).join('\n   ');
    return `  /**\n   ${comment}\n   */\n  ${operation.id}: Method<'${operation.id}'>;`;
  });
  return `${HEAD}
import type { Method } from './call.ts';

/** One method for each operation that a program can call. */
export interface Methods {
${methods.join('\n\n')}
}
`;
}

function codesModule(): string {
  return `${HEAD}
/** Every code that a problem document of this version of the service may have. */
export type ProblemCode =
${Object.keys(PROBLEMS)
  .sort()
  .map((code) => `  | '${code}'`)
  .join('\n')};
`;
}

function publicModule(): string {
  const ids = operations.filter(({ scopes }) => scopes === 'public').map(({ id }) => `  | '${id}'`);
  return `${HEAD}
/** The operations that need no credential: their \`x-scope\` is \`public\`. */
export type PublicOperation =
${ids.join('\n')};
`;
}
