import {
  requireOwner,
  requireResource,
  type Doing,
  type NewOwner,
  type ResourceKind,
} from '../../../activities/reach.ts';
import type { Scope } from '../../../domain/auth.ts';
import type { Services } from '../../../infra/services.ts';
import type { PublicOperation } from '../../../openapi/public-operations.ts';
import type { Operation } from '../contract.ts';
import type { AnyCall, Call, OperationId } from '../handlers.ts';

/** `nobody`: the data has no owner. `caller`: the caller's own. `vault record`: the PII vault checks access itself. */
type Whose<Op extends OperationId> =
  | 'nobody'
  | 'caller'
  | 'vault record'
  | {
      owner: (call: Call<Op>) => string | undefined;
      doing: Doing;
      /** A further scope that the request needs. */
      also?: (call: Call<Op>) => Scope | undefined;
    }
  | ({ [Kind in ResourceKind]: Record<Kind, (call: Call<Op>) => string> }[ResourceKind] & { andAlso?: Scope });

const WHOSE: { readonly [Op in Exclude<OperationId, PublicOperation>]: Whose<Op> } = {
  getProfile: 'caller',
  updateProfile: 'caller',
  logout: 'caller',
  changePassword: 'caller',
  sendVerificationMail: 'caller',
  calculatePaycheck: { owner: ({ body }) => body.employee_id, doing: 'writes', also: sourceScope },
  simulatePaycheck: { owner: ({ body }) => body.employee_id, doing: 'reads', also: sourceScope },
  listPaychecks: { owner: ({ query }) => query.employee_id, doing: 'reads' },
  listPaydays: { owner: ({ query }) => query.user_id, doing: 'reads' },
  readStandingSplit: { owner: ({ params }) => params.user_id, doing: 'reads' },
  setStandingSplit: { owner: ({ params }) => params.user_id, doing: 'writes' },
  deleteStandingSplit: { owner: ({ params }) => params.user_id, doing: 'writes' },
  explainPaycheck: { calculation: ({ params }) => params.id },
  allocate: { owner: ({ body }) => body.user_id, doing: 'writes' },
  withdraw: { owner: ({ body }) => body.user_id, doing: 'writes' },
  transferBetweenVaults: { owner: ({ body }) => body.user_id, doing: 'writes' },
  listAllocationHistory: { owner: ({ params }) => params.user_id, doing: 'reads' },
  listVaults: { owner: ({ params }) => params.user_id, doing: 'reads' },
  renameVault: { vault: ({ params }) => params.vault_id },
  closeVault: { vault: ({ params }) => params.vault_id },
  simulateAffordability: { owner: ({ body }) => body.user_id, doing: 'reads' },
  readAffordabilityScore: { owner: ({ params }) => params.user_id, doing: 'reads' },
  readOutlook: { owner: ({ params }) => params.user_id, doing: 'reads' },
  listAffordabilityChecks: { owner: ({ params }) => params.user_id, doing: 'reads' },
  simulateDebts: 'nobody',
  createDebtPlan: { owner: ({ body }) => body.user_id, doing: 'writes' },
  listDebtPlans: { owner: ({ query }) => query.user_id, doing: 'reads' },
  getDebtPlan: { plan: ({ params }) => params.plan_id },
  changeDebtPlan: { plan: ({ params }) => params.plan_id },
  closeDebtPlan: { plan: ({ params }) => params.plan_id },
  readDebtProgress: { plan: ({ params }) => params.plan_id },
  recordDebtPayment: { plan: ({ params }) => params.plan_id },
  accrueYield: { vault: ({ body }) => body.vault_id },
  aggregateYield: { owner: ({ params }) => params.user_id, doing: 'reads' },
  getVaultYield: { vault: ({ params }) => params.vault_id },
  forecastYield: { owner: ({ body }) => body.user_id, doing: 'reads' },
  executePayment: { allocation: ({ body }) => body.vault_allocation_id },
  listPayments: { owner: ({ query }) => query.user_id, doing: 'reads' },
  getPayment: { payment: ({ params }) => params.payment_id },
  retryPayment: { payment: ({ params }) => params.payment_id },
  cancelPayment: { payment: ({ params }) => params.payment_id },
  listProviders: 'caller',
  addProvider: 'caller',
  renameProvider: 'caller',
  removeProvider: 'caller',
  listBanks: 'nobody',
  connectBank: { owner: ({ body }) => body.user_id, doing: 'writes' },
  listConnections: { owner: ({ query }) => query.user_id, doing: 'reads' },
  getConnection: { connection: ({ params }) => params.connection_id },
  reauthoriseConnection: { connection: ({ params }) => params.connection_id },
  reconfirmConnection: { connection: ({ params }) => params.connection_id },
  syncConnection: { connection: ({ params }) => params.connection_id },
  listTransactions: { owner: ({ query }) => query.user_id, doing: 'reads' },
  listWages: { owner: ({ query }) => query.user_id, doing: 'reads' },
  confirmWage: { transaction: ({ body }) => body.transaction_id, andAlso: 'write:paycheck' },
  getBacking: { owner: ({ params }) => params.user_id, doing: 'reads' },
  disconnectBank: { connection: ({ params }) => params.connection_id },
  uploadPayslip: { owner: ({ body }) => body.user_id, doing: 'writes' },
  getPayslip: { document: ({ params }) => params.doc_id },
  deletePayslip: { document: ({ params }) => params.doc_id },
  getTaxHistory: { owner: ({ params }) => params.user_id, doing: 'reads' },
  generateCredential: { owner: ({ body }) => body.user_id, doing: 'writes' },
  revokeCredential: { credential: ({ params }) => params.credential_id },
  exportCredential: { credential: ({ params }) => params.credential_id },
  storeVaultRecord: { owner: ({ body }) => body.owner_id, doing: 'writes' },
  batchRetrieveVaultRecords: 'vault record',
  getVaultRecord: 'vault record',
  eraseVaultRecord: 'vault record',
  verifyVaultField: 'vault record',
  getMaskedVaultRecord: 'vault record',
  listAuditEvents: 'nobody',
  readHealth: 'nobody',
  readClock: 'nobody',
  moveClock: 'nobody',
};

function sourceScope({ body }: Call<'calculatePaycheck' | 'simulatePaycheck'>): Scope | undefined {
  if (body.wage_id !== undefined) return 'read:bank';
  return body.payslip_doc_id === undefined ? undefined : 'read:documents';
}

/** Returns the owner if the service does not know that owner yet. Call again before a stored response is sent. */
export async function requireReach(
  services: Pick<Services, 'db'>,
  operation: Pick<Operation, 'id' | 'scopes'>,
  given: AnyCall,
): Promise<NewOwner | undefined> {
  const { principal } = given;
  if (principal === undefined) return undefined;
  const call = given as Call<OperationId>;
  const whose = (WHOSE as unknown as Record<OperationId, Whose<OperationId>>)[operation.id];
  if (typeof whose === 'string') return undefined;
  const scopes = typeof operation.scopes === 'string' ? [] : operation.scopes;
  if ('owner' in whose) {
    const ownerId = whose.owner(call);
    if (ownerId === undefined) return undefined;
    const also = whose.also?.(call);
    const newOwner = await requireOwner(services, { principal, ownerId, scopes, doing: whose.doing });
    if (also !== undefined) await requireOwner(services, { principal, ownerId, scopes: [also], doing: 'reads' });
    return newOwner;
  }
  const { andAlso, ...resources } = whose;
  for (const [kind, idOf] of Object.entries(resources)) {
    const resource = { principal, kind: kind as ResourceKind, id: idOf(call) };
    await requireResource(services, { ...resource, scopes });
    if (andAlso !== undefined) await requireResource(services, { ...resource, scopes: [andAlso] });
  }
  return undefined;
}
