import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type RequestHandler } from 'express';
import { error as validatorErrors } from 'express-openapi-validator';
import type { Operation } from '../contract.ts';

export async function warmUp(validator: RequestHandler, operations: readonly Operation[]): Promise<void> {
  const app = express().enable('case sensitive routing').enable('strict routing');
  app.use(validator);
  for (const { method, path, bodyTypes } of operations) {
    for (const verb of method === 'GET' ? ['GET', 'HEAD'] : [method])
      for (const type of [undefined, ...bodyTypes]) await send(app, verb, path, type);
  }
}

/** The validator may refuse the fake request, because the schemas are compiled by then. */
function send(app: express.Express, method: string, path: string, type: string | undefined): Promise<void> {
  const url = path.replace(/\{[^}]+\}/g, 'x');
  const headers = type === undefined ? {} : { 'content-type': type };
  const request = Object.assign(new IncomingMessage(new Socket()), { method, url, headers, body: {} });
  return new Promise((resolve, reject) => {
    app(request as express.Request, new ServerResponse(request) as express.Response, (error: unknown) => {
      if (error === undefined || error instanceof validatorErrors.BadRequest) resolve();
      else reject(new Error(`the schemas of ${method} ${path} cannot be compiled`, { cause: error }));
    });
  });
}
