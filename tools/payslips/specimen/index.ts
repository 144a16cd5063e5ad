import type { Layout } from '../layout.ts';
import { benefits } from './benefits.ts';
import { bilingual } from './bilingual.ts';
import { bistro } from './bistro.ts';
import { familyLeave } from './family-leave.ts';
import { invoice } from './invoice.ts';
import { leaflet } from './leaflet.ts';
import { muster } from './muster.ts';
import { p45Columns } from './p45-columns.ts';
import { p60Council } from './p60-council.ts';
import { p60TwoLetters } from './p60-two-letters.ts';
import { retired } from './retired.ts';
import { shares } from './shares.ts';

export const SPECIMEN: readonly Layout[] = [
  leaflet,
  invoice,
  shares,
  muster,
  familyLeave,
  bistro,
  benefits,
  bilingual,
  retired,
  p60TwoLetters,
  p60Council,
  p45Columns,
];
