import type { PiiType, PiiTypes } from '../../domain/vault/types.ts';

/** A complete record of each type, which the vault stores unchanged. */
export const EXAMPLES: { readonly [T in PiiType]: Required<PiiTypes[T]> } = {
  user_email: { email: 'Penelope.Quux+bank@mail.example.org' },
  user_phone: { phone: '+44 (0)7700 900123' },
  user_name: { title: 'Dr', first_name: 'Penelope', middle_names: 'Mary Ann', last_name: "O'Quux-Zyx" },
  user_address: {
    line_1: '17 Lantern Street',
    line_2: 'Upper Floor',
    line_3: 'Old Town',
    city: 'Zedbury',
    county: 'Quuxshire',
    postcode: 'ZE1 7QX',
    country: 'GB',
  },
  user_date_of_birth: { date_of_birth: '1985-12-10' },
  user_national_insurance: { national_insurance_number: 'PX 70 61 92 B' },
  user_passport: { passport_number: '533401372', issuing_country: 'GBR', expires_on: '2031-05-14' },
  user_driving_licence: { licence_number: 'QUUXX862105PM9IJ', expires_on: '2033-02-28' },
  employee_bank: { sort_code: '20-49-71', account_number: '80931746', account_holder_name: 'Penelope Quux' },
  employee_payroll: {
    payroll_number: '004217',
    employer_name: 'Analytical Engines Ltd',
    paye_reference: '475/QX90210',
  },
  employee_tax: { tax_code: 'S1257L M1', national_insurance_number: 'PX706192B' },
  payee_bank: { account_holder_name: 'Zebediah Energy', sort_code: '309634', account_number: '71920483' },
};

export const REQUIRED: { readonly [T in PiiType]: readonly (keyof PiiTypes[T])[] } = {
  user_email: ['email'],
  user_phone: ['phone'],
  user_name: ['first_name', 'last_name'],
  user_address: ['line_1', 'city', 'postcode'],
  user_date_of_birth: ['date_of_birth'],
  user_national_insurance: ['national_insurance_number'],
  user_passport: ['passport_number'],
  user_driving_licence: ['licence_number'],
  employee_bank: ['sort_code', 'account_number', 'account_holder_name'],
  employee_payroll: ['payroll_number'],
  employee_tax: ['tax_code'],
  payee_bank: ['account_holder_name', 'sort_code', 'account_number'],
};
