import type { Layout } from '../layout.ts';
import { bankStaff } from './bank-staff.ts';
import { bureau } from './bureau.ts';
import { campus } from './campus.ts';
import { depot } from './depot.ts';
import { outsourced } from './outsourced.ts';
import { p45Typed } from './p45-typed.ts';
import { p60Laser } from './p60-laser.ts';
import { site } from './site.ts';
import { store } from './store.ts';
import { typed } from './typed.ts';

export const EVERYDAY: readonly Layout[] = [
  typed,
  bureau,
  depot,
  bankStaff,
  site,
  store,
  campus,
  outsourced,
  p60Laser,
  p45Typed,
];
