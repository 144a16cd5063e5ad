import { mustBe } from './expect.ts';
import { issueKey } from './operator.ts';
import type { Person } from './account.ts';
import type { Stage } from './stage.ts';

/** Invented bank details. Tests check that these details leak nowhere. */
export const VAULTED = {
  sort_code: '204971',
  account_number: '80931746',
  account_holder_name: 'Wilhelmina Quillfeather',
};

/** Stores personal data over mutual TLS, uses the data without showing it, and erases the data. */
export async function keepBankDetails(stage: Stage, person: Person): Promise<void> {
  const { caller, teller } = stage;
  teller.step(
    'Put bank details into the PII vault',
    'The vault requires a client certificate and an API key with vault scopes. The bank details belong to an employee, who now belongs to the application. They are encrypted under their own key, bound to reference, type and owner. Everybody else keeps only the reference.',
  );
  const key = await issueKey(stage, 'write:vault read:vault reveal:vault admin:audit');
  const { body: stored } = await caller.call('storeVaultRecord', {
    method: 'POST',
    path: '/api/v1/vault/store',
    expect: 201,
    key,
    body: { pii_type: 'employee_bank', owner_id: person.userId.replace('usr_', 'employee-'), data: VAULTED },
  });
  teller.answered(201, stored.vault_ref);
  const path = `/api/v1/vault/${stored.vault_ref}`;

  teller.step(
    'Use them without showing them',
    'One call masks them for a screen. Another compares a value without returning it.',
  );
  const { body: masked } = await caller.call('getMaskedVaultRecord', {
    method: 'GET',
    path: `${path}/masked`,
    expect: 200,
    key,
  });
  teller.answered(200, `sort code ${masked.masked.sort_code}, account ${masked.masked.account_number}`);
  mustBe('The masked account number', masked.masked.account_number!, '****1746');
  const { body: verified } = await caller.call('verifyVaultField', {
    method: 'POST',
    path: `${path}/verify`,
    expect: 200,
    key,
    body: { field: 'account_number', value: VAULTED.account_number },
  });
  teller.answered(200, `match: ${verified.match}`);

  teller.step('Erase them', 'This destroys the key of the record. The audit log stays: it says who did what.');
  await caller.call('eraseVaultRecord', { method: 'DELETE', path, expect: 204, key });
  await caller.call('getVaultRecord', { method: 'GET', path, expect: 410, key });
  teller.answered(410, 'pii-erased');
  const { body: log } = await caller.call('listAuditEvents', {
    method: 'GET',
    path: `/api/v1/admin/audit-events?subject=${encodeURIComponent(stored.vault_ref)}`,
    expect: 200,
    key,
  });
  const kinds = log.items.map(({ kind }) => kind).reverse();
  teller.answered(200, kinds.join(', '));
  const expected = ['vault.stored', 'vault.masked', 'vault.verified', 'vault.erased', 'vault.refused'];
  mustBe('What the audit log says of the record', kinds.join(' '), expected.join(' '));
}
