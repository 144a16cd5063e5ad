import type { Services } from '../../infra/services.ts';
import { bind } from '../bind.ts';
import { listBanks, readInstitutions } from './banks.ts';
import { prepareWage } from './confirm-wage.ts';
import { prepareConnection } from './connect.ts';
import { disconnectBank, endConsent, restartConsentEnds } from './end.ts';
import { getBacking } from './backing.ts';
import { accountsOfConnection, getConnection, listConnections } from './read.ts';
import { prepareReconfirmation } from './renew.ts';
import { prepareSync } from './sync-connection.ts';
import { listTransactions } from './transactions.ts';
import { expireConnections, remindToReconfirm } from './upkeep.ts';
import { listWages } from './wages.ts';

const reading = { listBanks, readInstitutions, listConnections, getConnection, accountsOfConnection };
const lists = { listTransactions, listWages, getBacking };
const changing = { prepareConnection, prepareReconfirmation, prepareSync, prepareWage, disconnectBank };
const upkeep = { restartConsentEnds, expireConnections, remindToReconfirm };

export const bankActivities = (services: Services) => ({
  ...bind(services, { ...reading, ...lists, ...changing, ...upkeep }),
  ...bankWorkflowActivities(services),
});

export const bankWorkflowActivities = (services: Services) => bind(services, { endConsent });

export type BankWorkflowActivities = ReturnType<typeof bankWorkflowActivities>;
