import type { Layout } from '../layout.ts';
import { agency } from './agency.ts';
import { education } from './education.ts';
import { matrix } from './matrix.ts';
import { p45Part1a } from './p45-part1a.ts';
import { p60Older } from './p60-older.ts';
import { portal } from './portal.ts';
import { supermarket } from './supermarket.ts';
import { umbrella } from './umbrella.ts';
import { university } from './university.ts';
import { workday } from './workday.ts';

export const FRESH: readonly Layout[] = [
  workday,
  portal,
  university,
  supermarket,
  umbrella,
  education,
  agency,
  matrix,
  p60Older,
  p45Part1a,
];
