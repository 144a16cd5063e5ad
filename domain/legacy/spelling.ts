import { SPELLINGS } from './spellings.ts';

/**
 * The words of payroll labels, in one spelling each. Other spellings are converted to these, such as "Nat. Ins." and
 * the misread "Natlonal Insuiance".
 */

const KNOWN = new Set([
  ...Object.values(SPELLINGS),
  ...(
    'gross net pay paye tax income national insurance ni paid due payable deducted deductions month week year period date this to for in of ' +
    'and before after able taxable niable pensionable nonable total subtotal payment employment previous final code number no ref reference ' +
    'rate units hours description details amount refund home take bank bacs transfer basic salary wage overtime bonus holiday pension ' +
    'avc nest lgps uss nhs teachers workplace auto enrolment stakeholder scheme smart loan student postgraduate loans category letter table ' +
    'certificate end payslip advice slip statement method cheque credit weekly monthly annual balance brought carried forward ' +
    'into personal voluntary work last entries record full first surname forenames initials birth copy certify employment including postcode pay postgraduate ' +
    'summary basis process processed dates employed name address department cost centre start starting ending ended issued leaving works ' +
    'payroll sacrifice salary contribution relief lower upper earnings limit above below statutory sick maternity paternity other additional'
  ).split(' '),
]);
// Excludes the employee's and the employer's abbreviations from guessing, because they differ in one letter only.
const LONG_SPELLINGS = Object.keys(SPELLINGS).filter((word) => word.length >= 8 && !/^e[er]$/.test(SPELLINGS[word]!));
const LONG = [...new Set([...KNOWN, ...LONG_SPELLINGS])].filter((word) => word.length >= 6);
const FOR_SPLIT = [...KNOWN, ...Object.keys(SPELLINGS)].filter(
  (word) => word.length >= 2 && word !== 'con' && word !== 'no',
);

/** The edit distance of two words (letters changed, added or left out). Stops counting at `most` + 1. */
export function edits(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return Math.min(row[b.length]!, most + 1);
}

/** Keeps only letters and digits, in lower case. */
export const squashed = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Whether a word of a canonical text occurs in payroll labels. */
export const isPayrollWord = (word: string): boolean => KNOWN.has(word) || /^(YTD|NOW|niable|takehome)$/.test(word);

/** Converts a label to known words where possible. Unknown words stay as printed, in lower case. */
export function canonical(text: string): string {
  const known = MADE_OUT.get(text);
  if (known !== undefined) return known;
  if (MADE_OUT.size > 20_000) MADE_OUT.clear();
  const words = madeOut(text);
  MADE_OUT.set(text, words);
  return words;
}

/** Caches results, because the same few labels occur again and again. */
const MADE_OUT = new Map<string, string>();

function madeOut(text: string): string {
  const parts = text.split('/');
  const english = parts.filter((part) => !WELSH.test(part));
  return inWords(english.length === 1 ? english[0]! : text);
}

/** Matches Welsh words at the beginning or end of bilingual labels: `Treth / Tax`. */
const WELSH =
  /\b(treth\w*|cyflog\w*|gyflog|yswiriant|gwladol|pensiwn\w*|taliad\w*|talu|didyniad\w*|cyfanswm|gros|cyfnod|diwedd|dyddiad|mis|misol|wythnos\w*|blwyddyn|flwyddyn|cod|rhif|swm|oriau|cyfradd|cyfran\w*|cyfraniad\w*|gweithiwr|gweithwyr|cyfeirnod|disgrifiad|benthyciad|goramser|lwfans\w*|hyd yma|yg)\b/i;

function inWords(text: string): string {
  const tokens = joinBroken(joinSingles(tokensOf(text)));
  const words = tokens.flatMap((token, at) => spelled(token, at === tokens.length - 1 && tokens.join('').length >= 8));
  return phrased(joinBroken(words).join(' '));
}

function tokensOf(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/\s*['’`]\s*s\b/g, 's')
    .replace(/['’`]/g, '')
    .replace(/\bn[.,]\s?[1l|!](?![a-z0-9])/g, 'ni')
    .replace(/\bn\.\.(?=c\b)/g, 'ni')
    .replace(/\b([a-z])[.,](?=[a-z]\b)/g, '$1')
    .replace(/\be\/(e?[er])s?\b/g, (_, end: string) => `e${end.at(-1)!}`)
    .replace(/&/g, ' and ')
    .split(/[^a-z0-9%]+/)
    .filter((token) => token !== '');
}

/** Joins letter-spaced words, such as `n e t p a y`. */
function joinSingles(tokens: readonly string[]): string[] {
  const joined: string[] = [];
  let letters = '';
  const flush = (): void => {
    if (letters.length >= 3 || letters === 'ni') joined.push(letters);
    else joined.push(...letters.split(''));
    letters = '';
  };
  for (const token of tokens) {
    if (/^[a-z]$/.test(token)) letters += token;
    else {
      flush();
      joined.push(token);
    }
  }
  flush();
  return joined;
}

/** Joins words that OCR split in two, such as `insur ance` or `thi s`. */
function joinBroken(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    if (before !== undefined && areOne(before, word)) joined[joined.length - 1] = before + word;
    else joined.push(word);
  }
  return joined;
}

/**
 * Restores a label as it was probably printed: corrects gaps and wrong letters in known words, such as `PER IOD NO` or
 * `PERI0D`.
 */
export function respelled(label: string): string {
  const whole = label.split(' ').reduce((sofar, word) => {
    const before = sofar.slice(sofar.lastIndexOf(' ') + 1);
    return areOne(before.toLowerCase(), word.toLowerCase()) ? sofar + word : `${sofar} ${word}`;
  });
  return whole.replace(/[A-Za-z0-9]{6,}/g, (word) => {
    const letters = asLetters(word.toLowerCase());
    if (KNOWN.has(word.toLowerCase()) || /^\d+$/.test(word)) return word;
    const near = [...KNOWN].find((known) => known.length === letters.length && edits(known, letters, 1) <= 1);
    return near === undefined ? word : inCaseOf(word, near);
  });
}

function inCaseOf(word: string, near: string): string {
  if (!/^[A-Z]/.test(word)) return near;
  return /[a-z]/.test(word) ? near[0]!.toUpperCase() + near.slice(1) : near.toUpperCase();
}

const asLetters = (word: string): string => word.replace(/0/g, 'o').replace(/1/g, 'l').replace(/5/g, 's');

/** Whether two texts are the parts of one known word. A short word may lose only one letter, as in `thi s`. */
function areOne(before: string, after: string): boolean {
  const known = [before, after].filter((part) => KNOWN.has(part)).length;
  const isLetter = before.length === 1 || after.length === 1;
  return KNOWN.has(before + after) && (before.length + after.length >= 6 ? known < 2 : isLetter && known === 0);
}

function spelled(token: string, mayBeCut: boolean): string[] {
  if (/^ni[abhjmvxz]$/.test(token)) return ['ni', token.slice(2)];
  // Pension schemes add initials before AVC and a number after it: CSAVC, FSAVC, AVC2.
  if (/^[a-z]{0,4}avcs?\d?$/.test(token)) return ['avc'];
  const known = SPELLINGS[token] ?? (KNOWN.has(token) ? token : undefined);
  if (known !== undefined) return [known];
  const letters = /[a-z]/.test(token) ? asLetters(token) : token;
  if (letters !== token && (SPELLINGS[letters] ?? (KNOWN.has(letters) ? letters : '')) !== '')
    return [SPELLINGS[letters] ?? letters];
  if (letters.length >= 6) {
    const near = LONG.find((word) => {
      const most = Math.floor(Math.min(word.length, letters.length) / 6);
      return edits(word, letters, most) <= most;
    });
    if (near !== undefined) return [SPELLINGS[near] ?? near];
  }
  if (token.length >= 4) {
    const parts = split(token);
    if (parts !== null) return parts.map((part) => SPELLINGS[part] ?? part);
  }
  if (mayBeCut && token.length >= 3) {
    const whole = LONG.find((word) => word.startsWith(token));
    if (whole !== undefined) return [SPELLINGS[whole] ?? whole];
  }
  return [token];
}

/** Splits the token into as few known words as possible; null if it is not made of known words. */
function split(token: string): string[] | null {
  const best: (string[] | null)[] = [[]];
  for (let end = 1; end <= token.length; end += 1) {
    best[end] = null;
    for (const word of FOR_SPLIT) {
      const before = best[end - word.length];
      if (before === undefined || before === null || !token.endsWith(word, end)) continue;
      const sofar = best[end] ?? null;
      if (sofar === null || before.length + 1 < sofar.length) best[end] = [...before, word];
    }
  }
  return best[token.length] ?? null;
}

const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bnational insurance\b/g, 'ni'],
  [/\bni contribution\b/g, 'ni'],
  // Joins an abbreviation that is repeated in a label, as in `National Insurance (NIC)`.
  [/\bni( ni)+\b/g, 'ni'],
  [/\b(tax )?year to (the )?date\b|\bthis (tax )?year\b|\byear date\b|\bto date\b|\bso far\b/g, 'YTD'],
  [
    /\b(since|from) (the )?(beginning|start|first day) of (the )?(tax year|year|YTD)\b|\b(since|from) 0?6(th)? apr(il)?( 20\d\d)?\b/g,
    'YTD',
  ],
  [/\bYTD YTD\b/g, 'YTD'],
  [/\b(this|NOW) (period|month|week|pay period|pay|time|payslip)\b|\bNOW NOW\b/g, 'NOW'],
  [/\btake home\b/g, 'takehome'],
  [/\bco (?=(ni|pension|contribution)\b)/g, 'er '],
  [/\b(inc|i) tax\b/g, 'income tax'],
  [/\bn insurance\b/g, 'ni'],
  [/\bpay as you earn(ings)?\b/g, 'paye'],
  [/\brelief at source\b/g, ''],
  [/\bearnings for ni\b|\bni able\b|\bni earnings\b|\bniable\b/g, 'niable'],
  [/\bgross for tax\b|\bgross taxable\b|\btaxable gross\b|\btax able\b/g, 'taxable'],
];

const phrased = (text: string): string =>
  PHRASES.reduce((sofar, [pattern, word]) => sofar.replace(pattern, word), text).trim();
