import { readFileSync } from 'node:fs';
import type { Reading } from '../../domain/legacy/reading.ts';

/** Amounts are pence; null if the page lacks one. */
export interface TypedLayout {
  name: string;
  text: string;
  type: Reading['document_type'];
  gross: number | null;
  net: number | null;
  tax: number | null;
  ni: number | null;
  pension: number | null;
  /** The five amounts as `amountsOf` gives them. `~` follows an amount whose certainty does not matter. */
  amounts: string;
  employer?: string;
  period?: string;
  payDate?: string;
  taxYear?: string;
  taxCode?: string;
}

/**
 * Reads pages of typed text. A name follows `===`, and facts follow `>`: first the five amounts, then `key=value`.
 * `swap=a|b|c` stands for more pages, with `b` or `c` instead of `a`. Facts with several values have one
 * for each of these pages. A line may begin with spaces, and `\n` begins a new one.
 */
export function layoutsIn(file: string): TypedLayout[] {
  const source = readFileSync(new URL(file, import.meta.url), 'utf8');
  return source.split(/^=== /m).slice(1).flatMap(layoutsOf);
}

function layoutsOf(part: string): TypedLayout[] {
  const [name, ...lines] = part.split('\n');
  const isFact = (line: string): boolean => line.startsWith('> ');
  const [amounts, ...facts] = lines.filter(isFact).flatMap((line) => line.slice(2).split('; '));
  const text = lines.filter((line) => !isFact(line)).join('\n');
  const valuesOf = (fact: string): string[] =>
    fact
      .slice(fact.indexOf('=') + 1)
      .replaceAll('\\n', '\n')
      .split('|');
  const known = facts.filter((fact) => !fact.startsWith('swap='));
  const pageOf = (changed: string, how = '', place = 0, places = 1): TypedLayout => {
    const chosen = (values: string[]): string => values[values.length === places ? place : 0]!;
    const told = chosen(amounts!.split('|'));
    const [gross, net, tax, ni, pension] = told
      .split(' ')
      .map((one) => (one === '-' ? null : Number.parseInt(one, 10)));
    const words = Object.fromEntries(known.map((fact) => [fact.slice(0, fact.indexOf('=')), chosen(valuesOf(fact))]));
    const figures = { gross: gross!, net: net!, tax: tax!, ni: ni!, pension: pension! };
    return { name: `${name}${how}`, text: changed, type: 'payslip', amounts: told, ...figures, ...words };
  };
  const swaps = facts.filter((fact) => fact.startsWith('swap=')).map(valuesOf);
  const swapped = swaps.flatMap((values) =>
    values.slice(1).map((value, at) => {
      if (!text.includes(values[0]!)) throw new Error(`the page "${name}" lacks "${values[0]}"`);
      const how = `: "${value.trim()}"`;
      return pageOf(inColumns(text, values[0]!, value), how, at + 1, values.length);
    }),
  );
  return [pageOf(text), ...swapped];
}

/** What stands to the right of wide spaces keeps its column. */
function inColumns(text: string, from: string, to: string): string {
  return text.split(from).reduce((before, after) => {
    const gap = /^ {2,}(?=\S)/.exec(after)?.[0].length ?? 0;
    const kept = gap === 0 ? '' : ' '.repeat(Math.max(2, gap + from.length - to.length));
    return `${before}${to}${kept}${after.slice(gap)}`;
  });
}

const LAYOUTS = layoutsIn('legacy-layouts.txt');

export const PAYSLIPS: readonly TypedLayout[] = LAYOUTS.filter(({ type }) => type === 'payslip');
export const CERTIFICATES: readonly TypedLayout[] = LAYOUTS.filter(({ type }) => type !== 'payslip');
