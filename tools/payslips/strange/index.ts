import type { Layout } from '../layout.ts';
import { compare } from './compare.ts';
import { earningsStatement } from './earnings-statement.ts';
import { household } from './household.ts';
import { listing } from './listing.ts';
import { p45Grid } from './p45-grid.ts';
import { p60Mailer } from './p60-mailer.ts';
import { phone } from './phone.ts';
import { posts } from './posts.ts';
import { wageStrip } from './wage-strip.ts';
import { worldwide } from './worldwide.ts';

export const STRANGE: readonly Layout[] = [
  wageStrip,
  phone,
  listing,
  posts,
  compare,
  worldwide,
  earningsStatement,
  household,
  p60Mailer,
  p45Grid,
];
