import type { Kind } from '../../../domain/legacy/scored.ts';
import type { Random } from '../../payslips/random.ts';
import { moneyStyle } from './blocks.ts';
import { niNumber } from './drawing.ts';
import { dateStyle, factsOf, monthName, spanOf } from './facts.ts';
import type { Lesson, Words } from './paper.ts';
import { other, p45, p60, register } from './typed-forms.ts';
import { NONE, after, labelled, part, type Line, type Typist, printed } from './typed-lines.ts';
import { list, sideBySide, strip, table } from './typed-pay.ts';
import { employersLines, yearList, yearStrip } from './typed-year.ts';
import { speech } from './wordings.ts';

/* Letters have equal width. With few words, the model must rely on labels, headings and sums. */

export function typedPage(random: Random): Words & { kind: Kind } {
  const own = speech(random);
  const left = random.pick([0, 0, 0, 2, 6]);
  const typist: Typist = { random, facts: factsOf(random, own), money: moneyStyle(random), date: dateStyle(random), say: own.say, left, right: left + random.int(44, 96) }; // prettier-ignore
  const kind = random.weighted<Kind>([['payslip', 70], ['p60', 10], ['p45', 9], ['register', 3], ['other', 8]]); // prettier-ignore
  const body = { payslip, p60, p45, register, other }[kind];
  const lines = body(typist);
  return { ...printed(random, lines), kind };
}

function payslip(typist: Typist): Line[] {
  const { random } = typist;
  const body = random.weighted<(typist: Typist) => Line[]>([[table, 55], [list, 25], [sideBySide, 12], [strip, 8]])(typist); // prettier-ignore
  const extra = random.weighted<(typist: Typist) => Line[]>([[() => [], 50], [yearStrip, 20], [yearList, 14], [employersLines, 16]])(typist); // prettier-ignore
  const isBefore = random.chance(0.1);
  return [...heading(typist), NONE, ...(isBefore ? [...extra, NONE] : []), ...body, NONE, ...(isBefore ? [] : extra)];
}

function heading(typist: Typist): Line[] {
  const { random, facts, date, say, left } = typist;
  const title = random.chance(0.3) ? '' : say('title').replace(/[:£( )]+$/, '');
  const name = random.weighted<() => Line>([
    [() => [part(left, `# ${facts.employer}`, 'employer')], 22],
    [() => [part(left, facts.employer, 'employer'), ...(title === '' ? [] : [part(left + facts.employer.length + random.int(3, 20), title)])], 34], // prettier-ignore
    [() => labelled(left, random.pick(['Employer', 'Employer:', 'Employer name:', 'Company', 'Paid by:', 'Employed by', 'From', "Employer's name"]), facts.employer, 'employer', random.pick([1, 1, 4, 12])), 28], // prettier-ignore
    [() => [], 8],
  ])();
  const lines: Line[] = name.length === 0 ? [] : [name];
  const day = (): Line => labelled(left, `${say('dateLabel').replace(/[:£( )]+$/, '')}${random.pick(['', ':'])}`, date(facts.payDate), 'date', random.pick([1, 1, 6, 14])); // prettier-ignore
  const all: Line[] = [];
  if (title !== '' && random.chance(0.4)) all.push([part(left, random.chance(0.2) ? `# ${title}` : title)]);
  if (random.chance(0.85)) all.push(period(typist, title));
  if (random.chance(0.7)) all.push(day());
  if (random.chance(0.5)) all.push(labelled(left, random.pick(['Employee:', 'Employee', 'Name', 'Employee: Ms', 'For']), facts.person, 'none', 1)); // prettier-ignore
  if (random.chance(0.4)) all.push(labelled(left, say('codeLabel').replace(/[:£( )]+$/, '') + random.pick(['', ':']), facts.code, 'code', random.pick([1, 4]))); // prettier-ignore
  if (random.chance(0.2)) all.push(labelled(left, 'NI number', niNumber(random), 'none', random.pick([1, 6])));
  if (random.chance(0.15)) all.push(labelled(left, say('referenceLabel'), facts.reference, 'reference', random.pick([1, 4]))); // prettier-ignore
  const some = random.chance(0.4) ? all.toSorted(() => random.next() - 0.5) : all;
  while (some.length > 0) {
    const line = some.shift()!;
    const next = some[0];
    if (next !== undefined && random.chance(0.3) && !/^# /.test(line[0]!.text) && !/^# /.test(next[0]!.text)) {
      const start = after(line, random.int(3, 16));
      some.shift();
      lines.push([...line, ...next.map((one) => ({ ...one, at: one.at - next[0]!.at + start }))]);
    } else lines.push(line);
  }
  return lines;
}

function period({ random, facts, date, left }: Typist, title: string): Line {
  const isMonth = facts.frequency === 'month';
  const word = isMonth ? random.pick(['Month', 'Mth', 'month']) : random.pick(['Week', 'Wk', 'week']);
  const span = spanOf(random, date, facts);
  const number = `${facts.number}`;
  const gap = random.pick([1, 1, 1, 3, 8]);
  const titled = title === '' ? 'Payslip' : title;
  const [label, value, role] = random.weighted<readonly [string, string, Lesson]>([
    [[random.pick(['W/E', 'W/E:', 'Week ending', 'Period Ending :', 'Period ended', 'M/E', 'Month ending:', 'Week Commencing', 'W/C', 'Mth ended', 'Period to']), date(facts.to), 'period'], 18], // prettier-ignore
    [[random.pick(['Pay period:', 'Period:', 'Period', 'Pay Run Period:', 'for the period', 'Pay for', 'From', '']), span, 'period'], 20], // prettier-ignore
    [[random.pick(['Month:', 'Pay month', 'Period:', 'Payroll period:', `${titled} for`, `${titled} for the month of`, 'Your pay for', '']), isMonth ? monthName(random, facts.to) : span, 'period'], 22], // prettier-ignore
    [[random.pick([`Tax ${word}`, word, 'Period', 'Tax Period', 'Period No', 'PERIOD NO', 'Tax period:', `${word} No.`, 'Wage week', `Pay ${word}`]), number, 'period'], 14], // prettier-ignore
    [['', `${random.pick(['Tax ', ''])}${word} ${number}`, 'period'], 5],
    [[`${titled} for`, `${word.toLowerCase()} ${number}`, 'period'], 5],
    [[random.pick(['Period:', 'Pay period', 'Tax period', '']), `${word} ${number}${random.pick([' ', ', ', ' / '])}${facts.from.slice(0, 4)}${random.pick(['/', '-'])}${Number(facts.from.slice(2, 4)) + 1}`, 'period'], 4], // prettier-ignore
    [[`${titled} for the ${random.pick(['two weeks', '4 weeks', 'fortnight', 'week', 'month', 'period'])} ${random.pick(['ended', 'ending', 'to'])}`, date(facts.to), 'period'], 9], // prettier-ignore
    [
      [`${random.pick(['Month', 'Week'])} ${number} ${random.pick(['ended', 'ending'])}`, date(facts.to), 'untaught'],
      2,
    ],
  ]);
  return label === '' ? [part(left, value, role)] : labelled(left, label, value, role, gap);
}
