import type * as z from 'zod';
import type { ReadBanks } from '../banks.ts';
import * as api from './api.ts';
import * as dependencies from './dependencies.ts';
import * as process from './process.ts';

/** In the order of `docs/configuration.md`. */
export const GROUPS = {
  site: api.site,
  api: api.api,
  vaultAuthority: api.vaultAuthority,
  database: dependencies.database,
  migration: dependencies.migration,
  temporal: dependencies.temporal,
  temporalUi: dependencies.temporalUi,
  worker: process.worker,
  bank: dependencies.bank,
  sandboxBank: process.sandboxBank,
  keys: dependencies.keys,
  witness: dependencies.witness,
  passwords: api.passwords,
  threads: process.threads,
  reader: process.reader,
  mail: process.mail,
  registration: api.registration,
  signIn: api.signIn,
  limits: api.limits,
  paymentLimits: api.paymentLimits,
  credentials: api.credentials,
  yield: api.interest,
  metrics: process.metrics,
  tracing: process.tracing,
};

export type SettingGroup = keyof typeof GROUPS;
export const SETTING_GROUPS = Object.keys(GROUPS) as SettingGroup[];
export type Settings<Group extends SettingGroup> = z.output<(typeof GROUPS)[Group]> &
  (Group extends 'mail' ? { outboxDir: string } : unknown) &
  (Group extends 'bank' ? ReadBanks : unknown);
