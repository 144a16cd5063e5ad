import fc from 'fast-check';
import { LABEL, shortened, TITLE, widthOf } from '../../infra/charts/text.ts';

describe('the end of a text', () => {
  test('is replaced only if the text might not fit', () => {
    const width = widthOf('Council tax', LABEL);
    expect(shortened('Council tax', LABEL, width)).toBe('Council tax');
    expect(shortened('Council tax', LABEL, width - 1)).toBe('Council t...');
    expect(shortened('Council tax', TITLE, width)).toBe('Cou...');
    expect(shortened('Ça\u0327ine\u0301', LABEL, widthOf('Cacine', LABEL))).toBe('Ça\u0327ine\u0301');
    expect(shortened('💷💷💷💷', LABEL, 75)).toBe('💷💷...');
  });

  test('is replaced so that the rest fits, and keeps one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer({ min: 20, max: 200 }), (text, width) => {
        const shown = shortened(text, LABEL, width);
        expect(widthOf(shown, LABEL)).toBeLessThanOrEqual(width);
        expect(shown).not.toMatch(/[\n\r\u2028]/);
      }),
    );
  });
});
