import { createHash } from 'node:crypto';
import { operationsActivities } from '../activities/operations.ts';
import { DomainError } from '../domain/errors.ts';
import type { Services } from '../infra/services.ts';
import type { HandlersOf } from './http/operations.ts';
import { pageHeaders, type HtmlPage } from './pages/layout.ts';
import { problemList, problemPages } from './pages/problems.ts';

type ServiceOperation = 'checkLive' | 'checkReady' | 'readContract' | 'listProblems' | 'explainProblem';

export const operationsHandlers = (
  services: Services,
  contract: Readonly<Record<string, unknown>>,
  isStopping: () => boolean,
): HandlersOf<ServiceOperation> => {
  const operations = operationsActivities(services);
  const etag = `"${createHash('sha256').update(JSON.stringify(contract)).digest('base64url')}"`;
  return {
    checkLive: () => Promise.resolve({ status: 200, body: { status: 'live' } }),
    async checkReady() {
      if (isStopping())
        throw new DomainError('dependency-unavailable', 'This process is stopping.', { dependency: 'api' });
      return { status: 200, body: await operations.checkReady() };
    },
    readContract: () =>
      Promise.resolve({ status: 200, body: contract, headers: { 'Cache-Control': 'no-cache', ETag: etag } }),
    listProblems: () => Promise.resolve(htmlReply(problemList)),
    explainProblem({ params }) {
      const page = problemPages.get(params.code);
      if (page === undefined)
        return Promise.reject(
          new DomainError('not-found', 'No error has this code. The page /problems lists all error codes.'),
        );
      return Promise.resolve(htmlReply(page));
    },
  };
};

function htmlReply(page: HtmlPage) {
  const headers = { ...pageHeaders(page), 'Cache-Control': 'max-age=3600' };
  return { status: 200 as const, contentType: 'text/html' as const, raw: page.html, headers };
}
