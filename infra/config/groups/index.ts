import type * as z from 'zod';
import {
  api,
  credentials,
  interest,
  limits,
  passwords,
  paymentLimits,
  registration,
  signIn,
  site,
  vaultAuthority,
} from './api.ts';
import { bank, bankSigning, database, keys, migration, temporal, temporalUi } from './dependencies.ts';
import { mail, metrics, reader, sandboxBank, threads, tracing, worker } from './process.ts';

export const GROUPS = {
  site,
  api,
  vaultAuthority,
  database,
  migration,
  temporal,
  temporalUi,
  worker,
  bank,
  bankSigning,
  sandboxBank,
  keys,
  passwords,
  threads,
  reader,
  mail,
  registration,
  signIn,
  limits,
  paymentLimits,
  credentials,
  yield: interest,
  metrics,
  tracing,
};

export type SettingGroup = keyof typeof GROUPS;
export const SETTING_GROUPS = Object.keys(GROUPS) as SettingGroup[];
export type Settings<Group extends SettingGroup> = z.output<(typeof GROUPS)[Group]>;
