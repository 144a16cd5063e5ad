import type { RequestHandler } from 'express';
import type { IncomingMessage } from 'node:http';
import { DomainError, type InputFault } from '../../../domain/errors.ts';
import type { Node, Operation } from '../contract.ts';
import { refuseExcess } from '../validation/excess.ts';
import { CallerGone } from './caller-gone.ts';
import { carriesBody } from './drain.ts';
import { invalid, pointerTo } from './invalid.ts';
import { parseJson } from './json.ts';
import { collectPieces } from './pieces.ts';
import { mediaTypeIn, type MediaType } from './media-type.ts';
import { bodyTooLarge, MULTIPART, readMultipart, type FormReading } from './multipart.ts';
import { parseQuery } from './query.ts';
import { whileReading, type Reading } from './reading.ts';

const BODY_LIMIT = 1_048_576;
/** The size limit of a body that says nothing. */
const NOTHING = 64;
export const FORM = 'application/x-www-form-urlencoded';
const DEEPEST = 32;
/** Validation time can grow with the square of this number. */
const MOST_VALUES = 2_000;
/** The most commas and opening brackets of a JSON body, or fields of a form. Parsing more would take too long. */
const MOST_SEPARATORS = 10_000;
const [COMMA, QUOTE, OPENING_BRACKET, OPENING_BRACE, BACKSLASH] = [0x2c, 0x22, 0x5b, 0x7b, 0x5c];
/** These fields may contain NUL, because the service does not store their text. */
const PASSWORDS: ReadonlySet<string> = new Set(['/password', '/password_again', '/current_password']);
/** The vault encrypts metadata, so PostgreSQL never gets the text. */
const METADATA = '/metadata';

/** A parsed body. All members are undefined if there is no body. */
export interface Body {
  type: string | undefined;
  value: unknown;
  /** The value that is checked against the contract. In a multipart form, a digest replaces each file. */
  plain: unknown;
}

const NO_BODY: Body = { type: undefined, value: undefined, plain: undefined };

export function parseBody(operation: Operation, document: Node): RequestHandler {
  const requireLimits = refuseExcess(operation, document);
  return async (request, response, next) => {
    const body = carriesBody(request)
      ? await whileReading(response, (reading) => readBody(request, operation, { requireLimits, ...reading }))
      : NO_BODY;
    // If the body arrives after the server has sent 408, the request must have no effect.
    if (response.headersSent) throw new CallerGone();
    response.locals.body = body;
    request.body = body.plain;
    next();
  };
}

async function readBody(
  request: IncomingMessage,
  operation: Operation,
  { requireLimits, ...reading }: Reading & { requireLimits: ReturnType<typeof refuseExcess> },
): Promise<Body> {
  const { type, boundary } = mediaTypeOf(request, operation.bodyTypes) ?? {};
  if (type === MULTIPART) return readForm(request, boundary, { form: operation.form!, ...reading });
  const { mostBytes = BODY_LIMIT } = operation;
  const [limit, tooLarge] = type === undefined ? [NOTHING, noBody] : [mostBytes, () => bodyTooLarge(mostBytes)];
  const bytes = await readAll(request, { limit, tooLarge, ...reading });
  if (bytes.length === 0) return NO_BODY;
  if (type === undefined) {
    requireNothing(bytes);
    return NO_BODY;
  }
  await reading.turn(bytes.length);
  const text = decoded(bytes);
  const separators = type === FORM ? text.split('&', MOST_SEPARATORS + 1).length : separatorsIn(text);
  if (separators > MOST_SEPARATORS) throw tooManyValues('');
  const value = type === FORM ? parseForm(text) : parseJson(text);
  requireLimits(type, value);
  refuseUnstorable(value);
  return { type, value, plain: value };
}

async function readForm(request: IncomingMessage, boundary: string | undefined, given: FormReading): Promise<Body> {
  try {
    const { value, plain } = await readMultipart(request, boundary, given);
    refuseUnstorable(plain);
    return { type: MULTIPART, value, plain };
  } catch (error) {
    // The reader's listener has kept the rest from being drained.
    if (error instanceof CallerGone) setImmediate(() => request.resume());
    if (request.destroyed && !request.complete) throw new CallerGone();
    throw error;
  }
}

/** Undefined if the operation takes no body. */
function mediaTypeOf({ headers }: IncomingMessage, accepted: readonly string[]): MediaType | undefined {
  if (accepted.length === 0) return undefined;
  const found = mediaTypeIn(headers['content-type'] ?? '');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (found !== undefined && accepted.includes(found.type) && encoding === 'identity') return found;
  throw new DomainError(
    'unsupported-media-type',
    `Send the body uncompressed and in UTF-8, with Content-Type: ${accepted.join(' or ')}.`,
  );
}

/** Express's own parsers would read the whole body before they refuse it. */
function readAll(
  request: IncomingMessage,
  {
    limit,
    tooLarge,
    received,
    over,
  }: Pick<Reading, 'received' | 'over'> & { limit: number; tooLarge: () => DomainError },
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge());
  const pieces = collectPieces();
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const stop = (error: Error) => {
      request.off('data', take).off('end', whole).off('close', gone).pause();
      reject(error);
    };
    const take = (piece: Buffer) => {
      bytes += piece.length;
      try {
        if (bytes > limit) throw tooLarge();
        received(piece.length);
        pieces.add(piece);
      } catch (refused) {
        stop(refused as Error);
      }
    };
    const whole = () => {
      request.off('close', gone);
      resolve(pieces.bytes());
    };
    const gone = () => {
      stop(new CallerGone());
      request.resume();
    };
    over.catch(gone);
    request.on('data', take).once('end', whole).once('close', gone).once('error', gone);
    if (request.destroyed) gone();
  });
}

/** Accepts `{}`, which some clients send with every request. */
function requireNothing(bytes: Buffer): void {
  if (/^\s*(?:\{\s*\})?\s*$/.test(bytes.toString('latin1'))) return;
  throw noBody();
}

function noBody(): DomainError {
  return invalid([{ pointer: '', detail: 'must be empty, because this operation takes no body' }]);
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DomainError('malformed-json', 'The body is not valid UTF-8.');
  }
}

function separatorsIn(text: string): number {
  let found = 0;
  for (let at = 0; at < text.length && found <= MOST_SEPARATORS; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === OPENING_BRACKET || code === OPENING_BRACE) found += 1;
    else if (code === QUOTE) at = endOfString(text, at);
  }
  return found;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

function tooManyValues(pointer: string): DomainError {
  const most = MOST_VALUES.toLocaleString('en-GB');
  return invalid([{ pointer, detail: `must contain at most ${most} values, including lists and objects` }]);
}

/** Refuses repeated fields (RFC 6749, 3.2). */
function parseForm(text: string): Record<string, string> {
  const fields = parseQuery(text);
  const twice = Object.keys(fields).filter((name) => typeof fields[name] !== 'string');
  if (twice.length === 0) return { ...fields } as Record<string, string>;
  throw invalid(
    twice.slice(0, 100).map((name) => ({ pointer: pointerTo('', name), detail: 'must not appear more than once' })),
  );
}

/** Does not recurse, so a deeply nested body cannot exhaust the stack. */
function refuseUnstorable(root: unknown): void {
  const faults: InputFault[] = [];
  const left = [{ value: root, pointer: '', inMetadata: false, depth: 0 }];
  let values = 1;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, pointer, inMetadata, depth } = next;
    const where = inMetadata ? METADATA : '';
    const push = (name: string, member: unknown) => {
      const at = pointerTo(pointer, name);
      left.push({ value: member, pointer: at, inMetadata: inMetadata || at === METADATA, depth: depth + 1 });
    };
    if (typeof value === 'object' && value !== null) values += Object.keys(value).length;
    if (values > MOST_VALUES) throw tooManyValues(where);
    if (depth > DEEPEST)
      throw invalid([{ pointer: where, detail: `must not be nested more than ${DEEPEST} levels deep` }]);
    if (typeof value === 'string' && !inMetadata) refuseText(value, pointer, faults);
    else if (Array.isArray(value)) {
      value.forEach((item, index) => push(String(index), item));
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (!inMetadata) refuseText(name, pointer, faults);
        push(name, member);
      }
    }
  }
  if (faults.length > 0) throw invalid(faults.slice(0, 100));
}

function refuseText(text: string, pointer: string, faults: InputFault[]): void {
  if (!text.isWellFormed()) faults.push({ pointer, detail: 'must be Unicode text without lone surrogates' });
  if (text.includes('\0') && !PASSWORDS.has(pointer))
    faults.push({ pointer, detail: 'must not contain the NUL character' });
}
