import { callerOf, type Principal } from '../../domain/auth.ts';
import { deleteOriginal, eraseDocument, lockDocument } from '../../infra/db/queries/legacy.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { erasePii } from '../vault/own.ts';
import { requireDocument, requireKept } from './record.ts';

/** The document's row remains. A reading in progress stores nothing. */
export async function deletePayslip(
  services: Pick<Services, 'db' | 'clock' | 'newId'>,
  { principal, doc_id }: { principal: Principal; doc_id: string },
): Promise<void> {
  const actor = callerOf(principal);
  await services.db.transaction(async (tx) => {
    const document = requireKept(requireDocument(await tx.maybe(lockDocument(doc_id))));
    const at = await services.clock.now(tx);
    await tx.run(deleteOriginal(doc_id));
    await tx.run(eraseDocument(doc_id, at));
    if (document.ni_number_ref !== null)
      await erasePii(tx, services, document.ni_number_ref, { purpose: 'document', actor });
    await audit(tx, services, { subject: doc_id, kind: 'document.erased', actor, data: { was: document.status }, at });
  });
}
