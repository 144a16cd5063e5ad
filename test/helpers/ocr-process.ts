import sharp from 'sharp';
import type { Page } from '../../domain/legacy/page.ts';
import type { ReadOutcome } from '../../domain/legacy/reading.ts';
import { readPages } from '../../domain/legacy/extract.ts';
import { score } from '../../infra/documents/scorer.ts';
import { readDocument } from '../../infra/documents/document.ts';
import { openPdf } from '../../infra/documents/pdf.ts';

/* Native libraries run in this process, because they reject arrays of jest's realms. */
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
    const outcome = await readDocument(task.read, {
      extract: (pages, hint) => readPages(pages, hint, score),
      onPages: (all) => (pages = [...all]),
    });
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
