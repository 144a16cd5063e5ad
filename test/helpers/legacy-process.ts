import { readPages } from '../../domain/legacy/extract.ts';
import type { Page } from '../../domain/legacy/page.ts';
import { score } from '../../infra/ocr/scorer.ts';

/* Reads pages for the parent process, because the scorer's native library refuses arrays of jest's realms. */
process.on('message', (pages: Page[]) => {
  void readPages(pages, undefined, score).then((reading) => process.send!(reading));
});
process.once('disconnect', () => process.exit());
