import type { RequestHandler } from 'express';
import { randomUUID } from 'node:crypto';

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

export const requestId: RequestHandler = ({ headers }, response, next) => {
  const given = headers['x-request-id'];
  const id = typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID();
  response.locals.requestId = id;
  response.locals.startedAt = performance.now();
  response.setHeader('X-Request-Id', id);
  next();
};
