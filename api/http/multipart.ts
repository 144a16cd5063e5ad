import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { DomainError, type InputFault } from '../../domain/errors.ts';
import { invalid, pointerTo } from './invalid.ts';

export const MULTIPART = 'multipart/form-data';

/** Clients choose a file's name and media type freely, so neither is kept. */
export interface UploadedFile {
  bytes: Buffer;
  /** In hexadecimal. */
  sha256: string;
}

export interface Form {
  names: ReadonlySet<string>;
  /** The parts that are files, with their size limits in bytes. */
  files: ReadonlyMap<string, number>;
}

/** In `plain`, a digest replaces each file. */
interface FormValues {
  value: Readonly<Record<string, string | UploadedFile>>;
  plain: Readonly<Record<string, string>>;
}

const FIELD_LIMIT = 4_096;
/** The size limit in bytes of everything in a body except its files. */
const BESIDE_FILES = 65_536;
const LIMITS = { parts: 20, headerPairs: 20, headerSize: 8_192 };
/** Small, because the parser reports too many parts only after a whole write, and parts can be tiny. */
const SLICE = 2_048;

/** Can throw before the whole body has arrived. */
export async function readMultipart(request: IncomingMessage, form: Form): Promise<FormValues> {
  const most = BESIDE_FILES + [...form.files.values()].reduce((sum, bytes) => sum + bytes, 0);
  const reader = formReader(request, form);
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    for (let at = 0; at < chunk.length; at += SLICE) await reader.write(chunk.subarray(at, at + SLICE));
    if (length > most) throw bodyTooLarge(most);
  }
  return reader.end();
}

function formReader(request: IncomingMessage, form: Form) {
  const parts = new Map<string, Part>();
  const faults: InputFault[] = [];
  let refused: DomainError | undefined;
  const parser = parserOf(request);
  parser.on('file', (name: string | undefined, stream) => {
    const part = partOf(name, form, { parts, faults });
    stream.on('data', (chunk: Buffer) => {
      refused ??= part?.take(chunk);
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
  return {
    async write(chunk: Buffer): Promise<void> {
      await attempt((done) => parser.write(chunk, done));
      if (refused !== undefined) throw refused;
    },
    async end(): Promise<FormValues> {
      await attempt((done) => {
        parser.end();
        done();
      });
      await finished;
      if (refused !== undefined) throw refused;
      const given = [...parts.values()].map((part) => part.end(faults));
      if (faults.length > 0) throw invalid(faults);
      return {
        value: Object.fromEntries(given.map(({ name, value }) => [name, value])),
        plain: Object.fromEntries(given.map(({ name, plain }) => [name, plain])),
      };
    },
  };
}

/** Reads each part as bytes, whatever its declared type. */
function parserOf({ headers }: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits: LIMITS, isPartAFile: () => true });
  } catch {
    throw malformed('The Content-Type has no valid boundary.');
  }
}

/** A hostile body can make the parser throw. */
function attempt(step: (done: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    try {
      step(resolve);
    } catch {
      reject(malformed('The body is not divided into valid parts.'));
    }
  });
}

interface Part {
  take(chunk: Buffer): DomainError | undefined;
  end(faults: InputFault[]): { name: string; value: string | UploadedFile; plain: string };
}

function partOf(
  name: string | undefined,
  { names, files }: Form,
  { parts, faults }: { parts: Map<string, Part>; faults: InputFault[] },
): Part | undefined {
  if (name === undefined || !names.has(name) || parts.has(name)) {
    faults.push(faultOf(name, names));
    return undefined;
  }
  const most = files.get(name);
  const part = most === undefined ? textPart(name) : filePart(name, most);
  parts.set(name, part);
  return part;
}

function faultOf(name: string | undefined, names: ReadonlySet<string>): InputFault {
  if (name === undefined) return { pointer: '', detail: 'must have a name for each part' };
  const detail = names.has(name) ? 'must not appear more than once' : 'is not a field of this request';
  return { pointer: pointerTo('', name), detail };
}

function filePart(name: string, most: number): Part {
  const chunks: Buffer[] = [];
  const digest = createHash('sha256');
  let length = 0;
  return {
    take(chunk) {
      length += chunk.length;
      if (length > most) return fileTooLarge(most);
      chunks.push(chunk);
      digest.update(chunk);
      return undefined;
    },
    end() {
      const sha256 = digest.digest('hex');
      return { name, value: { bytes: Buffer.concat(chunks), sha256 }, plain: sha256 };
    },
  };
}

function textPart(name: string): Part {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    take(chunk) {
      length += chunk.length;
      if (length <= FIELD_LIMIT) chunks.push(chunk);
      return undefined;
    },
    end(faults) {
      const text = length > FIELD_LIMIT ? undefined : decoded(Buffer.concat(chunks));
      const detail =
        length > FIELD_LIMIT ? `must have at most ${FIELD_LIMIT.toLocaleString('en-GB')} bytes` : 'must be UTF-8';
      if (text === undefined) faults.push({ pointer: pointerTo('', name), detail });
      return { name, value: text ?? '', plain: text ?? '' };
    },
  };
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
