import {
  allocationLegs,
  destinationOf,
  drawFromVault,
  periodOf,
  requireWithinVaultLimit,
  transferLegs,
  withdrawalLegs,
  type Destination,
  type VaultsHeld,
} from '../domain/allocations.ts';
import { DomainError } from '../domain/errors.ts';
import { drawFrom, ENTRY_KINDS, type Allocation, type Leg } from '../domain/ledger.ts';
import { pence, type Pence } from '../domain/money.ts';
import { lockOne } from '../infra/db/locked-owner.ts';
import * as queries from '../infra/db/queries/allocations.ts';
import type { Tx } from '../infra/db/transaction.ts';
import type { Services } from '../infra/services.ts';
import type { AllocationRequest, TransferRequest, WithdrawalRequest } from '../openapi/types.ts';
import { closeVault, labelOf, listVaults, noSuchVault, renameVault, vaultClosed } from './allocation-vaults.ts';
import { bind } from './bind.ts';
import { postMovement, type Movement, type NewVault } from './ledger.ts';
import { DEFAULT_LIMIT, pagesOf, type QueryOf } from './page.ts';
import { bindOwner, type NewOwner } from './reach.ts';

/** `newOwner` is the owner to create, if the service does not know the owner yet. */
interface MaybeNew {
  newOwner?: NewOwner | undefined;
}

type Needs = Pick<Services, 'clock' | 'newId'>;
type ReadNeeds = Pick<Services, 'db' | 'keys'>;

export const allocationActivities = (services: ReadNeeds & Pick<Services, 'clock' | 'config' | 'newId'>) =>
  bind(services, { listAllocationHistory, listVaults, renameVault, closeVault });

export async function allocate(tx: Tx, services: Needs, request: AllocationRequest & MaybeNew) {
  const at = await services.clock.now(tx);
  const amount = pence(request.amount);
  const to = { vaultType: request.vault_type, label: request.label ?? '' };
  const opened = await openVaults(tx, request, { at, to });
  const { vaultId, newVaults } = destination(services, to, opened);
  const allocationId = services.newId('alloc');
  const movement: Movement = {
    kind: 'allocation',
    subjectId: allocationId,
    at,
    newVaults,
    legs: allocationLegs(amount, vaultId, opened.safeToSpend),
    newAllocations: [{ allocationId, vaultId, source: 'allocation', amount }],
  };
  const balances = postMovement(opened.owner, services, movement, opened.before);
  return {
    allocation_id: allocationId,
    user_id: request.user_id,
    vault_id: vaultId,
    vault_type: request.vault_type,
    amount,
    available: amount,
    label: request.label ?? null,
    safe_to_spend_remaining: balances[0]!,
    created_at: at.toISOString(),
  };
}

export async function withdraw(tx: Tx, services: Needs, request: WithdrawalRequest & MaybeNew) {
  const at = await services.clock.now(tx);
  const amount = pence(request.amount);
  const from = { vaultId: request.vault_id, amount, allocationId: request.allocation_id };
  const opened = await openVaults(tx, request, { at, from });
  if (opened.foundFrom === null) throw noSuchVault();
  if (request.allocation_id !== undefined && opened.allocations.length === 0) {
    throw new DomainError('unknown-allocation', 'The vault has no allocation with this id.');
  }
  const withdrawalId = services.newId('wdr');
  const movement: Movement = {
    kind: 'withdrawal',
    subjectId: withdrawalId,
    at,
    legs: withdrawalLegs(amount, request.vault_id),
    allocationChanges:
      request.allocation_id === undefined
        ? drawFromVault(opened.allocations, amount, opened.fromBalance)
        : drawFrom(opened.allocations, amount),
  };
  const balances = postMovement(opened.owner, services, movement, opened.before);
  return {
    withdrawal_id: withdrawalId,
    vault_id: request.vault_id,
    amount,
    vault_balance: balances[0]!,
    safe_to_spend_remaining: balances[1]!,
    created_at: at.toISOString(),
  };
}

export async function transferBetweenVaults(tx: Tx, services: Needs, request: TransferRequest & MaybeNew) {
  const at = await services.clock.now(tx);
  const amount = pence(request.amount);
  const to = destinationOf(request);
  const from = { vaultId: request.from_vault_id, amount };
  const opened = await openVaults(tx, request, { at, from, to });
  if (opened.foundFrom === null) throw noSuchVault();
  if (opened.foundTo === null && 'vaultId' in to) throw await whyNotTo(tx, request.user_id, to.vaultId);
  const { vaultId, newVaults } = destination(services, to, opened);
  const [transferId, allocationId] = [services.newId('tra'), services.newId('alloc')];
  const movement: Movement = {
    kind: 'transfer',
    subjectId: transferId,
    at,
    newVaults,
    legs: transferLegs(amount, request.from_vault_id, vaultId),
    allocationChanges: drawFromVault(opened.allocations, amount, opened.fromBalance),
    newAllocations: [{ allocationId, vaultId, source: 'transfer', amount }],
  };
  const balances = postMovement(opened.owner, services, movement, opened.before);
  return {
    transfer_id: transferId,
    from_vault_id: request.from_vault_id,
    to_vault_id: vaultId,
    to_allocation_id: allocationId,
    amount,
    from_balance: balances[0]!,
    to_balance: balances[1]!,
    created_at: at.toISOString(),
  };
}

async function listAllocationHistory(
  services: ReadNeeds,
  request: QueryOf<'listAllocationHistory'> & { user_id: string },
) {
  const { user_id, kind, vault_id, from, to, limit = DEFAULT_LIMIT, cursor } = request;
  const { start, end } = periodOf(from, to);
  const pages = pagesOf(services, {
    operation: 'listAllocationHistory',
    filter: { user_id, kind, vault_id, from, to },
  });
  const rows = await services.db.many(
    queries.vaultEntries({
      owner_id: user_id,
      before: await pages.after(cursor),
      kinds: kind === undefined ? ENTRY_KINDS : [kind],
      created_from: start,
      created_before: end,
      vault_id: vault_id ?? null,
      most: limit + 1,
    }),
  );
  return pages.page(rows, limit, ({ seq: _seq, ...entry }) => ({ ...entry, label: labelOf(entry.label) }));
}

interface Opening {
  at: Date;
  from?: { vaultId: string; amount: Pence; allocationId?: string | undefined };
  to?: Destination;
}

/** Locks the owner, and reads the balances that a movement needs. */
async function openVaults(tx: Tx, { user_id, newOwner }: MaybeNew & { user_id: string }, { at, from, to }: Opening) {
  const named = to && 'vaultType' in to ? to : undefined;
  const row = await lockOne(
    tx,
    queries.openVaults({
      owner_id: user_id,
      at,
      from_vault_id: from?.vaultId ?? null,
      from_amount: from?.amount ?? null,
      from_allocation_id: from?.allocationId ?? null,
      to_vault_id: to && 'vaultId' in to ? to.vaultId : null,
      to_vault_type: named?.vaultType ?? null,
      to_label: named?.label ?? null,
    }),
  );
  await bindOwner(tx, newOwner);
  const before = ({ account, vaultId }: Leg): Pence => {
    if (account === 'safe_to_spend') return pence(row.safe_to_spend);
    return pence(vaultId === row.found_from ? row.from_balance : row.to_balance);
  };
  return {
    owner: row.owner,
    before,
    safeToSpend: pence(row.safe_to_spend),
    foundFrom: row.found_from,
    fromBalance: pence(row.from_balance),
    foundTo: row.found_to,
    vaultsHeld: row.vaults_held,
    allocations: row.allocations.map(([allocationId, available]): Allocation => ({
      allocationId,
      available: pence(available),
    })),
  };
}

function destination(
  { newId }: Needs,
  to: Destination,
  { foundTo, vaultsHeld }: { foundTo: string | null; vaultsHeld: VaultsHeld },
) {
  if (foundTo !== null) return { vaultId: foundTo, newVaults: [] };
  if ('vaultId' in to) throw noSuchVault();
  requireWithinVaultLimit(vaultsHeld, 1);
  const made: NewVault = { vaultId: newId('vlt'), ...to };
  return { vaultId: made.vaultId, newVaults: [made] };
}

async function whyNotTo(tx: Tx, ownerId: string, vaultId: string): Promise<DomainError> {
  const vault = await tx.maybe(queries.vaultById(vaultId));
  return vault?.owner_id === ownerId ? vaultClosed() : noSuchVault();
}
