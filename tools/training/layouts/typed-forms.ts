import { personName } from './facts.ts';
import { OTHER_TEXTS, OTHER_TITLES } from './others.ts';
import type { Lesson } from './paper.ts';
import { NONE, endingAt, labelled, part, type Line, type Typist } from './typed-lines.ts';

export function p60({ random, facts, money, left, right }: Typist): Line[] {
  const year = Number(facts.payDate.slice(0, 4));
  const named = random.pick([`Tax year to 5 April ${year}`, `Year to 5 April ${year}`, `Tax year ${year - 1} to ${year}`, `Tax Year ${year - 1}/${String(year).slice(2)}`]); // prettier-ignore
  const [pay, tax] = random.pick([['Total pay for tax year', 'Total tax deducted'], ['Pay for the year', 'Tax for the year'], ['Pay in this employment', 'Tax deducted in this employment'], ['Total for year: pay', 'Total for year: tax deducted'], ['Pay', 'Tax deducted'], ['Your pay', 'Your tax'], ['Total pay in this employment', 'Total tax in this employment'], ['Taxable pay for the year', 'Income tax deducted']] as const); // prettier-ignore
  const [gross, taken] = [facts.gross.ytd * 3, Math.round(facts.gross.ytd * random.between(0, 0.8))];
  const end = Math.max(left + 46, right);
  const dots = random.chance(0.2);
  const line = (label: string, pence: number, role: Lesson): Line => [part(left, dots ? `${label} ${'.'.repeat(Math.max(3, end - left - label.length - 16))}` : label), endingAt(end, money(pence) || '0.00', role)]; // prettier-ignore
  const lines: Line[] = [[part(left, random.pick(['P60 End of Year Certificate', 'P60', 'End of year certificate P60', `Your P60 for ${year - 1}-${String(year).slice(2)}`])), part(left + 40, named, 'period')]]; // prettier-ignore
  const employer = labelled(left, random.pick(['Employer:', 'Employer', "Employer's name", 'Employer name:']), facts.employer, 'employer', random.pick([1, 6, 14])); // prettier-ignore
  if (random.chance(0.5)) lines.push(employer);
  const [earlier, earlierTax] = random.chance(0.5) ? [0, 0] : [Math.round(gross / 7), Math.round(taken / 9)];
  const isOwn = /this employment/.test(pay);
  if (isOwn && random.chance(0.5)) lines.push(line('Pay in previous employment', earlier, 'none'), line('Tax deducted in previous employment', earlierTax, 'none')); // prettier-ignore
  lines.push(line(pay, gross, 'gross'), line(tax, taken, 'tax'));
  if (isOwn && random.chance(0.5)) lines.push(line(random.pick(['Total for year: pay', 'Total pay for the year']), gross + earlier, 'none'), line(random.pick(['Total for year: tax deducted', 'Total tax for the year']), taken + earlierTax, 'none')); // prettier-ignore
  if (random.chance(0.8)) lines.push(line(random.pick(["Employee's NIC", "Employee's contributions", 'Employee contributions payable', 'National Insurance contributions', 'Your NI', 'Employee NI']), Math.round(gross * random.between(0.01, 0.09)), 'ni')); // prettier-ignore
  if (random.chance(0.4)) lines.push(line(random.pick(["Employer's NIC", "Employer's contributions", 'Employer NI']), Math.round(gross * 0.11), 'employers')); // prettier-ignore
  if (random.chance(0.7)) lines.push(labelled(left, 'Final tax code', facts.code, 'code', random.pick([1, 6, 20])));
  if (lines.every((one) => one.every(({ role }) => role !== 'employer'))) lines.push(employer);
  return lines;
}

export function p45({ random, facts, money, date, left, right }: Typist): Line[] {
  const [pay, tax] = [facts.gross.ytd * 2, Math.round(facts.gross.ytd * random.between(0, 0.6))];
  const [own, ownTax] = [Math.round(pay * 0.8), Math.round(tax * 0.8)];
  const isTotal = random.chance(0.75);
  const ownRoles: [Lesson, Lesson] = isTotal ? ['base', 'base'] : ['gross', 'tax'];
  const end = Math.max(left + 44, right);
  const numbered = random.chance(0.5);
  const name = (number: number, label: string): string => (numbered ? `${number}${random.pick([' ', '   '])}${label}` : label); // prettier-ignore
  const below = random.chance(0.3);
  const pair = (
    number: number,
    [first, second]: readonly [string, string],
    [a, b]: readonly [number, number] | readonly [null, null],
    roles: readonly [Lesson, Lesson],
  ): Line[] => {
    const middle = left + 42;
    if (below) return [[part(left, name(number, first)), part(middle, name(number, second))], a === null ? NONE : [part(left, money(a) || '0.00', roles[0]), part(middle, money(b) || '0.00', roles[1])]]; // prettier-ignore
    return [[part(left, name(number, first)), ...(a === null ? [] : [endingAt(end, money(a) || '0.00', roles[0])])], [part(left, numbered ? `    ${second}` : second), ...(b === null ? [] : [endingAt(end, money(b) || '0.00', roles[1])])]]; // prettier-ignore
  };
  const totals = random.pick([['Total pay to date', 'Total tax to date'], ['Pay to date', 'Tax to date'], ['Total pay to leaving date', 'Total tax to leaving date']] as const); // prettier-ignore
  const ownNames = random.pick([['This employment: total pay', 'This employment: total tax'], ['Total pay in this employment', 'Total tax in this employment'], ['Pay in this employment', 'Tax in this employment'], ['This employment pay', 'This employment tax']] as const); // prettier-ignore
  const lines: Line[] = [[part(left, random.pick(['P45 Part 1A', 'P45', 'P45 Part 1'])), part(left + random.int(14, 34), 'Details of employee leaving work')]]; // prettier-ignore
  const leaving = random.chance(0.3) ? facts.to.split('-').reverse().join(' ') : date(facts.to);
  lines.push(labelled(left, name(4, random.pick(['Leaving date', 'Leaving date:', 'Date of leaving', 'Date left'])), leaving, 'date', random.pick([1, 6, 20]))); // prettier-ignore
  if (random.chance(0.6)) lines.push(labelled(left, name(6, random.pick(['Tax code at leaving date:', 'Tax code at leaving date', 'Tax code'])), facts.code, 'code', random.pick([1, 10]))); // prettier-ignore
  if (random.chance(0.12)) {
    lines.push([endingAt(left + 34, 'Pay'), endingAt(left + 50, 'Tax')], [part(left, 'Total to date'), endingAt(left + 34, money(pay) || '0.00', 'gross'), endingAt(left + 50, money(tax) || '0.00', 'tax')]); // prettier-ignore
    lines.push([part(left, 'This employment'), endingAt(left + 34, money(own) || '0.00', 'base'), endingAt(left + 50, money(ownTax) || '0.00', 'base')]); // prettier-ignore
  } else {
    if (isTotal || random.chance(0.5))
      lines.push(...pair(7, totals, isTotal ? [pay, tax] : [null, null], ['gross', 'tax']));
    if (!isTotal || random.chance(0.6)) lines.push(...pair(8, ownNames, [own, ownTax], ownRoles));
  }
  lines.push(labelled(left, name(13, random.pick(['Employer name', 'Employer:', 'Employer name and address'])), facts.employer, 'employer', random.pick([1, 8, 20]))); // prettier-ignore
  return lines;
}

export function other({ random, facts, money, date, left, right }: Typist): Line[] {
  const columns = random.int(1, 3);
  const lines: Line[] = [[part(left, random.chance(0.2) ? `# ${facts.employer}` : facts.employer)], [part(left, random.pick(OTHER_TITLES)), part(left + 30, date(facts.payDate))], NONE]; // prettier-ignore
  for (const text of random.some(OTHER_TEXTS, random.int(2, 10)))
    lines.push([...(random.chance(0.3) ? [part(left, `${date(facts.payDate)} ${text}`)] : [part(left, text)]), ...Array.from({ length: columns }, (_, n) => endingAt(Math.max(left + 40, right) + n * 14, money(random.int(100, 500_000)) || '0.00'))]); // prettier-ignore
  return lines;
}

export function register(typist: Typist): Line[] {
  const { random, money, say, left } = typist;
  const kinds = random.some(['gross', 'tax', 'ni', 'pension', 'deductions', 'net'] as const, random.int(3, 6));
  const heads = kinds.map((kind, n) => endingAt(left + 26 + (n + 1) * 15, say(kind).slice(0, 14)));
  const row = (): Line => [part(left, personName(random)), ...kinds.map((_, n) => endingAt(left + 26 + (n + 1) * 15, money(random.int(2_000, 400_000))))]; // prettier-ignore
  return [[part(left, random.pick(['Payroll Summary', 'Payroll register', 'Gross to net', 'Pay run']))], [part(left, random.pick(['Employee', 'Name'])), ...heads], ...Array.from({ length: random.int(2, 9) }, row)]; // prettier-ignore
}
