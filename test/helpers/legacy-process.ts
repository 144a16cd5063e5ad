import { readPages } from '../../domain/legacy/combined.ts';
import type { Page } from '../../domain/legacy/page.ts';
import { score } from '../../infra/ocr/scorer.ts';

/*
 * Reads the pages that the parent process sends. The scorer's native library refuses arrays of jest's realms, so it
 * runs in this process.
 */
process.on('message', (pages: Page[]) => {
  void readPages(pages, undefined, score).then((reading) => process.send!(reading));
});
process.once('disconnect', () => process.exit());
