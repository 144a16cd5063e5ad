import type { Random } from '../../payslips/random.ts';
import { prose, type Pen, type Region } from './blocks.ts';

const SUBJECTS = 'you|your employer|the employee|HM Revenue and Customs|the payroll office|this form|this certificate|this statement|the amount|your tax code|the tax year|your pension provider|each department|a new employer|Jobcentre Plus|the bank|the pay office|the scheme administrator|any person'.split('|'); // prettier-ignore
const VERBS = 'should keep|must send|will need|may ask for|can check|has to complete|will receive|pays|deducts|shows|includes|is based on|does not include|may be liable to|must tell|can claim|should return|will send'.split('|'); // prettier-ignore
const OBJECTS = 'this page|a copy of this form|your tax return|income tax and National Insurance|tax credits|the total for the year|pay in this employment|previous employments|statutory payments|student loan deductions|a repayment|the reference number|the details above|your new address|the leaving date|a tax code|benefits in kind|the figures shown|employee contributions|earnings above the threshold|parts 2 and 3|the notes overleaf|your National Insurance number|the right amount of tax'.split('|'); // prettier-ignore
const ENDS = 'in a safe place|before 31 January|as soon as possible|when you leave|at the end of the tax year|without delay|if you fill in a return|for your records|by post or online|on request|in the next month|if it is wrong|to us|to your tax office|in writing|free of charge|after 5 April|unless told otherwise'.split('|'); // prettier-ignore
const HEADS = 'To the employee|To the new employer|Notes|Please read this|Important|Instructions for the employer|Keep this safe|Certificate by employer|What to do next|Message from payroll|Private and confidential|HM Revenue & Customs|Self Assessment|Do not destroy|Copy|Employee copy|For official use|Help|Definitions|Enquiries'.split('|'); // prettier-ignore

function sentence(random: Random): string {
  const text = `${random.pick(SUBJECTS)} ${random.pick(VERBS)} ${random.pick(OBJECTS)} ${random.pick(ENDS)}.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function smallPrint(pen: Pen, region: Region): number {
  const { paper, random } = pen;
  let { top } = region;
  if (random.chance(0.6)) {
    paper.text(region.left, top, random.pick(HEADS), { bold: random.chance(0.6) });
    top += pen.leading * 1.2;
  }
  const count = random.int(1, 4);
  for (let at = 0; at < count; at += 1) top = prose(pen, { ...region, top }, [[sentence(random), 'none']]);
  return top;
}
