import { checkReady } from '../activities/readiness.ts';
import { DomainError } from '../domain/errors.ts';
import type { Services } from '../infra/services.ts';
import { contractTexts } from './contract-texts.ts';
import type { Module } from './http/handlers.ts';
import { problemList, problemPages } from './pages/problems.ts';
import { pageReply } from './pages/reply.ts';

const CACHED = { 'Cache-Control': 'max-age=3600' };

export const serviceHandlers = (
  services: Services,
  contract: Readonly<Record<string, unknown>>,
  isStopping: () => boolean,
) => {
  const textFor = contractTexts(contract);
  return {
    checkLive: () => Promise.resolve({ status: 200, body: { status: 'live' } }),
    async checkReady() {
      if (isStopping())
        throw new DomainError('dependency-unavailable', 'This process is stopping.', { dependency: 'api' });
      const ready = await checkReady(services);
      const isRestoring = services.restoring.now() !== undefined;
      return { status: 200, body: { ...ready, ...(isRestoring && { restoring: true }) } };
    },
    async readContract({ headers: { 'accept-encoding': accepted } }) {
      const { bytes, headers } = await textFor(accepted);
      return { status: 200, body: bytes, headers };
    },
    listProblems: () => Promise.resolve(pageReply(200, problemList, CACHED)),
    explainProblem({ params }) {
      const page = problemPages.get(params.code);
      if (page === undefined)
        return Promise.reject(
          new DomainError('not-found', 'No error has this code. The page /problems lists all error codes.'),
        );
      return Promise.resolve(pageReply(200, page, CACHED));
    },
  } satisfies Module;
};
