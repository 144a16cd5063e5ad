import type { Layout } from '../../helpers/payslips/layout.ts';
import { boxGrid, earningsFirst, sidebar, summaryRows, triplet } from './products.ts';

export const MEASURING: readonly Layout[] = [triplet, sidebar, earningsFirst, summaryRows, boxGrid];
