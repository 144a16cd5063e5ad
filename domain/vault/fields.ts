import { emailIdentity } from '../auth.ts';
import type { InputFault } from '../errors.ts';
import { accountNumberForm, codeForm, digitsForm, phoneForm, storedForm } from './forms.ts';
import * as masks from './masks.ts';
import type { PiiData, PiiType, PiiTypes } from './types.ts';

export interface FieldKind {
  /** Gives spellings that count as the same value one spelling. */
  form: (value: string) => string;
  mask: (value: string) => string;
  /** In characters of the stored form, because normalising can make text longer. */
  most?: number;
}

const email: FieldKind = { form: emailIdentity, mask: masks.maskEmail };
const phone: FieldKind = { form: phoneForm, mask: masks.maskPhone };
const name = (most: number): FieldKind => ({ form: storedForm, mask: masks.maskName, most });
const locality: FieldKind = { form: storedForm, mask: masks.initial, most: 100 };
const hiddenText = (most: number): FieldKind => ({ form: storedForm, mask: masks.maskAll, most });
const hiddenCode: FieldKind = { form: codeForm, mask: masks.maskAll };
const postcode: FieldKind = { form: codeForm, mask: masks.maskPostcode };
const date: FieldKind = { form: storedForm, mask: masks.maskDate };
const nationalInsurance: FieldKind = { form: codeForm, mask: masks.maskNationalInsuranceNumber };
const documentNumber: FieldKind = { form: codeForm, mask: masks.maskNumber };
const payrollNumber: FieldKind = { form: storedForm, mask: masks.maskNumber, most: 35 };
const payeReference: FieldKind = { form: codeForm, mask: masks.maskPayeReference };
const sortCode: FieldKind = { form: digitsForm, mask: masks.maskSortCode };
const accountNumber: FieldKind = { form: accountNumberForm, mask: masks.maskAccountNumber };
const bank = { account_holder_name: name(140), sort_code: sortCode, account_number: accountNumber };

export const PII_FIELDS: { readonly [T in PiiType]: Readonly<Record<keyof PiiTypes[T], FieldKind>> } = {
  user_email: { email },
  user_phone: { phone },
  user_name: { title: hiddenText(20), first_name: name(100), middle_names: name(100), last_name: name(100) },
  user_address: {
    line_1: hiddenText(100),
    line_2: hiddenText(100),
    line_3: hiddenText(100),
    city: locality,
    county: locality,
    postcode,
    country: hiddenCode,
  },
  user_date_of_birth: { date_of_birth: date },
  user_national_insurance: { national_insurance_number: nationalInsurance },
  user_passport: { passport_number: documentNumber, issuing_country: hiddenCode, expires_on: date },
  user_driving_licence: { licence_number: documentNumber, expires_on: date },
  employee_bank: bank,
  employee_payroll: { payroll_number: payrollNumber, employer_name: name(140), paye_reference: payeReference },
  employee_tax: { tax_code: hiddenCode, national_insurance_number: nationalInsurance },
  payee_bank: bank,
};

export const PII_TYPES = Object.keys(PII_FIELDS) as readonly PiiType[];

const VAULT_REF = /^vault:(\w+):[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function piiTypeOf(vaultRef: string): PiiType | undefined {
  const named = VAULT_REF.exec(vaultRef)?.[1];
  return PII_TYPES.find((piiType) => piiType === named);
}

export function fieldsOf(piiType: PiiType): ReadonlyMap<string, FieldKind> {
  return new Map(Object.entries<FieldKind>(PII_FIELDS[piiType]));
}

export function storedData(data: PiiData): PiiData {
  return Object.fromEntries(Object.entries(data).map(([field, value]) => [field, storedForm(value)]));
}

/** Finds faults that the contract cannot express. `stored` has normalised values. `today` is a London date. */
export function dataFaults(piiType: PiiType, stored: PiiData, today: string): InputFault[] {
  const faults: InputFault[] = [];
  for (const [field, { most = Infinity }] of fieldsOf(piiType)) {
    if (Array.from(stored[field] ?? '').length > most)
      faults.push({ pointer: `/data/${field}`, detail: `must have at most ${most} characters` });
  }
  if (piiType === 'user_date_of_birth' && stored.date_of_birth! > today)
    faults.push({ pointer: '/data/date_of_birth', detail: 'must not be in the future' });
  return faults;
}

/** Leaves out members that are not fields of the record's type. */
export function maskedData(piiType: PiiType, data: PiiData): Record<string, string> {
  const fields = [...fieldsOf(piiType)].flatMap(([field, { mask }]) => {
    const value = data[field];
    return value === undefined ? [] : [[field, mask(value)] as const];
  });
  return Object.fromEntries(fields);
}
