import { defineEntity } from '@mikro-orm/core';
import type { VaultType } from '../../../domain/ledger.ts';
import { createdAt, instant, pence, sequence, text } from './columns.ts';

export const Vault = defineEntity({
  name: 'Vault',
  tableName: 'vaults',
  properties: {
    vaultId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    vaultType: text().$type<VaultType>(),
    label: text(),
    createdAt: createdAt(),
    closedAt: instant().nullable(),
  },
  uniques: [{ name: 'vaults_owner_unique', properties: ['ownerId', 'vaultType', 'label', 'closedAt'] }],
});

/**
 * An allocation is an amount of money in a vault. `available` is the part of `amount` that is left. `emptiedAt` is set
 * while nothing is left.
 */
export const Allocation = defineEntity({
  name: 'Allocation',
  tableName: 'allocations',
  properties: {
    allocationId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    vaultId: text(),
    source: text(),
    amount: pence(),
    available: pence(),
    createdAt: createdAt(),
    emptiedAt: instant().nullable(),
  },
});

/** A trigger updates `balance` when entries are inserted. */
export const LedgerAccount = defineEntity({
  name: 'LedgerAccount',
  tableName: 'ledger_accounts',
  properties: {
    accountId: sequence().primary(),
    ownerId: text(),
    kind: text().columnType('ledger_account_kind'),
    vaultId: text().default(''),
    balance: pence().default(0),
  },
  uniques: [{ name: 'ledger_accounts_unique', properties: ['ownerId', 'kind', 'vaultId'] }],
});

/** The entries of a transfer add up to zero. */
export const LedgerTransfer = defineEntity({
  name: 'LedgerTransfer',
  tableName: 'ledger_transfers',
  properties: {
    transferId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    kind: text(),
    subjectId: text(),
    createdAt: instant(),
  },
});

export const LedgerEntry = defineEntity({
  name: 'LedgerEntry',
  tableName: 'ledger_entries',
  properties: {
    seq: sequence().primary(),
    entryId: text(),
    transferId: text(),
    accountId: pence(),
    ownerId: text(),
    kind: text(),
    vaultId: text().default(''),
    amount: pence(),
    balanceAfter: pence(),
    createdAt: instant(),
  },
});
