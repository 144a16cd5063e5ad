import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type express from 'express';
import { middleware } from 'express-openapi-validator';
import { readContract, type Node } from '../../api/http/contract.ts';

const VALIDATED = '/api/v1/allocations/allocate';
const ALLOCATION = {
  allocation_id: 'alloc_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11',
  user_id: 'bench-1',
  vault_id: 'vlt_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c12',
  vault_type: 'SAVINGS',
  amount: 1,
  available: 1,
  label: 'rainy day',
  safe_to_spend_remaining: 1_000_000,
  created_at: '2026-01-01T00:00:00.000Z',
};

/** Adds routes that take a JSON body or a form with a file, and do nothing. */
export function addExpress(app: express.Express): void {
  app.post('/express', (_, response) => {
    response.status(201).json(ALLOCATION);
  });
  app.post('/upload', async (request, response) => {
    let bytes = 0;
    const parser = new Busboy({ headers: request.headers as BusboyHeaders });
    parser.on('file', (_, stream) => stream.on('data', (chunk: Buffer) => (bytes += chunk.length)));
    await new Promise((resolve, reject) => request.pipe(parser).on('finish', resolve).on('error', reject));
    response.status(202).json({ bytes });
  });
}

/** Validates one operation, as strictly as the service. Call last, because the validator checks every later request. */
export function addValidator(app: express.Express): void {
  const { document } = readContract();
  const paths = { [VALIDATED]: (document.paths as Node)[VALIDATED] };
  app.use(
    middleware({
      apiSpec: { ...document, paths } as never,
      validateApiSpec: false,
      validateSecurity: false,
      validateRequests: { allErrors: true },
      validateResponses: { allErrors: true },
      ajvFormats: { mode: 'full' },
    }),
  );
  app.post(VALIDATED, (_, response) => {
    response.status(201).json(ALLOCATION);
  });
}
