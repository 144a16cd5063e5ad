import type { Layout } from '../layout.ts';
import { assignment } from './assignment.ts';
import { authority } from './authority.ts';
import { care } from './care.ts';
import { hotel } from './hotel.ts';
import { letter } from './letter.ts';
import { p45Table } from './p45-table.ts';
import { p60Portal } from './p60-portal.ts';
import { selfService } from './self-service.ts';
import { trade } from './trade.ts';

export const FOREIGN: readonly Layout[] = [
  assignment,
  selfService,
  trade,
  authority,
  care,
  letter,
  hotel,
  p60Portal,
  p45Table,
];
