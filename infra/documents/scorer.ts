import { fileURLToPath } from 'node:url';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Scorer } from '../../domain/legacy/extract.ts';
import { GRAMS, NUMBERS } from '../../domain/legacy/features.ts';
import type { Scores } from '../../domain/legacy/scored.ts';
import { sessionOptions } from './models.ts';

/** tools/training/README.md says how the model is trained. */
const MODEL = fileURLToPath(new URL('scorer.onnx', import.meta.url));

let loaded: Promise<InferenceSession> | undefined;

export const score: Scorer = async ({ grams, numbers, boxes }): Promise<Scores> => {
  const session = await (loaded ??= InferenceSession.create(MODEL, sessionOptions(false)));
  const count = boxes.length / 4;
  const { roles, kinds } = await session.run({
    grams: new Tensor('int32', grams, [count, GRAMS]),
    numbers: new Tensor('float32', numbers, [count, NUMBERS]),
    boxes: new Tensor('float32', boxes, [count, 4]),
  });
  return { roles: roles!.data as Float32Array, kinds: kinds!.data as Float32Array };
};
