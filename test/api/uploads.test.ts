import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { startApi } from '../helpers/api.ts';
import { formOf, pdfOf } from '../helpers/reading.ts';
import { until } from '../helpers/until.ts';

const BEGINNING = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7';
const BYTES = 200_000;
const UPLOAD = '/api/v1/legacy/payslip/upload';
const api = startApi({ env: { UPLOADS_AT_ONCE: '1' } });

const upload = async ({ userId, token }: { userId: string; token: string }) => {
  const form = await formOf([
    ['file', await pdfOf()],
    ['user_id', userId],
  ]);
  return api.post(UPLOAD, { token, body: form.body, headers: { ...form.headers, prefer: 'respond-async' } });
};

test('a half-sent upload that holds the last place gets 503 after five seconds, and another is stored', async () => {
  const [slow, other] = [await api.registerUser(), await api.registerUser()];
  const agent = new Agent({ ca: await readFile(api.services.config.api.tls.ca), keepAlive: true, maxSockets: 1 });
  const headers = {
    authorization: `Bearer ${slow.token}`,
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': String(BYTES),
  };
  const half = httpsRequest(`${api.url}${UPLOAD}`, { method: 'POST', agent, headers });
  half.write(BEGINNING);
  const answered = once(half, 'response') as Promise<[IncomingMessage]>;
  await until(() => (half.socket?.bytesWritten ?? 0) > 0, 'the half-sent upload');
  expect((await upload(other)).status).toBe(202);
  const [answer] = await answered;
  const problem = JSON.parse((await buffer(answer)).toString()) as unknown;
  expect(problem).toMatchObject({ status: 503, code: 'dependency-unavailable', dependency: 'memory', retry_after: 5 });
  // The rest of the body is drained, so that the connection can serve the next request.
  const connection = half.socket;
  half.end(Buffer.alloc(BYTES - BEGINNING.length));
  const next = httpsRequest(`${api.url}/livez`, { agent });
  next.end();
  const [alive] = (await once(next, 'response')) as [IncomingMessage];
  alive.resume();
  expect([alive.statusCode, next.socket === connection]).toEqual([200, true]);
  agent.destroy();
});
