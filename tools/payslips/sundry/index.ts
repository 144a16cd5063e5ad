import type { Layout } from '../layout.ts';
import { bracketed } from './bracketed.ts';
import { exchange } from './exchange.ts';
import { groups } from './groups.ts';
import { leaders } from './leaders.ts';
import { ledger } from './ledger.ts';
import { p45Narrow } from './p45-narrow.ts';
import { p60List } from './p60-list.ts';
import { packet } from './packet.ts';
import { stacked } from './stacked.ts';
import { till } from './till.ts';
import { wageTypes } from './wage-types.ts';
import { waterfall } from './waterfall.ts';

export const SUNDRY: readonly Layout[] = [
  ledger,
  waterfall,
  wageTypes,
  stacked,
  leaders,
  packet,
  groups,
  exchange,
  till,
  bracketed,
  p60List,
  p45Narrow,
];
