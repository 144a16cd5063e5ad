import { describe, expect, test } from '@jest/globals';
import { KINDS } from '../../domain/legacy/scored.ts';
import { anyPage, sampleOf } from './samples.ts';

describe('pages for training', () => {
  test('the same seed gives the same page and the same sample', () => {
    expect(anyPage('test:1').paper.words).toEqual(anyPage('test:1').paper.words);
    expect(sampleOf('test:1')).toEqual(sampleOf('test:1'));
    expect(sampleOf('test:1')).not.toEqual(sampleOf('test:2'));
  });

  test('every kind of page occurs, and most payslips have an employer, gross pay and net pay', () => {
    const pages = Array.from({ length: 300 }, (_, at) => anyPage(`test:${at}`));
    expect(new Set(pages.map(({ kind }) => kind))).toEqual(new Set(KINDS));
    const payslips = pages.filter(({ kind }) => kind === 'payslip');
    for (const role of ['employer', 'gross', 'net'] as const) {
      const having = payslips.filter(({ paper }) => paper.words.some((word) => word.role === role));
      expect(having.length).toBeGreaterThan(0.7 * payslips.length);
    }
  });
});
