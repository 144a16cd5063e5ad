import type { Page, Word } from '../../domain/legacy/page.ts';

interface Typed {
  size?: number;
  source?: Word['source'];
  probability?: number;
  number?: number;
}

/** Makes a page from monospaced text. Three spaces separate cells. Lines that begin with `# ` are twice as large. */
export function typed(text: string, { size = 10, source = 'text', probability = 1, number = 1 }: Typed = {}): Page {
  const lines = text.replace(/^\n+|\s+$/g, '').split('\n');
  const words = lines.flatMap((line, row) => {
    const scale = line.startsWith('# ') ? 2 : 1;
    const printed = line.startsWith('# ') ? line.slice(2) : line;
    return [...printed.matchAll(/\S+/g)].map((found): Word => {
      const letter = 0.5 * size;
      const x = 40 + found.index * letter * scale;
      const y = 40 + row * 1.45 * size - (scale - 1) * 0.6 * size;
      return {
        text: found[0],
        x,
        y,
        width: found[0].length * letter * scale,
        height: size * scale,
        probability,
        source,
      };
    });
  });
  return { number, width: 595, height: 842, words };
}

export const changed = (page: Page, change: (word: Word, at: number) => Word): Page => ({
  ...page,
  words: page.words.map(change),
});
