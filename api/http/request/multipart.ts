import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { DomainError, type InputFault } from '../../../domain/errors.ts';
import { invalid, pointerTo } from './invalid.ts';
import { collectPieces } from './pieces.ts';
import type { Reading } from './reading.ts';

export const MULTIPART = 'multipart/form-data';

/** Clients choose a file's name and media type freely, so neither is kept. */
export interface UploadedFile {
  bytes: Buffer;
  /** In hexadecimal. */
  sha256: string;
}

export interface Form {
  names: ReadonlySet<string>;
  /** The size limit in bytes of the part `file`. */
  fileBytes: number;
}

/** In `plain`, a digest replaces each file. */
interface FormValues {
  value: Readonly<Record<string, string | UploadedFile>>;
  plain: Readonly<Record<string, string>>;
}

const FIELD_LIMIT = 4_096;
/** The size limit in bytes of everything in a body except its file. */
const BESIDE_FILE = 65_536;
const LIMITS = { parts: 20, headerPairs: 20, headerSize: 8_192 };
/** Small, because the parser reports too many parts only after a whole write, and parts can be tiny. */
const SLICE = 2_048;

export interface FormReading extends Reading {
  form: Form;
}

/** Can throw before the whole body has arrived. @throws what `over` rejects with, as soon as it does. */
export async function readMultipart(
  request: IncomingMessage,
  boundary: string | undefined,
  { form, over, received, turn }: FormReading,
): Promise<FormValues> {
  const most = BESIDE_FILE + form.fileBytes;
  const parts = new Map<string, Part>();
  const faults: InputFault[] = [];
  let refused: DomainError | undefined;
  const parser = parserOf(boundary);
  parser.on('file', (name: string | undefined, stream) => {
    const part = partOf(name, form, { parts, faults });
    stream.on('data', (chunk: Buffer) => {
      if (part === undefined) return;
      part.length += chunk.length;
      part.digest?.update(chunk);
      if (part.length <= part.most) part.pieces.add(chunk);
      else if (part.digest !== undefined) refused ??= fileTooLarge(part.most);
    });
    // The parser reports the same error.
    stream.on('error', () => undefined);
  });
  parser.on('partsLimit', () => {
    refused ??= invalid([{ pointer: '', detail: `must have at most ${LIMITS.parts} parts` }]);
  });
  const finished = new Promise<void>((resolve) => {
    parser.once('finish', resolve);
    parser.on('error', () => {
      refused ??= malformed('The body ends before its last boundary.');
      resolve();
    });
  });
  const attempt = async (step: (done: () => void) => void) => {
    try {
      await new Promise<void>(step);
    } catch {
      // A hostile body can make the parser throw.
      throw malformed('The body is not divided into valid parts.');
    }
    if (refused !== undefined) throw refused;
  };
  let length = 0;
  for await (const chunk of chunksOf(request, over)) {
    length += chunk.length;
    received(chunk.length);
    await turn(chunk.length);
    for (let at = 0; at < chunk.length; at += SLICE)
      await attempt((done) => parser.write(chunk.subarray(at, at + SLICE), done));
    if (length > most) throw bodyTooLarge(most);
  }
  await attempt((done) => {
    parser.end();
    void finished.then(done);
  });
  const given = [...parts].map(([name, part]) => ({ name, ...contentOf(part, pointerTo('', name), faults) }));
  if (faults.length > 0) throw invalid(faults);
  return {
    value: Object.fromEntries(given.map(({ name, value }) => [name, value])),
    plain: Object.fromEntries(given.map(({ name, plain }) => [name, plain])),
  };
}

async function* chunksOf(request: IncomingMessage, over: Promise<never>): AsyncGenerator<Buffer> {
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  let end: Error | undefined;
  let refuse: (reason: Error) => void = () => undefined;
  // Once, because `Promise.race` would leave something on `over` for each chunk, and chunks can be tiny.
  over.catch((reason: unknown) => {
    end = reason as Error;
    refuse(end);
  });
  try {
    for (;;) {
      const found = await new Promise<IteratorResult<Buffer, undefined>>((resolve, reject) => {
        if (end !== undefined) reject(end);
        refuse = reject;
        chunks.next().then(resolve, reject);
      });
      if (found.done === true) return;
      yield found.value;
    }
  } finally {
    // While a read waits, `return` waits too, and the listener of the read keeps the body from being drained.
    request.removeAllListeners('readable');
    void chunks.return?.();
  }
}

/** Reads each part as bytes, whatever its declared type. */
function parserOf(boundary = ''): BusboyInstance {
  const quoted = `; boundary="${boundary.replace(/["\\]/g, '\\$&')}"`;
  const headers = { 'content-type': boundary === '' ? MULTIPART : `${MULTIPART}${quoted}` } as const;
  try {
    return new Busboy({ headers, limits: LIMITS, isPartAFile: () => true });
  } catch {
    throw malformed('The Content-Type has no valid boundary.');
  }
}

/** Only a file has a digest. */
interface Part {
  most: number;
  digest: Hash | undefined;
  pieces: ReturnType<typeof collectPieces>;
  length: number;
}

function partOf(
  name: string | undefined,
  { names, fileBytes }: Form,
  { parts, faults }: { parts: Map<string, Part>; faults: InputFault[] },
): Part | undefined {
  if (name === undefined || !names.has(name) || parts.has(name)) {
    faults.push(faultOf(name, names));
    return undefined;
  }
  const isFile = name === 'file';
  const digest = isFile ? createHash('sha256') : undefined;
  const part: Part = { most: isFile ? fileBytes : FIELD_LIMIT, digest, pieces: collectPieces(), length: 0 };
  parts.set(name, part);
  return part;
}

function faultOf(name: string | undefined, names: ReadonlySet<string>): InputFault {
  if (name === undefined) return { pointer: '', detail: 'must have a name for each part' };
  const detail = names.has(name) ? 'must not appear more than once' : 'is not a field of this request';
  return { pointer: pointerTo('', name), detail };
}

function contentOf({ most, digest, pieces, length }: Part, pointer: string, faults: InputFault[]) {
  const bytes = pieces.bytes();
  if (digest !== undefined) {
    const sha256 = digest.digest('hex');
    return { value: { bytes, sha256 }, plain: sha256 };
  }
  const text = decoded(bytes);
  if (length > most) faults.push({ pointer, detail: `must have at most ${most.toLocaleString('en-GB')} bytes` });
  else if (text === undefined) faults.push({ pointer, detail: 'must be UTF-8' });
  return { value: text ?? '', plain: text ?? '' };
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function malformed(detail: string): DomainError {
  return new DomainError('malformed-multipart', `${detail} Send a multipart form that follows RFC 7578.`);
}

function fileTooLarge(limit: number): DomainError {
  const most = limit.toLocaleString('en-GB');
  return new DomainError('file-too-large', `The file is larger than the limit of ${most} bytes. Send a smaller file.`, {
    limit,
  });
}

export function bodyTooLarge(limit: number): DomainError {
  const most = limit.toLocaleString('en-GB');
  return new DomainError(
    'body-too-large',
    `The body is larger than the limit of ${most} bytes. Send less data in one request.`,
    { limit },
  );
}
