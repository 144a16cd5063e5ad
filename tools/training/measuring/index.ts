import type { Layout } from '../../payslips/layout.ts';
import * as handmade from './handmade.ts';
import * as screens from './screens.ts';
import * as weekly from './weekly.ts';
import * as arrangements from './arrangements.ts';
import * as certificates from './certificates.ts';
import * as leavers from './leavers.ts';
import * as products from './products.ts';
import * as bodies from './public.ts';

/** Nobody who changes the reader may look at these layouts. */
export const MEASURING: readonly Layout[] = [arrangements, certificates, leavers, products, bodies, handmade, screens, weekly].flatMap((theme) => Object.values<Layout>({ ...theme })); // prettier-ignore
