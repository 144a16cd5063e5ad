import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { isCalendarDate } from '../../domain/dates.ts';
import { penceIn, StatementError, type Entry, type Statement } from './statement.ts';

/** ISO 20022 camt.053, of any version. The parser knows no entities but those of XML itself, and ignores document types. */
export function readCamt(text: string): Statement {
  const statements = all(rootOf(text), 'BkToCstmrStmt', 'Stmt');
  if (statements.length === 0) throw new StatementError('The file is no statement in the form camt.053.');
  const accounts = statements.flatMap((statement) =>
    [all(statement, 'Acct', 'Id', 'IBAN'), all(statement, 'Acct', 'Id', 'Othr', 'Id')].flat().map(textOf),
  );
  return {
    accounts: [...new Set(accounts)],
    entries: statements.flatMap((one) => all(one, 'Ntry')).flatMap(entriesOf),
  };
}

function rootOf(text: string): XmlElement {
  try {
    return parseXml(text).root!;
  } catch {
    throw new StatementError('The file is no well-formed XML.');
  }
}

/** Several payments that were booked as one, if each has its amount. */
function entriesOf(entry: XmlElement, index: number): Entry[] {
  if (textAt(entry, ['Sts', 'Cd']) !== 'BOOK' && textAt(entry, ['Sts']) !== 'BOOK') return [];
  const amount = amountOf(entry, index);
  if (amount === undefined) return [];
  const booked = (textAt(entry, ['BookgDt', 'Dt']) ?? textAt(entry, ['BookgDt', 'DtTm']) ?? '').slice(
    0,
    'YYYY-MM-DD'.length,
  );
  if (!isCalendarDate(booked)) throw new StatementError(`Entry ${index + 1} has no day of its booking.`);
  // Also of a reversal: that of a debit is CRDT.
  const isDebit = textAt(entry, ['CdtDbtInd']) === 'DBIT';
  const details = all(entry, 'NtryDtls', 'TxDtls');
  const parts = details.map((detail) => amountOf(detail, index) ?? amountOf(all(detail, 'AmtDtls', 'TxAmt')[0], index));
  const isSplit = details.length > 1 && parts.reduce<number>((sum, part) => sum + (part ?? 0), 0) === amount;
  const made = (pence: number, about: readonly XmlElement[]): Entry => ({
    amount: isDebit ? -pence : pence,
    bookedOn: booked,
    texts: about.flatMap(textsIn),
    bankReference: textAt(entry, ['AcctSvcrRef']) ?? textAt(entry, ['NtryRef']) ?? null,
  });
  return isSplit ? details.map((detail, part) => made(parts[part]!, [detail])) : [made(amount, [entry])];
}

/** Undefined without an amount, or in another currency. */
function amountOf(of: XmlElement | undefined, index: number): number | undefined {
  const amount = of && all(of, 'Amt')[0];
  if (amount === undefined || amount.attributes.Ccy !== 'GBP') return undefined;
  const pence = penceIn(textOf(amount));
  if (pence === undefined || pence < 0)
    throw new StatementError(`Entry ${index + 1} has an amount that cannot be read.`);
  return pence;
}

/** What can name a payment or its payee: ids, names, accounts and references. */
const NAMING = new Set([
  'EndToEndId',
  'InstrId',
  'TxId',
  'PmtInfId',
  'Nm',
  'IBAN',
  'Id',
  'Ustrd',
  'Ref',
  'AddtlNtryInf',
  'AddtlTxInf',
]);

function textsIn(element: XmlElement): string[] {
  const own = NAMING.has(local(element)) && children(element).length === 0 ? [textOf(element)] : [];
  return [...own, ...children(element).flatMap(textsIn)].filter((text) => text !== '');
}

const children = (element: XmlElement) => element.children.filter((child) => child instanceof XmlElement);
const local = ({ name }: XmlElement) => name.split(':').at(-1)!;
const textOf = (element: XmlElement) => element.text.trim();

function all(element: XmlElement, ...path: readonly string[]): XmlElement[] {
  return path.reduce((found, name) => found.flatMap(children).filter((child) => local(child) === name), [element]);
}

function textAt(element: XmlElement, path: readonly string[]): string | undefined {
  const [found] = all(element, ...path);
  return found === undefined || textOf(found) === '' ? undefined : textOf(found);
}
