import { labelTaken, requireEmptyVault } from '../domain/allocations.ts';
import { callerOf, type Principal } from '../domain/auth.ts';
import { londonDateOf } from '../domain/dates.ts';
import { DomainError } from '../domain/errors.ts';
import type { VaultType } from '../domain/ledger.ts';
import { pence, type Pence, type Ratio } from '../domain/money.ts';
import { lockOne, type LockedOwner } from '../infra/db/locked-owner.ts';
import * as queries from '../infra/db/queries/allocations.ts';
import type { VaultRow } from '../infra/db/queries/allocations.ts';
import { lockOwner } from '../infra/db/queries/ledger.ts';
import { connectedOn, ownerOfVault, yieldOfVault } from '../infra/db/queries/yield.ts';
import type { Tx } from '../infra/db/transaction.ts';
import type { Services } from '../infra/services.ts';
import type { VaultBalance, VaultChange } from '../openapi/types.ts';
import { audit } from './audit.ts';
import { unpostedOf } from './yield/calculations.ts';
import { rateShown, readRates } from './yield/rates.ts';

type ReadNeeds = Pick<Services, 'db' | 'clock'>;
type Needs = ReadNeeds & Pick<Services, 'newId'>;

interface VaultRequest {
  principal: Principal;
  vault_id: string;
}

export async function listVaults(services: ReadNeeds, { user_id }: { user_id: string }) {
  const [{ vaults, connected_on, ...pots }, rates, now] = await Promise.all([
    services.db.one(queries.balancesOfOwner(user_id)),
    readRates(services.db),
    services.clock.now(services.db),
  ]);
  const rateOf = (vault: Pick<ShownVault, 'vault_type'>) =>
    rateShown(rates, { ...vault, connected_on }, londonDateOf(now));
  return { user_id, ...pots, vaults: vaults.map((vault) => vaultView(vault, rateOf(vault))) };
}

/** Entries of before show the new label too. */
export async function renameVault(
  services: Needs,
  { principal, vault_id, label }: VaultRequest & VaultChange,
): Promise<VaultBalance> {
  return services.db.transaction(async (tx) => {
    const at = await services.clock.now(tx);
    const { owner, vault } = await lockVault(tx, vault_id, at);
    if (vault.closed_at !== null) throw vaultClosed();
    const renamed = { ...vault, label: label ?? '' };
    if (renamed.label !== vault.label) {
      const other = await tx.maybe(queries.openVaultNamed(renamed));
      if (other) throw labelTaken(other.vault_id);
      await changeLabel(owner, services, { vault, label: renamed.label, actor: callerOf(principal), at });
    }
    const { balance } = await tx.one(queries.moneyOfVault(vault));
    const { connected_on } = await tx.one(connectedOn(vault.owner_id));
    const rate = rateShown(await readRates(tx), { ...vault, connected_on }, londonDateOf(at));
    return vaultView({ ...renamed, balance }, rate);
  });
}

/** Renames an open vault. Another open vault of this type must not have the label. */
export async function changeLabel(
  owner: LockedOwner,
  services: Pick<Services, 'newId'>,
  { vault, label, ...by }: Omit<Change, 'kind'> & { label: string },
): Promise<void> {
  await owner.run(queries.changeVault({ ...vault, label }, null));
  await auditChange(owner.tx, services, { ...by, vault, kind: 'allocations.vault-renamed' });
}

/** Changes nothing if the vault is closed already. */
export async function closeVault(services: Needs, { principal, vault_id }: VaultRequest): Promise<void> {
  await services.db.transaction(async (tx) => {
    const at = await services.clock.now(tx);
    const { owner, vault } = await lockVault(tx, vault_id, at);
    if (vault.closed_at !== null) return;
    const { balance, in_flight } = await tx.one(queries.moneyOfVault(vault));
    const unposted = await unpostedIn(tx, vault_id, at);
    requireEmptyVault({ balance: pence(balance), inFlight: pence(in_flight), unposted });
    await owner.run(queries.changeVault(vault, at));
    await auditChange(tx, services, { actor: callerOf(principal), vault, kind: 'allocations.vault-closed', at });
  });
}

export function noSuchVault(): DomainError {
  return new DomainError('not-found', 'The owner has no vault with this id.');
}

export function vaultClosed(): DomainError {
  return new DomainError('vault-closed', 'The vault is closed.');
}

export function labelOf(stored: string): string | null {
  return stored === '' ? null : stored;
}

async function lockVault(tx: Tx, vaultId: string, at: Date) {
  const known = await tx.maybe(ownerOfVault(vaultId));
  if (!known) throw noSuchVault();
  const { owner } = await lockOne(tx, lockOwner(known.owner_id, at));
  return { owner, vault: await tx.one(queries.vaultById(vaultId)) };
}

async function unpostedIn(tx: Tx, vaultId: string, at: Date): Promise<Pence> {
  const row = await tx.one(yieldOfVault(vaultId, at));
  const rates = await readRates(tx);
  return unpostedOf({ rows: [row], rates, today: londonDateOf(at) })[0]!;
}

interface Change {
  actor: string;
  vault: VaultRow;
  kind: 'allocations.vault-closed' | 'allocations.vault-renamed';
  at: Date;
}

/** Without the label, which can be personal. */
async function auditChange(
  tx: Tx,
  services: Pick<Services, 'newId'>,
  { actor, vault, kind, at }: Change,
): Promise<void> {
  const { vault_id: subject, owner_id, vault_type } = vault;
  await audit(tx, services, { subject, kind, actor, data: { owner_id, vault_type }, at });
}

interface ShownVault extends Omit<VaultBalance, 'label' | 'annual_rate' | 'closed_at'> {
  label: string;
  vault_type: VaultType;
  closed_at: string | null;
}

function vaultView(vault: ShownVault, annual_rate: Ratio): VaultBalance {
  const { vault_id, vault_type, label, balance, closed_at } = vault;
  return {
    ...{ vault_id, vault_type, label: labelOf(label), balance, annual_rate },
    ...(closed_at !== null && { closed_at: new Date(closed_at).toISOString() }),
  };
}
