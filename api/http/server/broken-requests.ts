import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { DomainError, type ErrorCode } from '../../../domain/errors.ts';
import { escapeHtml, messagePage, pageHeaders } from '../../pages/layout.ts';
import { isLingering, lingerAndClose } from '../request/drain.ts';
import { problemOf } from '../reply/problem-document.ts';
import { PROBLEMS } from '../reply/problem.ts';
import type { RequestWatch } from './watch.ts';

const NO_HTTP: [ErrorCode, string] = ['invalid-request', 'The request is not valid HTTP (RFC 9112).'];
const LATE: [ErrorCode, string] = [
  'request-timeout',
  'The whole request did not arrive in time. Send the request again.',
];
const BROKEN: Readonly<Record<string, [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    'headers-too-large',
    'The headers and the URL together are larger than the limit of 16 KiB. Send fewer or shorter headers.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: LATE,
};

/** Responds to requests that the application cannot read, such as invalid HTTP. */
export function brokenRequests(watch: Pick<RequestWatch, 'refused' | 'unread'>) {
  const latest = new WeakMap<Socket, ServerResponse>();
  const answerBy = (response: ServerResponse, path: string, [code, detail]: [ErrorCode, string]) => {
    const requestId = String(response.getHeader('X-Request-Id') ?? randomUUID());
    const { status, headers, body } = brokenAnswer(code, detail, { path, requestId });
    watch.refused(code);
    response.writeHead(status, headers).end(body);
  };
  const answerRaw = (socket: Socket, [code, detail]: [ErrorCode, string], answer?: BrokenAnswer) => {
    const { status, headers, body } = answer ?? brokenAnswer(code, detail, { path: '/', requestId: randomUUID() });
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.write([`HTTP/1.1 ${status} Refused`, ...head, '', body].join('\r\n'));
    lingerAndClose(socket);
    watch.refused(code);
    watch.unread(status);
  };
  const answerLatest = (response: ServerResponse, socket: Socket, fault: [ErrorCode, string]) => {
    if (response.headersSent) lingerAndClose(socket);
    else answerBy(response, (response.req.url ?? '/').split('?', 1)[0]!, fault);
  };
  return {
    /** Remembers the request, because its body might turn out to be malformed. */
    began(request: IncomingMessage, response: ServerResponse) {
      latest.set(request.socket, response);
    },
    answer(error: NodeJS.ErrnoException, socket: Socket) {
      // Node emits this event again for each further piece of a malformed request.
      if (isLingering(socket)) return;
      if (error.code === 'ECONNRESET' || error.code?.startsWith('ERR_SSL_') || !socket.writable) {
        socket.destroy();
        return;
      }
      const fault = BROKEN[error.code ?? ''] ?? NO_HTTP;
      const response = latest.get(socket);
      if (response !== undefined && !response.req.complete) {
        answerLatest(response, socket, fault);
        return;
      }
      answerRaw(socket, fault);
    },
    /** The body has not arrived in time. Does nothing if another server has the connection. */
    late(socket: Socket) {
      const response = latest.get(socket);
      if (response !== undefined && !isLingering(socket)) answerLatest(response, socket, LATE);
    },
    answerWithoutHost(response: ServerResponse) {
      answerBy(response, '/', NO_HTTP);
      watch.unread(response.statusCode);
    },
    answerPlain(socket: Socket, url: string): void {
      const head = (socket.read() as Buffer | null)?.toString('latin1', 0, LONGEST_HEAD) ?? '';
      const fault: [ErrorCode, string] = ['invalid-request', `This port accepts only HTTPS. Use ${url}.`];
      answerRaw(socket, fault, IN_BROWSER.test(head) ? onlyHttpsPage(url) : undefined);
      // Discards the rest of the client's data.
      socket.resume();
    },
  };
}

const LONGEST_HEAD = 16 * 1_024;
/** The beginning of a request for a page. Clients of the API do not name this type. */
const IN_BROWSER = /^GET [^]*\naccept:[^\n]*\btext\/html\b/i;

/** `Host` must appear once (RFC 9112, 3.2). HTTP/1.0 also allows a request without `Host`. */
export function namesItsHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  // Node's `headers` would keep only the first `Host`.
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.length === 4 && rawHeaders[index]!.toLowerCase() === 'host') hosts += 1;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

function brokenAnswer(code: ErrorCode, detail: string, instance: { path: string; requestId: string }) {
  const body = JSON.stringify(problemOf(new DomainError(code, detail), instance));
  return lastAnswer(code, 'application/problem+json', body, instance.requestId);
}

type BrokenAnswer = ReturnType<typeof lastAnswer>;

function onlyHttpsPage(url: string): BrokenAnswer {
  const address = escapeHtml(url);
  const page = messagePage(
    'This address needs https',
    `<p>The service accepts only encrypted connections.</p>
<p class="beside"><a href="${address}">Open ${address}</a></p>
<p class="fine">Error 400 <code>invalid-request</code></p>`,
  );
  const answer = lastAnswer('invalid-request', 'text/html; charset=utf-8', page.html, randomUUID());
  return { ...answer, headers: { ...answer.headers, ...pageHeaders(page), Vary: 'Accept' } };
}

function lastAnswer(code: ErrorCode, type: string, body: string, requestId: string) {
  const headers: Record<string, string | number> = {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { status: PROBLEMS[code].status, headers, body };
}
