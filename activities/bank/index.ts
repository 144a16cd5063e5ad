import type { Services } from '../../infra/services.ts';
import { bind } from '../bind.ts';
import { listBanks, readInstitutions } from './banks.ts';
import { prepareConnection } from './connect.ts';
import { disconnectBank, endConsent, restartConsentEnds } from './end.ts';
import { getConnection, listConnections } from './read.ts';
import { prepareReconfirmation } from './renew.ts';
import { expireConnections, remindToReconfirm } from './upkeep.ts';

const reading = { listBanks, readInstitutions, listConnections, getConnection };
const changing = { prepareConnection, prepareReconfirmation, disconnectBank };
const upkeep = { restartConsentEnds, expireConnections, remindToReconfirm };

export const bankActivities = (services: Services) => ({
  ...bind(services, { ...reading, ...changing, ...upkeep }),
  ...bankWorkflowActivities(services),
});

export const bankWorkflowActivities = (services: Services) => bind(services, { endConsent });

export type BankWorkflowActivities = ReturnType<typeof bankWorkflowActivities>;
