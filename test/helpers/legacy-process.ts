import { readPages } from '../../domain/legacy/extract.ts';
import type { Page } from '../../domain/legacy/page.ts';
import { score } from '../../infra/documents/scorer.ts';

/* The model's native library refuses arrays made within jest's realm, so pages are read in this process. */
process.on('message', (pages: Page[]) => {
  void readPages(pages, undefined, score).then((reading) => process.send!(reading));
});
process.once('disconnect', () => process.exit());
