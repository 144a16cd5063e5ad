import fc from 'fast-check';
import { foldText, isReadable } from '../../domain/text.ts';

test.each([
  ['Cafe\u0301', 'Café'],
  [' Café ', 'Café'],
  ['\u00a0Rent\u2003\u3000due ', 'Rent due'],
  ['  ', ''],
  ['a\tb\n', 'a\tb\n'],
])('%j is stored as %j', (given, kept) => {
  expect(foldText(given)).toBe(kept);
});

test('a stored text stays as it is', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => foldText(foldText(text)) === foldText(text)));
});

test.each([
  'Zoë O’Neill 💷',
  ...['👩‍👩‍👧', '🏳️‍🌈', '👩🏽‍🌾', '❤️‍🔥', '👁️‍🗨️', '🏴‍☠️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 trip', '🇬🇧', '1️⃣'],
  // Persian, Sinhala, Hindi, Bengali, and Malayalam with a joiner at the end.
  ...['می\u200cخواهم', 'ක\u0dca\u200dෂ', 'क\u094d\u200dष', 'ক\u09cd\u200cষ', 'അവന\u0d4d\u200d'],
])('%s is readable', (text) => {
  expect(isReadable(text)).toBe(true);
});

test.each([
  ['nothing', ['', ' ', '\u00a0', '\u200d', '\ufe0f', '\u034f', '\u3164', '\u115f\u1160', '\u2800']],
  ['control characters', ['a\u0007b', 'a\nb', 'a\tb', 'a\u2028b', 'a\u0085b']],
  ['hidden characters', ['a\u200bb', 'a\u00adb', 'a\u202eb', 'a\ufeffb', 'a\ue000b', 'a\u0378b', 'a\u{e0067}b']],
  ['joiners outside of words', ['Rent\u200d', '\u200dRent', 'a \u200cb', 'a\u200d\u200db', '👩\u200d', '1\u200d2']],
])('text with %s is not readable', (_what, texts) => {
  expect(texts.filter(isReadable)).toEqual([]);
});

test('hostile text is checked quickly', () => {
  // Other load on the machine does not affect processor time.
  const before = process.cpuUsage();
  for (const part of ['\u200d', 'a\u200d', '🏴', '\u{e0067}', '🏴\u{e0067}', ' ', '\u0301\u0316'])
    isReadable(part.repeat(100_000));
  isReadable(`🏴${'\u{e0067}'.repeat(500_000)}`);
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});
