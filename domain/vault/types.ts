interface Bank {
  account_holder_name: string;
  sort_code: string;
  account_number: string;
}

/** The contract (`openapi/pii.yaml`) defines the format of the values. */
export interface PiiTypes {
  user_email: { email: string };
  user_phone: { phone: string };
  user_name: { title?: string; first_name: string; middle_names?: string; last_name: string };
  user_address: {
    line_1: string;
    line_2?: string;
    line_3?: string;
    city: string;
    county?: string;
    postcode: string;
    country?: string;
  };
  user_date_of_birth: { date_of_birth: string };
  user_national_insurance: { national_insurance_number: string };
  user_passport: { passport_number: string; issuing_country?: string; expires_on?: string };
  user_driving_licence: { licence_number: string; expires_on?: string };
  employee_bank: Bank;
  employee_payroll: { payroll_number: string; employer_name?: string; paye_reference?: string };
  employee_tax: { tax_code: string; national_insurance_number?: string };
  payee_bank: Bank;
}
export type PiiType = keyof PiiTypes;

export type PiiData = Readonly<Record<string, string>>;

/** The caller's notes about the data, for auditing. */
export type PiiMetadata = Readonly<Record<string, unknown>>;

export function vaultRefOf(piiType: PiiType, uuid: string): string {
  return `vault:${piiType}:${uuid}`;
}
