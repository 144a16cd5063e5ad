import { InferenceSession, Tensor } from 'onnxruntime-node';
import { GRAMS, NUMBERS, type Features } from '../../domain/legacy/features.ts';
import type { Scores } from '../../domain/legacy/scored.ts';

export async function openScorer(file: string): Promise<(features: Features) => Promise<Scores>> {
  const session = await InferenceSession.create(file, { intraOpNumThreads: 1, enableCpuMemArena: false });
  return async ({ grams, numbers, boxes }) => {
    const count = boxes.length / 4;
    const { roles, kinds } = await session.run({
      grams: new Tensor('int32', grams, [count, GRAMS]),
      numbers: new Tensor('float32', numbers, [count, NUMBERS]),
      boxes: new Tensor('float32', boxes, [count, 4]),
    });
    return { roles: roles!.data as Float32Array, kinds: kinds!.data as Float32Array };
  };
}
