import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** As with the default quality of 11 takes a second. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const COMPRESS = {
  br: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: 9 }),
};

/** The text of the contract, written once, and compressed at the first request that accepts it. */
export function contractTexts(contract: Readonly<Record<string, unknown>>) {
  const plain = new TextEncoder().encode(JSON.stringify(contract));
  const tag = createHash('sha256').update(plain).digest('base64url');
  const compressed = new Map<Encoding, Promise<Uint8Array>>();
  return async (acceptEncoding: string | undefined) => {
    const encoding = encodingFor(acceptEncoding ?? '');
    const headers = { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };
    if (encoding === undefined) return { bytes: plain, headers: { ...headers, ETag: `"${tag}"` } };
    const made = compressed.get(encoding) ?? COMPRESS[encoding](plain);
    compressed.set(encoding, made);
    const coded = { 'Content-Encoding': encoding, ETag: `"${tag}-${encoding}"` };
    return { bytes: await made, headers: { ...headers, ...coded } };
  };
}

/** Only encodings that the client names (RFC 9110, 12.5.3), without a quality of 0. */
function encodingFor(acceptEncoding: string): Encoding | undefined {
  const named = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((each) => each.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)))
    .map(([name]) => name);
  return ENCODINGS.find((encoding) => named.includes(encoding));
}
