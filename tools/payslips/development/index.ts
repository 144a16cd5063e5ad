import type { Layout } from '../layout.ts';
import { brightpay } from './brightpay.ts';
import { council } from './council.ts';
import { dotMatrix } from './dot-matrix.ts';
import { moneysoft } from './moneysoft.ts';
import { nhsEsr } from './nhs-esr.ts';
import { p45Hmrc } from './p45-hmrc.ts';
import { p60Hmrc } from './p60-hmrc.ts';
import { sageArtwork } from './sage-artwork.ts';
import { sageBoxes } from './sage-boxes.ts';
import { sap } from './sap.ts';
import { wordSmallFirm } from './word-small-firm.ts';
import { xero } from './xero.ts';

/** The first layouts, by the authors of the reader. */
export const DEVELOPMENT: readonly Layout[] = [
  sageBoxes,
  sageArtwork,
  xero,
  brightpay,
  moneysoft,
  nhsEsr,
  council,
  sap,
  dotMatrix,
  wordSmallFirm,
  p60Hmrc,
  p45Hmrc,
];
