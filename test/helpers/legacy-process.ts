import { readPages } from '../../domain/legacy/extract.ts';
import type { Page } from '../../domain/legacy/page.ts';
import { score } from '../../infra/ocr/scorer.ts';

/* Reads pages for the parent process, because the model's native library refuses arrays made within jest's environment. */
process.on('message', (pages: Page[]) => {
  void readPages(pages, undefined, score).then((reading) => process.send!(reading));
});
process.once('disconnect', () => process.exit());
