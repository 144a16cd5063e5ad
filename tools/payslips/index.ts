import { makeP45, makeP60 } from './certificates.ts';
import { DEVELOPMENT } from './development/index.ts';
import { EVERYDAY } from './everyday/index.ts';
import { makePay } from './figures.ts';
import { FOREIGN } from './foreign/index.ts';
import { FRESH } from './fresh/index.ts';
import { inForm, type AnyForm, type File, type Form } from './forms.ts';
import type { Layout, Printed, Truth } from './layout.ts';
import { NOVEL } from './novel/index.ts';
import { seeded } from './random.ts';
import { newSheet, type Sheet } from './sheet.ts';
import { SPECIMEN } from './specimen/index.ts';
import { STRANGE } from './strange/index.ts';
import { SUNDRY } from './sundry/index.ts';
import { UNSEEN } from './unseen/index.ts';

export { FORMS, type AnyForm, type File, type Form } from './forms.ts';
export type { Layout, Truth } from './layout.ts';

/** Sets of layouts by different authors. The model is trained on them, but not on `tools/training/measuring`. */
export const SETS = {
  development: DEVELOPMENT,
  unseen: UNSEEN,
  fresh: FRESH,
  novel: NOVEL,
  foreign: FOREIGN,
  strange: STRANGE,
  everyday: EVERYDAY,
  specimen: SPECIMEN,
  sundry: SUNDRY,
} as const satisfies Record<string, readonly Layout[]>;
export type SetName = keyof typeof SETS;
export const ALL_LAYOUTS: readonly Layout[] = Object.values(SETS).flat();

export interface MadeDocument extends File {
  layout: string;
  form: AnyForm;
  truth: Truth;
}

export interface Wanted {
  layout: string;
  /** Each seed gives different people, amounts and flaws. */
  seed: number;
  form: Form;
}

/** The same arguments give the same bytes. @throws for an unknown layout. */
export async function makeDocument({ layout: name, seed, form }: Wanted): Promise<MadeDocument> {
  const layout = ALL_LAYOUTS.find((each) => each.name === name);
  if (!layout) throw new Error(`there is no layout ${name}`);
  return makeFrom(layout, seed, form);
}

/** The same arguments give the same bytes. */
export async function makeFrom(layout: Layout, seed: number, form: AnyForm): Promise<MadeDocument> {
  const { name } = layout;
  const random = seeded(`${name}:${seed}`);
  const sheet = newSheet({
    size: layout.size,
    font: random.pick(layout.fonts),
    fontSize: layout.fontSize,
    producer: 'Payroll',
  });
  const truth = drawn(layout, sheet, `${name}:${seed}`);
  const file = await inForm(form, await sheet.finish(), seeded(`${name}:${seed}:${form}`));
  return { layout: name, form, truth, ...file };
}

const NOT_PRINTED: Omit<Truth, 'document_type' | 'pay_period'> = {
  employer_name: null,
  gross_pay: null,
  net_pay: null,
  tax_deducted: null,
  ni_deducted: null,
  pension_deducted: null,
  pay_date: null,
  tax_year: null,
  tax_code: null,
  paye_reference: null,
  ni_number: null,
  pay_period_also: [],
};

/** @returns the document's exact content. */
export function drawn(layout: Layout, sheet: Sheet, seed: string): Truth {
  const random = seeded(`drawn:${seed}`);
  const truth = (figures: Partial<Truth>, printed: Printed): Truth => {
    return { document_type: layout.type, ...NOT_PRINTED, ...figures, ...printed };
  };
  switch (layout.type) {
    case 'payslip': {
      const pay = makePay(seed, layout.pay);
      const figures = {
        employer_name: pay.employer.name,
        gross_pay: pay.gross,
        net_pay: pay.net,
        tax_deducted: pay.tax,
        ni_deducted: pay.ni,
        pension_deducted: pay.pension,
      };
      return truth(figures, layout.draw(sheet, pay, random));
    }
    case 'p60': {
      const p60 = makeP60(seed);
      const figures = {
        employer_name: p60.pay.employer.name,
        gross_pay: p60.thisPay,
        tax_deducted: p60.thisTax,
        ni_deducted: p60.ni,
      };
      return truth(figures, layout.draw(sheet, p60, random));
    }
    case 'p45': {
      const p45 = makeP45(seed);
      const { pay, tax } = p45.toDate ?? p45.thisEmployment!;
      const figures = { employer_name: p45.pay.employer.name, gross_pay: pay, tax_deducted: tax };
      return truth(figures, layout.draw(sheet, p45, random));
    }
  }
}
