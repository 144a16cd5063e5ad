import sharp from 'sharp';
import type { Page } from '../../domain/legacy/page.ts';
import type { ReadOutcome } from '../../domain/legacy/reading.ts';
import { extractReading } from '../../domain/legacy/extract.ts';
import { readDocument } from '../../infra/ocr/document.ts';
import { openPdf } from '../../infra/ocr/pdf.ts';

/* Native libraries know the arrays of their own realm only, not those of a jest sandbox: so they are used here, in a process. */
export type Task = { read: Uint8Array } | { draw: Uint8Array };
export type Done = { outcome: ReadOutcome; pages: Page[] } | { png: Uint8Array } | { error: string };

process.on('message', (task: Task) => {
  void done(task)
    .catch((error: unknown): Done => ({ error: String(error) }))
    .then((answer) => process.send!(answer));
});
process.once('disconnect', () => process.exit());

async function done(task: Task): Promise<Done> {
  if ('read' in task) {
    let pages: Page[] = [];
    const outcome = await readDocument(task.read, { extract: extractReading, onPages: (all) => (pages = [...all]) });
    return { outcome, pages };
  }
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
