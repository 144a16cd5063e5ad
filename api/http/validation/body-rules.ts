import { destinationFaults } from '../../../domain/allocations.ts';
import { registrationFaults } from '../../../domain/registration.ts';
import { moveFaults } from '../../../domain/clock.ts';
import { nameFaults } from '../../../domain/debt/plan.ts';
import type { InputFault } from '../../../domain/errors.ts';
import { incomeFaults } from '../../../domain/paycheck.ts';
import { metadataFaults } from '../../../domain/vault/metadata.ts';
import { isCommonPassword } from '../../../infra/passwords/common.ts';
import type { OperationId } from '../handlers.ts';

/** A request body, with null in place of each top-level field that has a schema fault. */
type Given = Readonly<Record<string, unknown>>;

/** Rules that a schema cannot express. */
const RULES: Readonly<Partial<Record<OperationId, (body: Given) => InputFault[]>>> = {
  registerUser: ({ email, password }) =>
    registrationFaults({ email: textOf(email), password: textOf(password) }, isCommonPassword),
  calculatePaycheck: incomeFaults,
  simulatePaycheck: incomeFaults,
  transferBetweenVaults: destinationFaults,
  storeVaultRecord: metadataFaults,
  simulateDebts: nameFaultsOf,
  createDebtPlan: nameFaultsOf,
  changeDebtPlan: nameFaultsOf,
  moveClock: moveFaults,
};

export function faultsBeyondSchema(operation: string, body: unknown, known: readonly InputFault[]): InputFault[] {
  const faultsOf = RULES[operation as OperationId];
  if (faultsOf === undefined || !isObject(body)) return [];
  if (known.length === 0) return faultsOf(body);
  const pointers = new Set(known.map(({ pointer }) => pointer));
  // Hides fields with a schema fault from the rules, because these fields can be too long to check.
  const given = Object.entries(body).map(([name, value]) => [name, pointers.has(`/${name}`) ? null : value] as const);
  return faultsOf(Object.fromEntries(given)).filter(({ pointer }) => !pointers.has(pointer));
}

function nameFaultsOf({ debts }: Given): InputFault[] {
  return Array.isArray(debts) ? nameFaults(debts.map((debt: unknown) => (isObject(debt) ? debt : {}))) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
