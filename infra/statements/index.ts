import { readFile, stat } from 'node:fs/promises';
import { readCamt } from './camt.ts';
import { readCsv } from './csv.ts';
import { StatementError, type Statement } from './statement.ts';

export type { Entry, Statement } from './statement.ts';

const WHOLE = 8;
const LAST_DIGITS = 4;
const MOST_BYTES = 50 * 1_024 * 1_024;

/**
 * Reads CSV or camt.053. `account` is the number or IBAN of the account.
 * @throws StatementError if the file is of another account, or anything in it could mean two things.
 */
export async function readStatement(file: string, account: string): Promise<Statement> {
  if (bare(account).length < WHOLE)
    throw new StatementError(`The account "${account}" is no whole number or IBAN of an account.`);
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new StatementError(`There is no file ${file}.`);
  if (found.size > MOST_BYTES) throw new StatementError(`The file ${file} has more than 50 MB. Divide it.`);
  const text = new TextDecoder().decode(await readFile(file));
  const statement = read(text);
  if (!statement.accounts.every((named) => isSame(bare(named), bare(account))))
    throw new StatementError(`The file ${file} is of another account than ${account}.`);
  return statement;
}

function read(text: string): Statement {
  try {
    return text.trimStart().startsWith('<') ? readCamt(text) : readCsv(text);
  } catch (error) {
    if (error instanceof RangeError) throw new StatementError('The file is nested too deeply.');
    throw error;
  }
}

/** Files have the number with or without the sort code, an IBAN, or only the last digits. */
function isSame(named: string, account: string): boolean {
  return named.endsWith(account) || (named.length >= LAST_DIGITS && account.endsWith(named));
}

const bare = (text: string) => text.replaceAll(/[^0-9A-Za-z]/g, '').toUpperCase();
