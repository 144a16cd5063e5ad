import type { Services } from '../../infra/services.ts';
import { bind } from '../bind.ts';
import { deletePayslip } from './erase.ts';
import { getPayslip } from './read.ts';
import { readingActivities } from './reading.ts';
import { restartStalledDocuments } from './record.ts';
import { getTaxHistory } from './tax-history.ts';
import { prepareUpload } from './upload.ts';

const documents = { prepareUpload, getPayslip, deletePayslip, getTaxHistory, restartStalledDocuments };

export const legacyActivities = (services: Services) => ({
  ...bind(services, documents),
  ...readingActivities(services),
});

export type DocumentWorkflowActivities = ReturnType<typeof readingActivities>;
export { uploadPayslip, type PreparedUpload } from './upload.ts';
export type { DocumentRef, ReadingResult } from './reading.ts';
