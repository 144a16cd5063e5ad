import { canonical } from './spelling.ts';

/** The field that a label on a payslip names. `total` may be gross pay or the sum of the deductions. */
export type LabelField = 'gross' | 'net' | 'tax' | 'ni' | 'pension' | 'deductions' | 'total';

/** What a text says about the amounts near it. */
export interface Label {
  field: LabelField;
  /** How clearly the text names the field, 0 to 1. */
  quality: number;
  ytd: boolean;
  now: boolean;
  employer: boolean;
}

/**
 * What the heading of a column or block says about the amounts below it. `other` means a period other than the one
 * being paid.
 */
export type Heading =
  'ytd' | 'now' | 'other' | 'employer' | 'employee' | 'payments' | 'deductions' | 'amount' | 'measure' | 'base';

/** Labels of amounts that contain the words of a field but name something else. */
const NOT =
  /\b(taxable|niable|pensionable|code|number|no|ref|reference|period|date|month|week|basis|office|district|category|cat|letter|able|before|after|free|subject|calculation|relief|credit|credits|rebate|arrears|increase|adj|adjustment|student|loan|postgraduate|previous|band|rate|hours|annual|year|limit|balance|method|advice|slip|statement|payslip|health|healthcare|medical|dental|details|summary|analysis|status|table)\b/;
const PENSION =
  /\b(pension|avc|epa|apcs?|added years|shps|nest|lgps|uss|tps|royal london|aviva|scottish widows|standard life|legal and general|aegon|retirement (?:plan|savings?|saver|account)|voluntary contribution|nhsps|sipp|stakeholder|auto enrolment|autoenrolment|ae|pcsps|saul|cushon|penfold|fidelity|salvus|railpen|true potential|master trust|defined contribution|defined benefit|money purchase|career average|peoples partnership|tpp)\b/;

const PENSION_LIKE =
  /\b(contribution|voluntary|scheme|fund|retirement|annuity|provident|sipp|prudential|zurich|friends life|smart|retirement|mercer|hargreaves lansdown|tpt|b and ce|collegia|creative|mycsp|alpha|nuvos|classic|premium|partnership|rps|brass|fps|career average|net pay arrangement)\b/;
const NO_PENSION =
  /\b(share|shares|loan|union|charity|social|sports|cycle|lottery|health|car|childcare|season|ni|tax|er)\b/;

/** Whether a label could name a pension. */
export function mayBePension(text: string): boolean {
  const label = labelOf(text);
  if (label !== null) return label.field === 'pension' && !label.employer;
  const words = canonical(text);
  return (PENSION.test(words) || PENSION_LIKE.test(words)) && !NO_PENSION.test(words);
}

/** Matches deductions from pay other than tax, NI and pension. */
const OTHER_DEDUCTION =
  /\b(loans?|student|postgrad|postgraduate|union|unison|unite|gmb|rcn|nasuwt|neu|charity|charities|giving|give as you earn|gaye|payroll giving|donation|social|sports?|cycle|bike|car|fuel|mileage|lottery|health|healthcare|medical|dental|optical|life|insurance|insce|bupa|benenden|simplyhealth|westfield|medicash|gym|childcare|nursery|voucher|vouchers|season|ticket|travel|bus|rail|parking|permit|share|shares|sharesave|sip|saye|credit union|savings?|saver|subs?|subscription|membership|fees?|attachment|aeo|arrestment|court|order|council tax|csa|cms|cmeo|child maintenance|maintenance|dea|advance|overpayment|recovery|repayment|repay|rent|accommodation|lodging|meals?|canteen|food|uniform|laundry|tools?|training|phone|tea fund|holiday (buy|purchase|bought)|leave|annual leave|buy|absence|unpaid|lateness|margin|levy|ni|tax|paye|er|rounding|adjustment|dbs|white goods|technology|tech|computer|benefit|benefits|kit|expenses|fine|till|shortage|breakage|hardship|benevolent|christmas|xmas|club)\b/;

/** Whether a label certainly names a deduction other than tax, NI and pension. */
export function isOtherDeduction(text: string): boolean {
  const words = canonical(text);
  return OTHER_DEDUCTION.test(words) || OTHER_DEDUCTION.test(text.toLowerCase());
}

const EXACT: readonly (readonly [LabelField, number, RegExp])[] = [
  [
    'gross',
    1,
    /^(total )?gross( period| pay period| month| week| fortnight)?( (pay|earnings|salary|wage|payment|income|amount|total|remuneration|pension))?( (total|paid|payable))?$/,
  ],
  [
    'gross',
    0.95,
    /^total (payment|earnings|pay and allowances|addition|additions|pay and allowance|entitlement|entitlements|remuneration|wage|emoluments|gross pay and allowances|pay elements)( due)?$/,
  ],
  [
    'gross',
    0.8,
    /^(payment|earnings|pay|wage|salary|income) total$|^total (pay|income|salary|amount payable gross|pay gross)$|^total (pay|payment|earnings) (period|month|week)$|^sub ?total gross$/,
  ],
  [
    'gross',
    0.9,
    /^(total |gross |pay |salary |wage |earnings |total pay |gross pay |gross salary |gross wage |amount )before (all |any )?(tax|deductions|stoppages|tax and deductions|tax and ni)$|^before (all |any )?(deductions|stoppages)$|^(total |amount |what |pay |total amount |total pay )?(you )?(have )?earned$/,
  ],
  [
    'net',
    1,
    /^(total )?net( (pay|payment|wage|salary|income|earnings|pension|pension payment|pension paid|pension payable|amount|pay amount|amount payable|amount due|payment due|payable|total|paid|amount paid|pay paid))( by| to| into| via)?( (bacs|bank|cheque|cash|credit|transfer|account|your|the|bank account))*$/,
  ],
  [
    'net',
    0.9,
    /^(your )?(takehome)( pay)?$|^(net|total net)$|^(total )?amount (payable|paid|due)$|^(amount )?(pay(ment)?|paid|transferred|credited) (into|to) (your )?(bank|account)( account)?$|^pay now$|^bank credit$|^net pay (for )?(the )?period$|^net (into|to) bank$|^amount of net pay$/,
  ],
  [
    'net',
    0.9,
    /^(amount |pay |total |balance )?(left|due|payable|owed|paid|transferred|sent) to (pay|you|ee|your account)$|^(what )?you (will |have |should )?(receive|received|get|got|takehome)$|^(you (will be|were|are|have been)|youve been|youll be) paid$|^you(ll| will) (receive|get)$|^we( have| ve)? (paid|sent|pay) you$/,
  ],
  [
    'net',
    0.9,
    /^(total |amount |pay )?to be paid$|^(amount |balance |total )?(left )?to pay$|^balance (due|payable|paid)$|^(pay|salary|wage) (due|payable)$|^net (to|due to|paid to) (pay|you|ee)$|^net (due|remuneration|cash|wage paid|salary paid|earnings paid|takehome|pay due)$|^(what you )?takehome( (pay|amount|wage|salary|total))?$|^(total |pay |salary |wage |balance |amount |net |net pay )?after (all )?(deductions|stoppages|tax|tax and deductions|tax and ni)$|^(final|actual) (pay|payment|amount|net pay)$|^(amount )?(credited|paid|sent|going|transferred)( in)?( to| into) (your )?(bank|account|bank account)$/,
  ],
  [
    'net',
    0.6,
    /^(paid by )?(bacs|bank|credit transfer|bank transfer|bank credit|cheque|cash)( (payment|amount|credit|transfer|pay))?$|^total (paid|payable)$|^payment amount$|^net pay .{3,30}$/,
  ],
  [
    'tax',
    1,
    /^(paye|income tax|paye tax|paye income tax|income tax paye|tax paye|tax)( (paid|deducted|deductions|due|contribution|payable))?$/,
  ],
  ['tax', 0.8, /^(hmrc|uk|welsh|scottish|total|period|tax and) (paye|income tax|tax|paye tax)( (paid|deducted))?$/],
  ['ni', 1, /^ni( (paid|deducted|deductions|due|payable|tax))?$/],
  ['ni', 0.8, /^(total|class 1|primary|primary class 1|paye) ni$|^ni (class 1|primary)$/],
  // `Emp` may mean the employee or the employer.
  ['ni', 0.5, /^empl? ni$/],
  [
    'deductions',
    1,
    /^total (deductions|deducted|stoppages)$|^total (taken|withheld|deducted)( (from|off) (your |the )?(pay|wage|salary))?$|^(deductions) total$|^total (tax and )?deductions.*$|^gross deductions$|^(total |amount |what was )?taken off( (your )?pay)?$|^total (reductions|off)$|^(total )?(taken|deducted|deductions) (altogether|in all|in total)$/,
  ],
  ['deductions', 0.6, /^deductions$/],
  ['total', 0.8, /^(sub ?)?total$/],
];

/** Interprets a label; null for text that names none of the fields. */
export function labelOf(text: string): Label | null {
  const words = ` ${canonical(text.replace(/\([^)]*\d[^)]*\)/g, ' '))} `;
  const ytd = words.includes(' YTD ');
  const now = words.includes(' NOW ');
  const employer = / er /.test(words);
  const rest = words
    .replace(/ (YTD|NOW|er|ee|gbp|monthly|weekly|fortnightly|for|the|in|on) (?=.)/g, ' ')
    .replace(/ (YTD|NOW|er|ee|gbp|monthly|weekly|fortnightly|for|the|in|on) (?=.)/g, ' ')
    .replace(/ (YTD|NOW|er|ee) /g, ' ')
    .replace(/ (in )?this employment /, ' ')
    .replace(/^ (less|your|plus|minus) /, ' ')
    .replace(/ ((of|from) )?(all|both) (posts|jobs|assignments|roles|positions|contracts|employments?) $/, ' ')
    .trim();
  const found = fieldOf(rest) ?? fieldOf(withoutExtras(rest));
  if (found === null) return null;
  // "Employee taxes" are tax and NI together, unless another label names the tax more clearly.
  const quality = /\btaxes\b/i.test(text) ? found.quality / 2 : found.quality;
  return { ...found, quality, ytd, now, employer };
}

function fieldOf(rest: string): { field: LabelField; quality: number } | null {
  for (const [field, quality, pattern] of EXACT) if (pattern.test(rest)) return { field, quality };
  if (PENSION.test(rest) && !NOT.test(rest) && rest.split(' ').length <= 6)
    return { field: 'pension', quality: /\b(total|sacrifice)\b/.test(rest) ? 0.8 : 1 };
  return null;
}

/** The label without a trailing tax code, category letter or percentage: `paye tax 1257l m1`, `ni a`, `ni table a`. */
function withoutExtras(rest: string): string {
  return rest
    .replace(/^(ni)( (category|cat|letter|table|code))? [a-z]$/, '$1')
    .replace(/( [a-z]| \S*\d\S*)+$/, '')
    .replace(/^(\d+ )+/, '')
    .trim();
}

const HEADINGS: readonly (readonly [Heading, RegExp])[] = [
  [
    'ytd',
    /^(total|totals|amount|amounts|balance|value|pay|summary|figures|details|cumulative)? ?YTD( (total|balance|balances|amount|figures|summary|details|information|values?|pay|£))*$|^(tax )?year( to)?$|^YTD .{0,24}$|^((tax )?year|annual|yearly|running|this employment) (total|balance|figures|earnings|pay|summary|YTD)( .{0,20})?$|^(total|balance|earnings|pay|payment|figures|summary|amount)( (of|for|in|so far))* (the |this )?(tax )?year( 20\d\d.{0,6})?$|^(tax )?year 20\d\d.{0,6} YTD$|^(balance |total |amount )?(brought|carried) (forward|over|down)( YTD)?$|^(previous|prior|last|earlier) (period|month|week|pay|payslip|payment|total|YTD|balance)( (total|amount|pay))?$/,
  ],
  [
    'now',
    /^(total|amount|details)? ?NOW( (amount|total|summary|figures|details|pay|values?))*$|^(pay )?period (amount|total|pay|summary)$|^NOW .{0,16}$/,
  ],
  [
    'employer',
    /^er( (contribution|cost|costs|amount|deductions|payment|total|only|details|s))*$|^(what )?(your )?er (also |has )*(paid|pays|contributed|contributes|adds|added|puts in|put in|gives|spends)( (benefits?|contribution|amount|for you|on your behalf))?$|^(paid|contributed|added|put in) by (your |the )?er$|^(what )?(it |you )?(costs?|costs? (of|to|for)) (your |the )?er$/,
  ],
  [
    'payments',
    /^(pay and allowances|payment|earnings|pay|pay elements|addition|income|gross pay details|pay details|payment details|payment description)( (amount|details|description))?$/,
  ],
  [
    'deductions',
    /^deductions?( (amount|details|description|and tax))?$|^(tax|ee tax) and (deductions|contribution|ni|pension)( and deductions)?$|^ee deductions$/,
  ],
  ['amount', /^(amount|value|cash|total|total amount|paid|pounds|gbp)$/],
  [
    'measure',
    /^(rate|unit|units|hours|qty|quantity|hrs|days|unit rate|hourly rate|pay rate|rate of pay|factor|units hours|hours units|number|no|%|percent)$/,
  ],
  [
    'employee',
    /^(paid by )?(the |your )?ee( (contribution|amount|share|part|payment|deductions|total|pays|only))*$|^(paid by |from )?you( (paid|pay|contributed|contribute))?$/,
  ],
  [
    'base',
    /^(taxable|niable|pensionable)( .{0,16})?$|^(base|basis|calculation|assessed|assessable|based|calculated|calc|charged|worked out|reckoned|figured|(?:due|payable)(?= on))( (amount|base|basis|on|pay|earnings|from))*( £)?$/,
  ],
];

/** Matches an amount within a text. Such a text is a line of its own, not a heading. */
const AMOUNT_WITHIN = /\d,\d{3}|\d{5}|(?:^|[\s£])\d+\.\d{2}$/;

/** Interprets a text as the heading of a column or block; null if the text is not a heading. */
export function headingOf(text: string): Heading | null {
  const words = canonical(text);
  if (words.length > 48 || AMOUNT_WITHIN.test(text)) return null;
  const bare = words.replace(/^(the|your|my|employment|summary of) /, '');
  for (const [heading, pattern] of HEADINGS) if (pattern.test(bare)) return heading;
  return null;
}
