import { addDays, addMonths, type CalendarDate } from '../../../domain/dates.ts';
import type { Random } from '../../payslips/random.ts';
import type { Role } from '../../../domain/legacy/scored.ts';
import type { Speech } from './wordings.ts';

/** Amounts are pence; a deduction is positive. */
export interface Item {
  label: string;
  role: Role;
  amount: number;
  ytd: number;
  units?: string;
  rate?: string;
}

export interface Facts {
  employer: string;
  address: string[];
  person: string;
  frequency: 'month' | 'week';
  number: number;
  payDate: CalendarDate;
  from: CalendarDate;
  to: CalendarDate;
  code: string;
  reference: string;
  payments: Item[];
  deductions: Item[];
  employers: Item[];
  bases: Item[];
  gross: Item;
  net: Item;
  taken: Item;
}

const SYLLABLES = 'ba be bri car cas chel clo dor dun el fen gar glen gre hal har ing ken kin lan len lin lo mar mer mil mor nor oak pen pres ra red rich ros sal sel sher sil stan stor tam tem ther thor tor tra val ver wal war wel win wood wy'.split(' '); // prettier-ignore
const PLACES = ['ford', 'ton', 'ham', 'bury', 'field', 'ley', 'worth', 'mouth', 'stead', 'wick', 'dale', 'by', 'pool', 'chester']; // prettier-ignore
const TRADES = 'Engineering|Logistics|Foods|Software|Care|Care Homes|Builders|Retail|Design|Consulting|Catering|Motors|Dental|Property|Textiles|Hotels|Electrical|Gardens|Packaging|Recruitment|Brewery|Transport|Plumbing|Security|Cleaning|Farm|Nurseries|Bakery|Solutions|Systems|Technologies|Media|Energy|Construction|Scaffolding|Haulage|Pharmacy|Veterinary|Opticians|Coffee|Kitchens|Interiors|Insurance|Finance|Legal|Studios|Leisure|Fitness|Fisheries|Joinery|Roofing|Supplies|Staffing|Payroll Services|Homecare|Education|Toys|Books|Sports|Facilities|Marine|Aviation'.split('|'); // prettier-ignore
const FIRST = 'Amelia Oliver Priya Mohammed Siobhan Gareth Chloe Jakub Isla Tunde Mei Callum Fatima Rhys Grace Daniel Zofia Ewan Bethan Anthony Sarah David Emma James Aisha Wei Olu Megan Tomasz Leila'.split(' '); // prettier-ignore
const JOBS = 'Administrator|Team Leader|Staff Nurse|Driver|Analyst|Chef|Teaching Assistant|Technician|Sales Assistant|Manager|Care Worker|Operative|Cleaner|Engineer|Barista|Warehouse Operative|Lecturer|Support Worker|Receptionist'.split('|'); // prettier-ignore

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const stem = (random: Random): string => random.pick(SYLLABLES) + random.pick(SYLLABLES);
const place = (random: Random): string => capital(stem(random) + random.pick(PLACES));
const surname = (random: Random): string => capital(stem(random) + random.pick(['', 's', 'er', 'son', 'ton', 'ley']));

function organisation(random: Random): string {
  const word = () => capital(stem(random));
  const trade = () => random.pick(TRADES);
  const ending = () => random.pick(['Ltd', 'Limited', 'plc', 'PLC', 'LLP', 'Ltd.', 'LTD', 'CIC', '(UK) Ltd', 'Group plc', 'UK Limited', '& Co Ltd', 'Holdings Ltd', 'Group']); // prettier-ignore
  const name = random.weighted<() => string>([
    [() => `${word()} ${trade()} ${ending()}`, 22],
    [() => `${word()} ${ending()}`, 6],
    [() => `${surname(random)} & ${random.pick(['Sons', 'Co', 'Daughters', 'Partners', surname(random)])} ${random.pick([ending(), ''])}`, 6], // prettier-ignore
    [() => `${place(random)} ${trade()} ${random.pick([ending(), '', 'Services', 'Centre', 'Company'])}`, 8],
    [() => `${word()} & ${word()} ${trade()}`, 3],
    [() => `The ${word()} ${random.pick(['Hotel', 'Inn', 'Arms', 'Bakery', 'Group', 'Partnership', 'Foundation', 'Trust', 'Surgery', 'Practice', 'Nursery', 'Kitchen', 'Co-operative', 'Academy'])}`, 7], // prettier-ignore
    [() => `${place(random)} ${random.pick(['Borough Council', 'City Council', 'County Council', 'District Council', 'Council', 'Metropolitan Borough Council', 'and District Council', 'Town Council', 'Parish Council', 'Fire and Rescue Service', 'Police', 'Housing Association'])}`, 6], // prettier-ignore
    [() => `${place(random)} ${random.pick(['NHS Trust', 'NHS Foundation Trust', 'University Hospitals NHS Foundation Trust', 'Community Health NHS Trust', 'Hospitals', 'Hospice', 'Care Trust'])}`, 6], // prettier-ignore
    [() => `${random.pick(['University of', 'London Borough of', 'City of', 'Friends of', 'Citizens Advice', 'Age UK', 'NHS', 'Diocese of'])} ${place(random)}`, 4], // prettier-ignore
    [() => `${random.pick(['St Mary\'s', 'St John\'s', 'Holy Trinity', place(random)])} ${random.pick(['Primary School', 'High School', 'Academy', 'College', 'C of E School', 'Learning Trust', 'Multi Academy Trust', 'Church'])}`, 6], // prettier-ignore
    [() => `${surname(random)}'s ${random.pick([trade(), 'Bakery', 'Garage', `of ${place(random)}`])}`, 5],
    [() => `${random.letter('ABCDEFGHJKLMNPRSTW')}${random.letter('ABCDEFGHJKLMNPRSTW')}${random.pick(['', random.letter('ABCDEFGHJKLMNPRSTW')])} ${trade()} ${ending()}`, 4], // prettier-ignore
    [() => `${random.pick(['Mr', 'Mrs', 'Mr & Mrs', 'Dr'])} ${random.letter('ABCDEGHJLMRST')} ${surname(random)}`, 2],
    [() => `${word()}${word()}`, 2],
    [
      () => `${surname(random)}, ${surname(random)} ${random.pick(['and Partners', '& Partners', '& Co', 'and Sons'])}`,
      3,
    ],
    [
      () =>
        `${random.pick(['Mr', 'Mrs', 'Ms', 'Miss', 'Dr', 'Mr & Mrs'])} ${random.pick([random.pick(FIRST), random.letter('ABCDEGHJLMRST')])} ${surname(random)}`,
      3,
    ],
    [
      () =>
        `${random.letter('ABCDEFGHJKLMNPRSTW')} ${random.pick(['', `${random.letter('ABCDEFGHJKL')} `])}${surname(random)} ${random.pick([trade(), ending(), `& Sons`, `${trade()} ${ending()}`])}`,
      5,
    ],
    [() => `${word()} ${word()} ${trade()} & ${trade()} ${random.pick([ending(), 'Limited', ''])}`, 4],
    [
      () =>
        `The ${random.pick(['Old', 'Royal', 'White', 'Green', 'Red', 'New', 'Golden', 'Black'])} ${random.pick(['Bakery', 'Hart', 'Dragon', 'Lion', 'Crown', 'Mill', 'Swan', 'Barn', 'Forge', 'Tea Rooms'])}`,
      3,
    ],
    [() => `${random.int(2, 99)}${random.pick(['D', 'G', ' Degrees', ' North', 'X'])} ${trade()} ${ending()}`, 1],
    [
      () => `${random.pick(['Ministry of', 'Department for', 'Office of', 'Royal', 'British', 'National'])} ${trade()}`,
      2,
    ],
    [() => `${surname(random)} ${surname(random)} ${random.pick(['Solicitors', 'Accountants', 'Architects', 'LLP', 'Associates', 'Dental Practice', 'and Partners'])}`, 3], // prettier-ignore
  ])();
  const tidy = name.replace(/\s+/g, ' ').trim();
  return random.chance(0.18) ? tidy.toUpperCase() : tidy;
}

export function personName(random: Random): string {
  const [title, first, last] = [random.pick(['Mr', 'Mrs', 'Ms', 'Miss', 'Dr']), random.pick(FIRST), surname(random)];
  const name = random.pick([`${title} ${first} ${last}`, `${first} ${last}`, `${title} ${first.charAt(0)} ${last}`, `${last}, ${first}`, `${first.charAt(0)}. ${last}`, `${last} ${first.charAt(0)}`, `${title} ${first.charAt(0)}. ${random.letter('ABDEJLM')}. ${last}`]); // prettier-ignore
  return random.chance(0.15) ? name.toUpperCase() : name;
}

export const job = (random: Random): string => random.pick(JOBS);

export function addressLines(random: Random): string[] {
  const street = `${random.int(1, 220)} ${capital(stem(random))} ${random.pick(['Street', 'Road', 'Lane', 'Way', 'Park', 'Close', 'Avenue', 'Hill'])}`; // prettier-ignore
  const post = `${random.letter('BCDEGHLMNPRSTW')}${random.pick(['', random.letter('ABDEHLNRSTX')])}${random.int(1, 29)} ${random.int(1, 9)}${random.letter('ABDEFGHJLN')}${random.letter('ABDEFGHJLN')}`; // prettier-ignore
  return [...(random.chance(0.3) ? [random.pick(['Unit 4', 'Suite 12', 'The Old Mill', 'Head Office', 'Payroll Department'])] : []), street, place(random), post]; // prettier-ignore
}

export function factsOf(random: Random, { say }: Speech): Facts {
  const frequency = random.weighted([['month', 70], ['week', 30]] as const); // prettier-ignore
  const weeks = frequency === 'month' ? 4.35 : random.pick([1, 1, 2, 4]);
  const when = datesOf(random, frequency, weeks);
  const worked = Math.max(1, random.chance(0.15) ? random.int(1, when.count) : when.count);
  const grown = (amount: number): number =>
    Math.round(amount * (worked === 1 ? 1 : worked * random.between(0.85, 1.1)));
  const item = (role: Role, label: string, amount: number): Item => ({ role, label, amount, ytd: grown(amount) });
  // A pensioner's payslip: the income is usually called a pension, and no pension contribution is deducted.
  const isRetired = random.chance(0.05);
  const paid = () => (isRetired && random.chance(0.8) ? say(random.pick(['pension', 'pensionPaid'])) : say('payment'));
  const payments = paymentsOf(random, weeks, (amount) => item('payment', paid(), amount));
  const gross = payments.reduce((sum, { amount }) => sum + amount, 0);
  const rest = deductionsOf(random, gross, item, { say, isRetired });
  const sacrificed = rest.sacrifice;
  if (sacrificed !== undefined) payments.push(sacrificed);
  const total = gross + (sacrificed?.amount ?? 0);
  const taken = rest.deductions.reduce((sum, { amount }) => sum + amount, 0);
  const ytd = (items: readonly Item[]): number => items.reduce((sum, one) => sum + one.ytd, 0);
  const ni = Math.round(Math.max(0, total - weeks * 9_600) * 0.15);
  const employers = [
    ...(random.chance(0.8) ? [item('employers', say('employersNi'), ni)] : []),
    ...(random.chance(0.7) ? [item('employers', say('employersPension'), Math.round(total * random.between(0.02, 0.24)))] : []), // prettier-ignore
    ...(random.chance(0.1) ? [item('employers', say('employersOther'), Math.round(total * random.between(0.1, 1.3)))] : []), // prettier-ignore
  ];
  const bases = random.some(WORDED_BASES, random.int(0, 4)).map((share) => item('base', say('base'), Math.round(total * share))); // prettier-ignore
  return {
    employer: organisation(random),
    address: addressLines(random),
    person: personName(random),
    frequency,
    ...when,
    code: taxCode(random),
    reference: `${random.digits(3)}/${random.pick(['A', 'B', 'AB', 'ZB', 'NE', 'X', 'K', 'AZ'])}${random.digits(random.int(3, 5))}`, // prettier-ignore
    payments,
    deductions: rest.deductions,
    employers,
    bases,
    gross: { role: 'gross', label: say('gross'), amount: total, ytd: ytd(payments) },
    taken: { role: 'deductions', label: say('deductions'), amount: taken, ytd: ytd(rest.deductions) },
    net: { role: 'net', label: say('net'), amount: total - taken, ytd: ytd(payments) - ytd(rest.deductions) },
  };
}

const WORDED_BASES = [1, 0.95, 0.9, 1, 12, 0.3, 0.05] as const;

function taxCode(random: Random): string {
  return random.weighted<() => string>([[() => '1257L', 50], [() => `${random.int(200, 1499)}${random.letter('LMNT')}`, 25], [() => random.pick(['BR', 'D0', '0T', 'NT']), 8], [() => `K${random.int(20, 600)}`, 6], [() => `S${random.int(900, 1300)}L`, 6], [() => `C${random.int(900, 1300)}L`, 5]])() + random.pick(['', '', '', '', ' M1', ' W1', ' X', '/0']); // prettier-ignore
}

function paymentsOf(random: Random, weeks: number, item: (amount: number) => Item): Item[] {
  const base = Math.round(weeks * random.between(6_000, random.pick([40_000, 80_000, 160_000])));
  const count = random.weighted([[1, 30], [2, 25], [3, 18], [4, 12], [5, 8], [6, 4], [8, 3]]); // prettier-ignore
  return Array.from({ length: count }, (_, at) => {
    const share = at === 0 ? 1 : random.between(0.01, 0.4);
    const negative = at > 0 && random.chance(0.07);
    const amount = Math.round(base * share) * (negative ? -1 : 1);
    const made = item(random.chance(0.15) ? Math.round(amount / 100) * 100 : amount);
    if (!random.chance(0.55)) return made;
    const units = random.pick([random.int(1, 200) / 4, random.int(1, 40)]);
    return { ...made, units: units.toFixed(random.pick([0, 1, 2, 2])), rate: (Math.abs(amount) / 100 / units).toFixed(random.pick([2, 2, 4])) }; // prettier-ignore
  });
}

function deductionsOf(
  random: Random,
  gross: number,
  item: (role: Role, label: string, amount: number) => Item,
  { say, isRetired }: Speech & { isRetired: boolean },
): { deductions: Item[]; sacrifice: Item | undefined } {
  const share = (least: number, most: number): number => Math.max(0, Math.round(gross * random.between(least, most)));
  const isPension = !isRetired && random.chance(0.8);
  const isSacrificed = isPension && random.chance(0.12);
  const pension = share(0.02, 0.13);
  const sacrifice = isSacrificed ? item('pension', say('pension'), -pension) : undefined;
  const deductions: Item[] = [];
  const tax = random.chance(0.07) ? 0 : share(0.01, 0.3) * (random.chance(0.05) ? -0.3 : 1);
  const ni = isRetired || random.chance(0.06) ? 0 : share(0.01, 0.1);
  if (tax !== 0 || random.chance(0.6)) deductions.push(item('tax', say('tax'), Math.round(tax)));
  if (ni !== 0 || random.chance(isRetired ? 0.1 : 0.6)) deductions.push(item('ni', say('ni'), ni));
  if (isPension && !isSacrificed) deductions.push(item('pension', say('pension'), pension));
  if (isPension && random.chance(0.22)) deductions.push(item('pension', say(random.pick(['avc', 'pension'])), share(0.005, 0.08))); // prettier-ignore
  const others = random.weighted([[0, 34], [1, 28], [2, 18], [3, 10], [4, 6], [6, 4]]); // prettier-ignore
  for (let at = 0; at < others; at += 1) {
    const amount = share(0.001, 0.06);
    deductions.push(item('other-deduction', say('other'), random.chance(0.4) ? Math.round(amount / 100) * 100 : amount * (random.chance(0.04) ? -1 : 1))); // prettier-ignore
  }
  // Nobody can know what an invented name means, so the model must learn to doubt it.
  for (const item of deductions)
    if (item.role !== 'tax' && item.role !== 'ni' && random.chance(item.role === 'pension' ? 0.05 : 0.04)) item.label = inventedName(random); // prettier-ignore
  const shuffled = random.chance(0.35) ? deductions.toSorted(() => random.next() - 0.5) : deductions;
  return { deductions: shuffled, sacrifice };
}

const inventedName = (random: Random): string => {
  const word = capital(stem(random));
  return random.pick([word, `${word} ${random.pick(['plan', 'fund', 'scheme', 'Plan', 'Fund', 'Scheme', 'Ltd', 'Group', 'account'])}`, `${word} ${random.int(1, 99)}`, `${random.letter('ABCDEFGHKLMPRSTVWXZ')}${random.digits(random.int(2, 5))}`, `${word} ${capital(stem(random))}`]); // prettier-ignore
};

function datesOf(random: Random, frequency: Facts['frequency'], weeks: number) {
  const year = random.int(2018, 2031);
  if (frequency === 'month') {
    const number = random.int(1, 12);
    const from = addMonths(`${year}-04-01`, number - 1);
    const last = addDays(addMonths(from, 1), -1);
    const payDate = random.pick([last, addDays(from, random.int(13, 27)), addDays(last, random.int(1, 7))]);
    return { number, count: number, from, to: last, payDate };
  }
  const runs = random.int(1, Math.floor(52 / weeks));
  const number = runs * weeks;
  const to = addDays(`${year}-04-05`, 7 * number - random.int(0, 6));
  return { number, count: runs, from: addDays(to, 1 - 7 * weeks), to, payDate: addDays(to, random.int(0, 9)) };
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']; // prettier-ignore

export type DateStyle = (day: CalendarDate) => string;

export function dateStyle(random: Random): DateStyle {
  const kind = random.weighted([[0, 26], [1, 6], [2, 6], [3, 8], [4, 5], [5, 12], [6, 9], [7, 4], [8, 4], [9, 4], [10, 3], [11, 4], [12, 2], [13, 2], [14, 2]]); // prettier-ignore
  return (day) => {
    const [y, m, d] = day.split('-') as [string, string, string];
    const month = MONTHS[Number(m) - 1]!;
    const short = month.slice(0, 3);
    const nth = `${Number(d)}${Number(d) % 10 === 1 && d !== '11' ? 'st' : Number(d) % 10 === 2 && d !== '12' ? 'nd' : Number(d) % 10 === 3 && d !== '13' ? 'rd' : 'th'}`; // prettier-ignore
    return [`${d}/${m}/${y}`, `${d}/${m}/${y.slice(2)}`, `${d}.${m}.${y}`, `${d}-${short}-${y}`, `${d}-${short.toUpperCase()}-${y.slice(2)}`, `${Number(d)} ${month} ${y}`, `${Number(d)} ${short} ${y}`, `${nth} ${month} ${y}`, `${d}-${m}-${y}`, `${d} ${short} ${y.slice(2)}`, `${y}-${m}-${d}`, `${Number(d)}/${Number(m)}/${y}`, `${Number(d)} ${month}, ${y}`, `${weekday(day)} ${Number(d)} ${short} ${y}`, `${d} ${month.toUpperCase()} ${y}`][kind]!; // prettier-ignore
  };
}

export const monthOf = ({ to }: Pick<Facts, 'to'>, months: number): string =>
  new Date(`${addMonths(to, months)}T12:00:00Z`).toLocaleDateString('en-GB', { month: 'long', timeZone: 'UTC' });

const weekday = (day: CalendarDate): string =>
  new Date(`${day}T12:00:00Z`).toLocaleDateString('en-GB', { weekday: 'short', timeZone: 'UTC' });

/** The year, and sometimes the month, may be printed only at the end of the range. */
export function spanOf(random: Random, date: DateStyle, { from, to }: Pick<Facts, 'from' | 'to'>): string {
  const between = random.pick([' - ', ' - ', ' to ', ' to ', '-', ' – ', '–', ' TO ', ' / ', ' until ']);
  const [year] = from.split('-') as [string];
  const first = date(from);
  const isSameMonth = from.slice(0, 7) === to.slice(0, 7);
  const short = /^\d{4}-/.test(first)
    ? first
    : first.replace(new RegExp(`[ /.,-]*${year}$|[ /.-]${year.slice(2)}$`), '');
  const last = date(to);
  if (year === to.slice(0, 4) && short !== first && random.chance(0.12)) return `${short}${between}${last}`;
  if (isSameMonth && /^\d{1,2}(st|nd|rd|th)? [A-Z]/i.test(first) && random.chance(0.12)) return `${first.split(' ')[0]!}${between}${last}`; // prettier-ignore
  const [before, middle] = random.weighted<readonly [string, string]>([[['', between], 91], [['From ', ' to '], 6], [['between ', ' and '], 3]]); // prettier-ignore
  return `${before}${first}${middle}${last}`;
}

export function monthName(random: Random, day: CalendarDate): string {
  const [y, m] = day.split('-') as [string, string];
  const month = MONTHS[Number(m) - 1]!;
  return random.pick([`${month} ${y}`, `${month} ${y}`, `${month.slice(0, 3)} ${y}`, `${month.slice(0, 3).toUpperCase()} ${y}`, `${month.toUpperCase()} ${y}`, `${month.slice(0, 3)}-${y.slice(2)}`, `${m}/${y}`, `${y}/${m}`, `${m}-${y}`, month, month.toUpperCase(), `${month.slice(0, 3)} '${y.slice(2)}`, `${month} '${y.slice(2)}`, `${month}-${y}`, `${month}, ${y}`, `${m === '09' ? 'Sept' : month.slice(0, 3)} ${y}`, `${month.slice(0, 3)} ${y.slice(2)}`, `${month.slice(0, 3)}-${y}`]); // prettier-ignore
}
