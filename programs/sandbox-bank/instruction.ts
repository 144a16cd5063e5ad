import { paymentOfInstruction } from '../../infra/bank/obie-4.0/identifiers.ts';
import { list, objectIn, record } from '../../infra/bank/obie-4.0/json.ts';
import { minorUnitsOf } from './amounts.ts';
import type { Fault } from './exchange.ts';

/** The parts of an OBDomesticVRPRequest that the bank needs. `amount` is in pence. */
export interface Instruction {
  paymentId: string;
  attempt: number;
  amount: number;
  account: { sortCode: string; accountNumber: string };
  consentId: string;
  /** The JSON of `{Data, Risk}`, which responses repeat. */
  request: string;
}

export function readInstruction(body: Buffer): Instruction | Fault {
  const { Data: data, Risk: risk } = objectIn(body) ?? {};
  const { ConsentId: consentId, Instruction: order } = record(data);
  if (!risk || !order || typeof consentId !== 'string')
    return { code: 'U010', message: 'The body is not a domestic VRP request.' };
  const instruction = record(order);
  const invalid = (path: string, message: string): Fault => ({
    code: 'U002',
    message,
    path: `Data.Instruction.${path}`,
  });
  const named = paymentOfInstruction(String(instruction['InstructionIdentification']));
  if (named === null)
    return invalid(
      'InstructionIdentification',
      'The id must be 32 hexadecimal digits, a dash and the number of the attempt.',
    );
  const endToEnd = String(instruction['EndToEndIdentification']);
  if (!/^[A-Za-z0-9]{1,31}$/.test(endToEnd))
    return invalid('EndToEndIdentification', 'Faster Payments requires 1 to 31 letters and digits.');
  const { Amount: pounds, Currency: currency } = record(instruction['InstructedAmount']);
  const amount = minorUnitsOf(pounds);
  if (amount === null || amount < 1)
    return invalid('InstructedAmount.Amount', 'The amount is not in pounds and pence.');
  if (currency !== 'GBP') return { code: 'U023', message: 'Only GBP can be sent.' };
  const { SchemeName: scheme, Identification: identification } = record(instruction['CreditorAccount']);
  if (scheme !== 'UK.OBIE.SortCodeAccountNumber') return { code: 'U027', message: 'Only UK accounts can be paid.' };
  const account = /^(\d{6})(\d{8})$/.exec(String(identification));
  if (account === null) return { code: 'U021', message: 'The account is not a sort code and an account number.' };
  if (instruction['SupplementaryData'] !== undefined)
    return invalid('SupplementaryData', 'No supplementary data is agreed.');
  return {
    ...named,
    amount,
    account: { sortCode: String(account[1]), accountNumber: String(account[2]) },
    consentId,
    request: JSON.stringify({ Data: data, Risk: risk }),
  };
}

export function referenceOf(instruction: Record<string, unknown>): string | null {
  const [structured] = list(record(instruction['RemittanceInformation'])['Structured']);
  const { Reference: reference } = record(record(structured)['CreditorReferenceInformation']);
  return typeof reference === 'string' && reference !== '' ? reference : null;
}
