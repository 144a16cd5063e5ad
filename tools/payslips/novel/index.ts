import type { Layout } from '../layout.ts';
import { earnie } from './earnie.ts';
import { employmentHero } from './employment-hero.ts';
import { p60Bureau } from './p60-bureau.ts';
import { payfit } from './payfit.ts';
import { primo } from './primo.ts';
import { sageCloud } from './sage-cloud.ts';
import { sharedServices } from './shared-services.ts';
import { shifts } from './shifts.ts';
import { streamline } from './streamline.ts';
import { workbook } from './workbook.ts';

export const NOVEL: readonly Layout[] = [
  earnie,
  payfit,
  employmentHero,
  streamline,
  sharedServices,
  primo,
  shifts,
  sageCloud,
  workbook,
  p60Bureau,
];
