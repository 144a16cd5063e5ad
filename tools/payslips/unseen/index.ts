import type { Layout } from '../layout.ts';
import { access } from './access.ts';
import { adp } from './adp.ts';
import { cards } from './cards.ts';
import { iris } from './iris.ts';
import { mailer } from './mailer.ts';
import { oracle } from './oracle.ts';
import { p45Software } from './p45-software.ts';
import { p60Substitute } from './p60-substitute.ts';
import { qtac } from './qtac.ts';
import { quickbooks } from './quickbooks.ts';
import { resourcelink } from './resourcelink.ts';
import { spreadsheet } from './spreadsheet.ts';

export const UNSEEN: readonly Layout[] = [
  iris,
  quickbooks,
  oracle,
  adp,
  qtac,
  cards,
  spreadsheet,
  mailer,
  access,
  resourcelink,
  p60Substitute,
  p45Software,
];
