import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import getRawBody from 'raw-body';
import { signMessage, type Signer } from './signing.ts';

/** `code` is an OBExternalStatusReason1Code, and `path` names the faulty field. */
export interface Fault {
  code: string;
  message: string;
  path?: string;
}

/** Where the standard puts its resources: by group, but for events. */
const STANDARD = /^\/open-banking\/v4\.0(?:\/aisp(?=\/account)|\/pisp(?=\/domestic)|(?=\/events$))/;
const LARGEST_BODY_BYTES = 262_144;

export interface BankExchange {
  method: string;
  /** Where the client found the resources, such as `https://localhost:8451/open-banking/v4.0/pisp`. */
  base: string;
  /** Its path begins after `base`. */
  url: URL;
  body: Buffer;
  header: (name: string) => string | undefined;
  /** Its thumbprint `x5t#S256`. Null unless the client sent a certificate that the bank's CA issued. */
  clientCertificate: string | null;
  /** Aborts when the client disconnects or the bank shuts down. */
  gone: AbortSignal;
  answer: (status: number, body: object | null, headers?: Record<string, string>) => void;
  answerSigned: (status: number, body: object, headers?: Record<string, string>) => Promise<void>;
  /** Sends a signed OBErrorResponse1. */
  fail: (status: number, fault: Fault, headers?: Record<string, string>) => Promise<void>;
  dropConnection: () => void;
  /** Calls it once, with the status of the response. */
  onAnswer: (note: (status: number) => void) => void;
}

export async function openExchange(
  req: IncomingMessage,
  res: ServerResponse,
  bank: { signer: Signer; publicUrl: string; closing: AbortSignal },
): Promise<BankExchange> {
  const { socket } = req;
  const certified = socket instanceof TLSSocket && socket.authorized;
  const left = new AbortController();
  res.on('close', () => left.abort());
  const url = new URL(req.url ?? '/', bank.publicUrl);
  const [prefix = ''] = STANDARD.exec(url.pathname) ?? [];
  url.pathname = url.pathname.slice(prefix.length);
  const header = (name: string) => req.headers[name]?.toString();

  let noted: (status: number) => void = () => undefined;

  function answer(status: number, body: object | string | null, headers: Record<string, string> = {}): void {
    noted(status);
    if (res.destroyed) return;
    const text = body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    res.writeHead(status, {
      ...(body === null ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      'x-fapi-interaction-id': header('x-fapi-interaction-id') ?? '',
      ...headers,
    });
    res.end(text);
  }
  async function answerSigned(status: number, body: object, headers: Record<string, string> = {}): Promise<void> {
    const text = JSON.stringify(body);
    answer(status, text, { ...headers, 'x-jws-signature': await signMessage(text, bank.signer) });
  }
  return {
    method: req.method ?? 'GET',
    base: `${bank.publicUrl}${prefix}`,
    url,
    body: await getRawBody(req, { limit: LARGEST_BODY_BYTES }),
    header,
    clientCertificate: certified ? hash('sha256', socket.getPeerCertificate().raw, 'base64url') : null,
    gone: AbortSignal.any([left.signal, bank.closing]),
    answer,
    answerSigned,
    fail: (status, { code, message, path }, headers) =>
      answerSigned(
        status,
        { Errors: [{ ErrorCode: code, Message: message, ...(path ? { Path: path } : {}) }] },
        headers,
      ),
    dropConnection: () => void socket.destroy(),
    onAnswer: (note) => void (noted = note),
  };
}
