import {
  BANK_STATUSES,
  type BankInstruction,
  type BankPayment,
  type BankReason,
  type BankStatus,
  type VrpType,
} from '../../../domain/bank/payments.ts';
import { pence, type Pence } from '../../../domain/money.ts';
import { instructionIds } from './identifiers.ts';
import { list, objectIn, record } from './json.ts';

interface DomesticVrp extends BankPayment {
  instructionId: string | null;
  amount: Pence | null;
}

/** The reason code of a settled payment that was returned. */
const RETURNED = 'RETN';

const SETTLED: readonly BankStatus[] = ['ACSC', 'ACCC'];
const AMOUNT = /^(\d{1,13})(?:\.(\d{1,2})0{0,3})?$/;
const LONGEST_NAME = 70;
/** The house account's consent is outside of sweeping and the commercial scheme. */
const HOUSE_TYPE = 'UK.OBIE.VRPType.Other';

/** Formats 1234 as `12.34`. */
export function poundsOf(amount: Pence): string {
  const rest = amount % 100;
  return `${(amount - rest) / 100}.${String(rest).padStart(2, '0')}`;
}

/** Returns null if the value is not an amount, or has a fraction of a penny. */
export function penceOf(amount: unknown): Pence | null {
  const parts = typeof amount === 'string' ? AMOUNT.exec(amount) : null;
  if (parts === null) return null;
  return pence(Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0')));
}

/** What each type of consent is called at a bank. */
export type VrpNames = Readonly<Record<VrpType, string>>;

/**
 * OBDomesticVRPRequest 4.0. A retry must send the same bytes, or the bank rejects the idempotency key. What the person agreed to stands as
 * in the consent, so that a payee keeps the consent's name.
 */
export function vrpRequest(instruction: BankInstruction, consentId: string, names: VrpNames): string {
  const { instructionId, endToEndId } = instructionIds(instruction.paymentId, instruction.attempt);
  const { agreed, reference } = instruction;
  const payee = creditorAccount(agreed?.payee ?? instruction.payee);
  const type = agreed?.vrpType ?? 'other';
  return JSON.stringify({
    Data: {
      ConsentId: consentId,
      PSUAuthenticationMethod: 'UK.OBIE.SCANotRequired',
      PSUInteractionType: 'OffSession',
      VRPType: agreed === null ? HOUSE_TYPE : names[type],
      Initiation: agreed === null ? {} : { CreditorAccount: payee },
      Instruction: {
        InstructionIdentification: instructionId,
        EndToEndIdentification: endToEndId,
        ...(reference === null ? {} : { RemittanceInformation: remittance(reference) }),
        LocalInstrument: 'UK.OBIE.FPS',
        InstructedAmount: { Amount: poundsOf(instruction.amount), Currency: instruction.currency },
        CreditorAccount: payee,
      },
    },
    Risk: riskOf(type),
  });
}

/** The same in the consent and in each payment. */
export function riskOf(type: VrpType) {
  return { PaymentContextCode: type === 'sweeping' ? 'TransferToSelf' : 'TransferToThirdParty' };
}

/** OBCashAccountCreditor3. */
export function creditorAccount({ name, sortCode, accountNumber }: BankInstruction['payee']) {
  return {
    SchemeName: 'UK.OBIE.SortCodeAccountNumber',
    Identification: `${sortCode}${accountNumber}`,
    Name: name.slice(0, LONGEST_NAME),
  };
}

/** Reads OBDomesticVRPResponse 4.0. @throws Error if the body is invalid, or the status is unknown. */
export function readVrp(body: Buffer): DomesticVrp {
  const data = record(objectIn(body)?.['Data']);
  const bankPaymentId = data['DomesticVRPId'];
  const status = BANK_STATUSES.find((known): known is BankStatus => known === data['Status']);
  if (typeof bankPaymentId !== 'string' || bankPaymentId === '') throw new Error('the response has no payment id');
  if (status === undefined) throw new Error('the response has no known status');
  const reasons = list(data['StatusReason']).map(readReason);
  const returned = SETTLED.includes(status) ? reasons.find((reason) => reason.code === RETURNED) : undefined;
  const instruction = record(data['Instruction']);
  const instructionId = instruction['InstructionIdentification'];
  return {
    bankPaymentId,
    status,
    reason: reasons.find((reason) => reason !== returned) ?? null,
    returned: returned ? { at: timestamp(data['StatusUpdateDateTime']), reason: returned } : null,
    instructionId: typeof instructionId === 'string' ? instructionId : null,
    amount: penceOf(record(instruction['InstructedAmount'])['Amount']),
  };
}

/** Reads the first reason of an OBErrorResponse1. */
export function readError(body: Buffer): BankReason | null {
  const { ErrorCode: code, Message: message } = record(list(objectIn(body)?.['Errors'])[0]);
  if (typeof code !== 'string' || code === '') return null;
  return { code, detail: typeof message === 'string' ? message : '' };
}

// Version 4.0 has no plain reference field. Faster Payments banks read the reference from this structure.
function remittance(reference: string) {
  return { Structured: [{ CreditorReferenceInformation: { Reference: reference } }] };
}

function readReason(value: unknown): BankReason {
  const { StatusReasonCode: code, StatusReasonDescription: detail } = record(value);
  return { code: typeof code === 'string' ? code : '', detail: typeof detail === 'string' ? detail : '' };
}

function timestamp(value: unknown): string {
  const at = new Date(typeof value === 'string' ? value : Number.NaN);
  if (Number.isNaN(at.getTime())) throw new Error('the response does not say when the status changed');
  return at.toISOString();
}
