import { isProblem } from '../../client/src/index.ts';
import type { Person } from './account.ts';
import { issueKey, must, mustBe, type Stage } from './stage.ts';

/** Invented. Tests check that these details do not leak. */
export const VAULTED = {
  sort_code: '204971',
  account_number: '80931746',
  account_holder_name: 'Wilhelmina Quillfeather',
};

export async function keepBankDetails(stage: Stage, person: Person): Promise<void> {
  const { api, teller } = stage;
  teller.step(
    'Put bank details into the PII vault',
    'The vault requires a client certificate and an API key with vault scopes. The bank details are those of an employee. They are encrypted under a key of their own, and bound to their reference, type and owner. Other systems need to keep only the reference. The first write for an owner gives the application access to the data of that owner.',
  );
  const apiKey = await issueKey(stage, 'write:vault read:vault reveal:vault admin:audit');
  const client = api.clientFor({ apiKey });
  const { vault_ref } = await client.storeVaultRecord({
    body: { pii_type: 'employee_bank', owner_id: person.userId.replace('usr_', 'employee-'), data: VAULTED },
  });
  teller.answered(201, vault_ref);
  const path = { vault_ref };

  teller.step(
    'Use the bank details without showing them',
    'One call returns them masked, for a screen. Another compares a value without returning the stored value.',
  );
  const { masked } = await client.getMaskedVaultRecord({ path });
  teller.answered(200, `sort code ${masked.sort_code}, account ${masked.account_number}`);
  mustBe('The masked account number', masked.account_number!, '****1746');
  const { match } = await client.verifyVaultField({
    path,
    body: { field: 'account_number', value: VAULTED.account_number },
  });
  teller.answered(200, `match: ${match}`);

  teller.step('Erase them', 'This destroys the key of the record. The audit log still says who did what.');
  await client.eraseVaultRecord({ path });
  const refusal: unknown = await client.getVaultRecord({ path }).catch((error: unknown) => error);
  must(isProblem(refusal, 'pii-erased'), 'An erased record should be refused as pii-erased.');
  teller.answered(410, 'pii-erased');
  const log = await client.listAuditEvents({ query: { subject: vault_ref } });
  const kinds = log.items.map(({ kind }) => kind).reverse();
  teller.answered(200, kinds.join(', '));
  const expected = ['vault.stored', 'vault.masked', 'vault.verified', 'vault.erased', 'vault.refused'];
  mustBe('What the audit log says about the record', kinds.join(' '), expected.join(' '));
}
