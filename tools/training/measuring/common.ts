import { insuranceOn, SCHEMES, taxOn, type Kind, type Line, type Pay } from '../../payslips/figures.ts';
import type { Printed } from '../../payslips/layout.ts';
import { periodNames } from '../../payslips/parts.ts';
import type { Random } from '../../payslips/random.ts';
import { date, type DateStyle, type Words } from '../../payslips/words.ts';
import { WORDINGS } from './wordings.ts';

type Alternatives = Readonly<Partial<Record<Kind, readonly string[]>>>;

/** A kind without own alternatives gets a general label. */
export function wording(random: Random, own: Alternatives = {}): Words {
  const kinds = Object.keys(WORDINGS) as Kind[];
  return Object.fromEntries(kinds.map((kind) => [kind, random.pick(own[kind] ?? WORDINGS[kind])])) as Words;
}

export function capitals(labels: Words): Words {
  return Object.fromEntries(Object.entries(labels).map(([kind, label]) => [kind, label.toUpperCase()])) as Words;
}

/** Recalculates the totals, tax, National Insurance and pension from the new lines. */
export function withLines(pay: Pay, payments: Line[], deductions: Line[]): Pay {
  const all = [...payments, ...deductions];
  const sum = (lines: readonly Line[], of: 'amount' | 'ytd') => lines.reduce((total, line) => total + line[of], 0);
  const only = (kinds: readonly Kind[], of: 'amount' | 'ytd') => sum(all.filter(({ kind }) => kinds.includes(kind)), of); // prettier-ignore
  const [gross, totalDeductions] = [sum(payments, 'amount'), sum(deductions, 'amount')];
  const [grossYtd, deductionsYtd] = [sum(payments, 'ytd'), sum(deductions, 'ytd')];
  const hasPension = deductions.some(({ kind }) => kind === 'pension');
  const ytd = { ...pay.ytd, gross: grossYtd, deductions: deductionsYtd, net: grossYtd - deductionsYtd, tax: only(['tax'], 'ytd'), ni: only(['ni'], 'ytd'), pension: hasPension ? only(['pension', 'avc'], 'ytd') : 0 }; // prettier-ignore
  return {
    ...pay,
    payments,
    deductions,
    gross,
    totalDeductions,
    net: gross - totalDeductions,
    tax: only(['tax'], 'amount'),
    ni: only(['ni'], 'amount'),
    pension: hasPension ? only(['pension', 'avc'], 'amount') : null,
    ytd,
  };
}

/** Recalculates tax and National Insurance, and changes the year to date by the difference. */
export function taxedAgain(pay: Pay, payments: Line[], { insured = true, pension = true } = {}): Pay {
  const gross = payments.reduce((total, { amount }) => total + amount, 0);
  const before = pay.gross - pay.taxable;
  const scheme = SCHEMES[pay.frequency];
  const deductions = pay.deductions.flatMap((line): Line[] => {
    if (line.kind === 'pension' || line.kind === 'avc') return pension ? [line] : [];
    if (line.kind === 'ni' && !insured) return [];
    if (line.kind !== 'tax' && line.kind !== 'ni') return [line];
    const taxable = gross - (pension ? before : 0);
    const amount = line.kind === 'tax' ? taxOn(taxable, pay.taxCode, scheme) : insuranceOn(gross, pay.niLetter, scheme);
    return [{ ...line, amount, ytd: Math.max(amount, line.ytd - line.amount + amount) }];
  });
  return withLines(pay, payments, deductions);
}

/** The sacrifice is a negative payment of the kind `pension`. */
export function exchanged(pay: Pay): { pay: Pay; given: number | null } {
  const own = pay.deductions.filter(({ kind }) => kind === 'pension' || kind === 'avc');
  if (pay.pension === null || pay.pension === 0) return { pay: taxedAgain(pay, pay.payments, { pension: false }), given: null }; // prettier-ignore
  const ytd = own.reduce((total, line) => total + line.ytd, 0);
  const payments = [...pay.payments, { kind: 'pension', amount: -pay.pension, ytd: -ytd } satisfies Line];
  const after = taxedAgain(pay, payments, { pension: false });
  return { pay: { ...after, niable: after.gross, taxable: after.gross }, given: pay.pension };
}

/** The second line has the kind `avc`. */
export function inTwo(pay: Pay, share: number): Pay {
  const own = pay.deductions.find(({ kind }) => kind === 'pension');
  if (!own || pay.deductions.some(({ kind }) => kind === 'avc')) return pay;
  const part = (of: number) => Math.round(of * share);
  const halves: Line[] = [{ ...own, amount: own.amount - part(own.amount), ytd: own.ytd - part(own.ytd) }, { kind: 'avc', amount: part(own.amount), ytd: part(own.ytd) }]; // prettier-ignore
  return withLines(
    pay,
    pay.payments,
    pay.deductions.flatMap((line) => (line === own ? halves : [line])),
  );
}

export function amountsOf(pay: Pay) {
  return { gross_pay: pay.gross, net_pay: pay.net, tax_deducted: pay.tax, ni_deducted: pay.ni, pension_deducted: pay.pension }; // prettier-ignore
}

export function span(pay: Pay, style: DateStyle, between = ' - '): string {
  return `${date(pay.from, style)}${between}${date(pay.to, style)}`;
}

/** `number` allows names with the period's number. */
export function period(pay: Pay, printed: string, also: readonly string[] = [], number = true) {
  const spans = [' - ', ' to ', ' '].map((between) => printed.replace(/ (?:-|to) /, between));
  return { pay_period: printed, pay_period_also: [...new Set([...spans, ...also, ...(number ? periodNames(pay) : [])])] }; // prettier-ignore
}

type Told = 'date' | 'code' | 'reference' | 'number';

export function texts(pay: Pay, ...printed: Told[]): Partial<Printed> {
  return {
    ...(printed.includes('date') && { pay_date: pay.payDate }),
    ...(printed.includes('code') && { tax_code: pay.taxCode }),
    ...(printed.includes('reference') && { paye_reference: pay.employer.payeReference }),
    ...(printed.includes('number') && { ni_number: pay.employee.niNumber }),
  };
}

/** An amount that another period could have. */
export function near(random: Random, amount: number): number {
  return random.chance(0.3) ? amount : Math.round(amount * random.between(0.82, 1.15));
}

/** In characters. */
export function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1)!;
    if (last !== '' && last.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
