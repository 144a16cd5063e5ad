import { callerOf, type Principal } from '../../domain/auth.ts';
import { deleteOriginal, eraseDocument, lockDocument, type DocumentRow } from '../../infra/db/queries/legacy.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { erasePii } from '../vault/own.ts';
import { requireDocument, requireKept } from './record.ts';

type Needs = Pick<Services, 'db' | 'clock' | 'newId'>;

/** The document's row remains. A reading in progress stores nothing. */
export async function deletePayslip(
  services: Needs,
  { principal, doc_id }: { principal: Principal; doc_id: string },
): Promise<void> {
  await services.db.transaction(async (tx) => {
    const document = requireKept(requireDocument(await tx.maybe(lockDocument(doc_id))));
    await erase(tx, services, { document, actor: callerOf(principal) });
  });
}

/** It had been erased before a backup was restored that still has it. */
export async function eraseAgain(services: Needs, { doc_id, actor }: { doc_id: string; actor: string }): Promise<void> {
  await services.db.transaction(async (tx) => {
    const document = requireDocument(await tx.maybe(lockDocument(doc_id)));
    if (document.erased_at === null) await erase(tx, services, { document, actor });
  });
}

async function erase(
  tx: Tx,
  services: Omit<Needs, 'db'>,
  { document, actor }: { document: DocumentRow; actor: string },
): Promise<void> {
  const { doc_id, ni_number_ref, status: was } = document;
  const at = await services.clock.now(tx);
  await tx.run(deleteOriginal(doc_id));
  await tx.run(eraseDocument(doc_id, at));
  if (ni_number_ref !== null) await erasePii(tx, services, ni_number_ref, { purpose: 'document', actor });
  await audit(tx, services, { subject: doc_id, kind: 'document.erased', actor, data: { was }, at });
}
