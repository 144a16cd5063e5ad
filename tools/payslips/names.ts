import type { Random } from './random.ts';

export interface Employer {
  name: string;
  address: string[];
  payeReference: string;
  accountsOffice: string;
  sector: 'private' | 'nhs' | 'council' | 'school' | 'charity';
}

export interface Employee {
  title: string;
  first: string;
  middle: string;
  last: string;
  address: string[];
  number: string;
  /** Nine characters without spaces. */
  niNumber: string;
  department: string;
  job: string;
  account: string;
  sortCode: string;
}

const TOWNS = [
  ['Harrowbeck', 'HX'], ['Millbury', 'BL'], ['Stonebridge', 'DE'], ['Eastmere', 'IP'], ['Wickford Bay', 'CO'], ['Penhallow', 'TR'],
  ['Ashcombe', 'EX'], ['Northwick', 'NE'], ['Glenmoray', 'IV'], ['Llanderyn', 'CF'], ['Thornley', 'DL'], ['Kingsmarsh', 'TN'],
  ['Ravensholt', 'LN'], ['Castlebourne', 'BH'], ['Whitmoor', 'WV'], ['Ballykeel', 'BT'],
] as const; // prettier-ignore
const STREETS = ['High Street', 'Mill Lane', 'Station Road', 'Church Walk', 'Albert Road', 'Quarry Hill', 'Orchard Close', 'Canal Wharf', 'Victoria Terrace', 'Meadow Way', 'Foundry Street', 'The Green']; // prettier-ignore
const FIRST = ['Amelia', 'Oliver', 'Priya', 'Mohammed', 'Siobhan', 'Gareth', 'Chloe', 'Jakub', 'Isla', 'Tunde', 'Mei', 'Callum', 'Fatima', 'Rhys', 'Grace', 'Daniel', 'Zofia', 'Ewan', 'Bethan', 'Anthony']; // prettier-ignore
const LAST = ['Whitfield', "O'Connor", 'Patel', 'Kowalczyk', 'Ahmed', 'Llewellyn', 'Hargreaves', 'Okafor', 'Sinclair', 'Chen', 'Davies', 'Brathwaite', 'Smith-Jones', 'McAllister', 'Thornton', 'Begum', 'Fairclough', 'Rossi', 'Nowak', 'Green']; // prettier-ignore
const WORDS = ['Harrowgate', 'Bluebell', 'Castleton', 'Northern Star', 'Kestrel', 'Silverdale', 'Redwood', 'Beacon', 'Larkfield', 'Oakhurst', 'Tideway', 'Marlowe', 'Penrose', 'Fenland', 'Greystone', 'Albion', 'Thistle', 'Copperfield', 'Swift', 'Highfield']; // prettier-ignore
const TRADES = ['Engineering', 'Logistics', 'Foods', 'Software', 'Care Homes', 'Builders Merchants', 'Retail', 'Print & Design', 'Consulting', 'Catering', 'Motors', 'Dental Care', 'Property Services', 'Textiles', 'Hotels', 'Electrical', 'Garden Centres', 'Packaging', 'Recruitment', 'Brewery']; // prettier-ignore
const SURNAMES = ['Barker', 'Dunmore', 'Ellery', 'Fothergill', 'Grimshaw', 'Hollis', 'Jessop', 'Lomax', 'Maddox', 'Pemberton', 'Quayle', 'Tarrant', 'Underhill', 'Wyndham']; // prettier-ignore

export function employer(random: Random, sector?: Employer['sector']): Employer {
  const town = random.pick(TOWNS);
  const kind = sector ?? random.weighted([['private', 70], ['nhs', 7], ['council', 8], ['school', 7], ['charity', 8]] as const); // prettier-ignore
  return {
    name: nameOf(random, kind, town[0]),
    address: [`${random.int(1, 220)} ${random.pick(STREETS)}`, town[0], postcode(random, town[1])],
    payeReference: `${random.digits(3)}/${random.pick(['A', 'B', 'AB', 'ZB', 'NE', 'X', 'K'])}${random.digits(random.int(3, 5))}`,
    accountsOffice: `${random.digits(3)}P${random.pick(['A', 'B', 'C', 'F'])}00${random.digits(6)}`,
    sector: kind,
  };
}

function nameOf(random: Random, kind: Employer['sector'], town: string): string {
  const surname = () => random.pick(SURNAMES);
  switch (kind) {
    case 'nhs':
      return random.pick([`${town} University Hospitals NHS Foundation Trust`, `${town} Community Health NHS Trust`, `NHS ${town}`]); // prettier-ignore
    case 'council':
      return random.pick([`${town} Borough Council`, `${town} City Council`, `${town} and District Council`, `London Borough of ${town}`]); // prettier-ignore
    case 'school':
      return random.pick([`St Aidan's Primary School`, `${town} Academy`, `${town} High School`, `The ${random.pick(WORDS)} Learning Trust`, `University of ${town}`]); // prettier-ignore
    case 'charity':
      return random.pick([`The ${surname()} Foundation`, `${town} Hospice`, `Friends of ${town} Library`, `${random.pick(WORDS)} Housing Association`, `Citizens of ${town} CIC`]); // prettier-ignore
    case 'private':
      return random.weighted<() => string>([
        [() => `${random.pick(WORDS)} ${random.pick(TRADES)} Ltd`, 8],
        [() => `${random.pick(WORDS)} ${random.pick(TRADES)} Limited`, 6],
        [() => `${random.pick(WORDS)} ${random.pick(TRADES)} plc`, 3],
        [() => `${random.pick(WORDS)} Group PLC`, 2],
        [() => `${surname()} & ${surname()} LLP`, 3],
        [() => `${surname()} & Sons Ltd`, 3],
        [() => `${surname()}'s of ${town}`, 2],
        [() => `${random.pick(WORDS)} ${random.pick(TRADES)} (UK) Ltd`, 2],
        [() => `${surname()}, ${surname()} and Partners`, 2],
        [() => `${surname()}'s ${random.pick(TRADES)}`, 2],
        [() => `The ${random.pick(['Crown', 'Old Bakery', 'White Hart', 'Tea Rooms', 'Green Dragon'])}`, 2],
        [() => `A ${random.pick(['J', 'T', 'M', 'R'])} ${surname()} ${random.pick(TRADES)}`, 1],
        [() => `${random.int(2, 9)}D ${random.pick(TRADES)} Ltd`, 1],
      ])();
  }
}

/** The NI number has the right form, but is invented. */
export function employee(random: Random): Employee {
  const town = random.pick(TOWNS);
  const letters = 'ABCEGHJLMNPRSWXYZ';
  return {
    title: random.pick(['Mr', 'Mrs', 'Ms', 'Miss', 'Dr']),
    first: random.pick(FIRST),
    middle: random.pick(['', '', random.letter('ABCDEFGHJKLMRST')]),
    last: random.pick(LAST),
    address: [`${random.chance(0.2) ? `Flat ${random.int(1, 30)}, ` : ''}${random.int(1, 180)} ${random.pick(STREETS)}`, town[0], postcode(random, town[1])], // prettier-ignore
    number: random.pick([random.digits(3), `${random.int(1, 9)}${random.digits(4)}`, `00${random.digits(6)}`, `${random.int(10, 99)}${random.digits(6)}`]), // prettier-ignore
    niNumber: `${random.pick(['J', 'P', 'S', 'W', 'N', 'R'])}${random.letter(letters)}${random.digits(6)}${random.letter('ABCD')}`, // prettier-ignore
    department: random.pick(['Admin', 'Warehouse', 'Sales', 'Operations', 'Finance', 'Kitchen', 'Ward 7', 'Customer Services', 'IT', 'Transport']), // prettier-ignore
    job: random.pick(['Administrator', 'Team Leader', 'Staff Nurse', 'Driver', 'Analyst', 'Chef', 'Teaching Assistant', 'Technician', 'Sales Assistant', 'Planning Officer']), // prettier-ignore
    account: random.digits(8),
    sortCode: `${random.digits(2)}-${random.digits(2)}-${random.digits(2)}`,
  };
}

function postcode(random: Random, area: string): string {
  return `${area}${random.int(1, 29)} ${random.int(1, 9)}${random.letter('ABDEFGHJLNPQRSTUWXYZ')}${random.letter('ABDEFGHJLNPQRSTUWXYZ')}`; // prettier-ignore
}

/** Formats an NI number as "AB 12 34 56 C". */
export function spaced(niNumber: string): string {
  return niNumber.replace(/^(..)(..)(..)(..)(.)$/, '$1 $2 $3 $4 $5');
}
