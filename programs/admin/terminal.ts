import { inPounds } from '../../domain/money.ts';

export interface Terminal {
  /** The width in characters. */
  columns: number;
}

type Fields = readonly (readonly [name: string, value: unknown])[];

/** A sentence, if the command has one. Otherwise tables: a row for each item of a list, and a row for each other field. */
export function inTerminal(reply: object, says: string | undefined, { columns }: Terminal): string {
  const fields = Object.entries(reply);
  const isPlain = fields.every(([, value]) => !isList(value) || value.length === 0);
  if (says !== undefined && isPlain) return filledIn(says, new Map(fields));
  const isTable = (value: unknown) => isList(value) && (value.length > 0 || fields.length === 1);
  const lists = fields.filter((field): field is [string, object[]] => isTable(field[1]));
  const single = fields.filter(([, value]) => !isTable(value));
  const parts = [
    ...(single.length > 0 ? [record(single)] : []),
    ...lists.map(([name, items]) => titled(fields.length > 1 ? name : undefined, table(items, columns))),
  ];
  return parts.join('\n\n');
}

/** No list of plain values, such as scopes: that is one cell. */
function isList(value: unknown): value is object[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
}

function filledIn(says: string, fields: ReadonlyMap<string, unknown>): string {
  return says.replace(/\{(\w+)\}/g, (_all, name: string) => cell(name, fields.get(name)));
}

function titled(name: string | undefined, text: string): string {
  return name === undefined ? text : `${name}:\n${text}`;
}

/** Items that are too wide for the terminal are shown one below another. */
function table(items: readonly object[], columns: number): string {
  if (items.length === 0) return 'None.';
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const cells = items.map((item) => {
    const fields = new Map(Object.entries(item) as Fields);
    return names.map((name) => inOneLine(cell(name, fields.get(name))));
  });
  const rows = [names, ...cells];
  const widths = names.map((_name, column) => Math.max(...rows.map((row) => widthOf(row[column]!))));
  if (widths.reduce((sum, width) => sum + width + 2, -2) > columns)
    return items.map((item) => record(Object.entries(item) as Fields)).join('\n\n');
  return rows
    .map((row) =>
      row
        .map((text, column) => padded(text, widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function record(fields: Fields): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields
    .map(([name, value]) => {
      const text = cell(name, value);
      return text.includes('\n') ? `${name}:\n${text.trimEnd()}` : `${name.padEnd(width)}  ${text}`;
    })
    .join('\n');
}

/** In pence. */
const AMOUNTS = new Set(['amount', 'income_per_owner', 'income_per_month', 'safe_to_spend', 'in_vaults', 'in_flight']);

function cell(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return AMOUNTS.has(name) ? inPounds(value) : String(value);
  if (typeof value === 'string') return harmless(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return cell(name, value.join(' '));
  return harmless(JSON.stringify(value));
}

/** Text of others, such as a bank, must not control the terminal or reorder a line. */
function harmless(text: string): string {
  return text.replace(/(?!\n)\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

function inOneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}

const CHARACTERS = new Intl.Segmenter('en');

function widthOf(text: string): number {
  return [...CHARACTERS.segment(text)].length;
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text));
}
