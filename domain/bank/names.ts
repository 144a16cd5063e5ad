/** As people compare names: any case, and spaces as one. */
export function normalisedName(name: string): string {
  return name.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase();
}

/** Whether a text contains the name as whole words, whatever stands between the words. */
export function isNamedIn(name: string, text: string): boolean {
  const words = wordsOf(name);
  return words !== '' && ` ${wordsOf(text)} `.includes(` ${words} `);
}

function wordsOf(text: string): string {
  const words = normalisedName(text).split(/[^\p{L}\p{M}\p{N}]+/u);
  return words.filter((word) => word !== '').join(' ');
}
