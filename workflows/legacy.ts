import { ActivityFailure, proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { DocumentRef, DocumentWorkflowActivities, ReadingResult } from '../activities/legacy/index.ts';
import { STATUS } from './attributes.ts';

const TRY_FOR = '6 hours';

const documents = proxyActivities<Pick<DocumentWorkflowActivities, 'readDocument'>>({
  // Most of this time may pass while the document waits in the queue. A missing heartbeat shows that a worker died.
  startToCloseTimeout: TRY_FOR,
  scheduleToCloseTimeout: TRY_FOR,
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

const records = proxyActivities<Pick<DocumentWorkflowActivities, 'giveUpDocument'>>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

export async function readPayslip(args: DocumentRef): Promise<ReadingResult> {
  setCurrentDetails('The document is being read.');
  const result = await readOrGiveUp(args);
  upsertSearchAttributes([{ key: STATUS, value: result.status }]);
  setCurrentDetails(detailsOf(result));
  return result;
}

async function readOrGiveUp(args: DocumentRef): Promise<ReadingResult> {
  try {
    return await documents.readDocument.executeWithOptions({ summary: 'Read the document and store its figures' }, [
      args,
    ]);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    setCurrentDetails(`The document could not be read within ${TRY_FOR}. It is being marked as failed.`);
    return records.giveUpDocument.executeWithOptions({ summary: 'Mark the document as failed' }, [args]);
  }
}

function detailsOf({ status, failure_code }: ReadingResult): string {
  if (status === 'parsed') return 'The document was read.';
  if (status === 'erased') return 'The document was erased.';
  return `The document could not be read: ${failure_code ?? 'no reason given'}.`;
}
