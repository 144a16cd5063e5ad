import type { Principal } from '../../domain/auth.ts';
import type { Services } from '../../infra/services.ts';
import { deletePayslip } from './erase.ts';
import { getPayslip } from './read.ts';
import { readingActivities } from './reading.ts';
import { getTaxHistory } from './tax-history.ts';
import { prepareUpload, uploadPayslip, type PreparedUpload, type Upload } from './upload.ts';
import { restartStalledDocuments } from './upkeep.ts';

export const legacyActivities = (services: Services) => ({
  prepareUpload: (upload: Upload) => prepareUpload(services, upload),
  uploadPayslip: (upload: Upload, prepared: PreparedUpload) => uploadPayslip(services, upload, prepared),
  getPayslip: (request: Parameters<typeof getPayslip>[1]) => getPayslip(services, request),
  deletePayslip: (request: { principal: Principal; doc_id: string }) => deletePayslip(services, request),
  getTaxHistory: (request: { principal: Principal; user_id: string }) => getTaxHistory(services, request),
  restartStalledDocuments: (request: { silent_for_s: number; limit: number }) =>
    restartStalledDocuments(services, request),
  ...readingActivities(services),
});

export type DocumentWorkflowActivities = ReturnType<typeof readingActivities>;
export type { DocumentRef, ReadingResult } from './reading.ts';
