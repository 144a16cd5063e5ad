import type { Cell, Sheet } from './cells.ts';
import { centre, middle, overlapAcross, sameRow, tall } from './geometry.ts';
import { headingOf, labelOf } from './labels.ts';
import { labelled, type Labelled } from './labelled.ts';
import { dateIn } from './printed-dates.ts';
import {
  asName,
  DEPARTMENT,
  EMPLOYED_BY,
  LABEL,
  NOT_A_NAME,
  OTHER_LABEL,
  PERSON,
  personIn,
  POSTCODE,
  SOFTWARE,
  STRONG,
  WEAK,
} from './names.ts';
import { figuresRight, textBetween } from './row.ts';
import { canonical } from './spelling.ts';
import { mended } from './torn.ts';

/** An employer's name as printed, and how certain it is. */
export interface Named {
  value: string;
  certainty: number;
  cells: readonly Cell[];
}

/** The employer: by its label, else the most likely of the prominent names on the page. */
export function findEmployer(sheet: Sheet, employee: string | null): Named | null {
  const seen = sheet.cells.some(({ source }) => source === 'ocr');
  const accept = (text: string): string | null => (SOFTWARE.test(text) ? null : asName(beforeAddress(text), seen));
  const named =
    labelled(sheet, LABEL, accept, 'beside')[0] ?? (isForm(sheet) ? labelled(sheet, CAPTION, accept)[0] : undefined);
  if (named !== undefined) return { value: mended(named.value, named.cells), certainty: 0.95, cells: named.cells };
  const person = labelled(sheet, EMPLOYED_BY, personIn)[0] ?? labelled(sheet, LABEL, personIn, 'beside')[0];
  if (person !== undefined && !isEmployee(person.value, employee))
    return { value: person.value, certainty: 0.85, cells: person.cells };
  const found = sheet.cells
    .flatMap((cell) => candidateOf(sheet, cell, { employee, seen }))
    .toSorted((a, b) => b.score - a.score || a.cell.top - b.cell.top);
  const best = found[0];
  if (best === undefined) return null;
  const rival = found.find((other) => other.name.toLowerCase() !== best.name.toLowerCase());
  const clear = rival === undefined || best.score - rival.score > 1.5;
  const plain = STRONG.test(best.name) && !hasStrayWord(best.name);
  const certainty = plain ? (clear ? 0.92 : 0.8) : clear ? 0.75 : 0.6;
  return { value: mended(best.name, [best.cell]), certainty, cells: [best.cell] };
}

/** Words before the employer's name in its own cell, as some forms have them. */
const CAPTION = /^er( name)?$/;
/** Whether values directly follow their captions: `Name Miss R Sinclair`, `Week No. 34`, `Tax Code 1257L`. */
const isForm = (sheet: Sheet): boolean =>
  sheet.cells.filter((cell) =>
    /^(name [a-z]|(works|employee|payroll) no\.? ?\d|(week|month) no\.? ?\d|tax code \w*\d|n\.?i\.? (no\.?|number) [a-z]{2})/i.test(
      cell.text,
    ),
  ).length >= 3;

/** Whether the name after the caption is the employee's own. */
const isEmployee = (name: string, employee: string | null): boolean =>
  employee !== null && name.toLowerCase().includes(employee.toLowerCase());

/** Whether words before or within a name may not belong to it. */
const hasStrayWord = (name: string): boolean =>
  /^(pay|paid|payslip|payroll|advice|statement|employer|company|employee|to|by|for|at|with|via|on|dear|your|our|this|please|issued|name)\b/i.test(
    name,
  ) ||
  name
    .split(' ')
    .some(
      (word) =>
        /^[a-z]/.test(word) &&
        !/^(of|and|the|for|in|on|upon|at|by|de|le|la|du|with|under|to|s|an?)$/.test(word) &&
        !STRONG.test(word),
    );

interface Candidate {
  cell: Cell;
  name: string;
  score: number;
}

/** Context besides the page's cells: the employee's name, and whether the page was `seen` in a picture. */
interface Known {
  employee: string | null;
  seen: boolean;
}

function candidateOf(sheet: Sheet, cell: Cell, { employee, seen }: Known): Candidate[] {
  // Text that ends with a colon is a caption, which may well contain the word group.
  const alone = cell.text.endsWith(':') ? null : asName(beforeAddress(cell.text), seen);
  if (alone === null || SOFTWARE.test(cell.text) || headingOf(cell.text) !== null || labelOf(cell.text) !== null)
    return [];
  if (employee !== null && alone.toLowerCase().includes(employee.toLowerCase())) return [];
  const name = STRONG.test(alone) ? alone : (withSecondLine(sheet, cell, { name: alone, seen }) ?? alone);
  const score = scoreOf(sheet, cell, name);
  return score > 0 ? [{ cell, name, score }] : [];
}

/** `Castleton Foods Ltd, 12 Mill Lane, Millbury`: the name ends before the street. */
function beforeAddress(text: string): string {
  const [first, second] = text.split(/,\s*/);
  return second !== undefined && first !== undefined
    ? /^\d|\bPO box\b/i.test(second) || STRONG.test(first)
      ? first
      : text
    : text;
}

/** A name that continues on the next line and ends there as an organisation's does. */
function withSecondLine(
  sheet: Sheet,
  cell: Cell,
  { name, seen }: Pick<Candidate, 'name'> & Pick<Known, 'seen'>,
): string | null {
  const next = sheet.cells.find(
    (other) =>
      other.top > middle(cell) &&
      other.top - cell.bottom < 0.6 * tall(cell) &&
      Math.abs(tall(other) - tall(cell)) < 0.15 * tall(cell) &&
      (Math.abs(other.left - cell.left) < 0.5 || Math.abs(centre(other) - centre(cell)) < 0.5) &&
      STRONG.test(other.text) &&
      !/\d|,/.test(other.text),
  );
  return next === undefined ? null : asName(`${name} ${next.text}`, seen);
}

function scoreOf(sheet: Sheet, cell: Cell, name: string): number {
  const suffix = STRONG.test(name) ? 4 : WEAK.test(name) ? 2 : 0;
  const depth = cell.top - (sheet.all[0]?.top ?? 0);
  const place = 3 * Math.max(0, 1 - (4 * depth) / Math.max(1, sheet.height));
  const size = Math.max(-1, Math.min(3, (tall(cell) - 1) * 3));
  const noise = NOT_A_NAME.test(name) ? (suffix > 3 ? 1 : 4) : 0;
  const letters = name.replace(/[^a-z]/gi, '').length / name.length < 0.6 ? 2 : 0;
  const label = isLabelOfFigure(sheet, cell) ? 6 : 0;
  const value = (followsLabel(sheet, cell) ? 2 : 0) + (isOtherValue(sheet, cell) ? 4 : 0);
  const letterhead = reference(sheet, cell);
  const department = suffix < 4 && !letterhead && DEPARTMENT.test(name) ? suffix + 2 : 0;
  const again = sheet.cells.some((other) => other !== cell && other.text.startsWith(name)) ? 1 : 0;
  const street = /^\d+[a-z]?,? /i.test(name) || streetAbove(sheet, cell) || isTown(sheet, cell) ? 4 : 0;
  const address = addressBelow(sheet, cell) ? 1 : 0;
  return (
    place +
    size +
    suffix +
    again +
    address +
    (letterhead ? 3 : 0) +
    (cell.bold ? 0.7 : 0) -
    noise -
    letters -
    label -
    value -
    department -
    street -
    (name.split(' ').length > 8 ? 3 : 0)
  );
}

const isLabelOfFigure = (sheet: Sheet, cell: Cell): boolean =>
  figuresRight(sheet, cell).some((figure) => figure.left - cell.right < 45 && !textBetween(sheet, cell, figure));

/** Whether it is the value of some other label: `Department: Customer Services`. */
const followsLabel = (sheet: Sheet, cell: Cell): boolean =>
  sheet.cells.some(
    (other) =>
      other.text.endsWith(':') && sameRow(other, cell) && cell.left - other.right < 12 && cell.left > other.right - 0.3,
  );

/** Whether one starts at the same left edge as the other, on the line above it. */
const rightAbove = (upper: Cell, lower: Cell): boolean =>
  Math.abs(upper.left - lower.left) < 1 && lower.top > middle(upper) && lower.top - upper.bottom < 1;

/**
 * Whether a neighbouring label, or a caption directly above, says that it is something else: a department, a job, a
 * place.
 */
const isOtherValue = (sheet: Sheet, cell: Cell): boolean =>
  sheet.cells.some((other) => {
    const beside = sameRow(other, cell) && cell.left - other.right > -0.3 && cell.left - other.right < 12;
    return (beside || rightAbove(other, cell)) && OTHER_LABEL.test(canonical(other.text));
  });

/** Whether a street with its house number is directly above: then this is a town. */
const streetAbove = (sheet: Sheet, cell: Cell): boolean =>
  sheet.cells.some(
    (other) =>
      rightAbove(other, cell) &&
      /^(flat \d+,? )?\d+[a-z]?,? [a-z]/i.test(other.text) &&
      !STRONG.test(other.text) &&
      dateIn(other.text) === null,
  );

/** Whether the line directly below is only a postcode: then this is a town. */
const isTown = (sheet: Sheet, cell: Cell): boolean =>
  sheet.cells.some((other) => rightAbove(cell, other) && isBarePostcode(other.text));

const isBarePostcode = (text: string): boolean => POSTCODE.test(text) && text.replace(POSTCODE, '').trim() === '';

/** Whether an address continues below: a line with a house number, or one with a postcode. */
const addressBelow = (sheet: Sheet, cell: Cell): boolean =>
  sheet.cells.some(
    (other) =>
      other.top > middle(cell) &&
      other.top - cell.bottom < 7 &&
      (Math.abs(other.left - cell.left) < 1 || Math.abs(centre(other) - centre(cell)) < 1) &&
      (POSTCODE.test(other.text) || /^\d+[a-z]?,? [a-z]/i.test(other.text)),
  );

/**
 * Whether the line directly below has an address with the employer's PAYE reference, or names its office or its
 * register.
 */
function reference(sheet: Sheet, cell: Cell): boolean {
  const under = sheet.cells.find(
    (other) => middle(other) > cell.bottom && other.top - cell.bottom < 2.5 && overlapAcross(other, cell) > 0.2,
  );
  // A postcode alone ends an address of several lines; its neighbours belong to something else.
  if (under === undefined || isBarePostcode(under.text)) return false;
  const row = sheet.cells.filter((other) => sameRow(other, under)).map((other) => other.text);
  const text = row.join(' ');
  return (
    /\bregistered (office|in (england|scotland|wales|northern ireland)|charity)\b|\bcompany (no|number|reg)/i.test(
      text,
    ) ||
    (POSTCODE.test(text) && /\b(er|paye) (paye |tax )?(ref|reference)\b/.test(canonical(text)))
  );
}

/** The employee's name by its label, so that it is not mistaken for the employer's. */
export function findEmployee(sheet: Sheet): Labelled<string> | null {
  const accept = (text: string): string | null => {
    const name = text.replace(/\s+/g, ' ').replace(PERSON, '').trim();
    return /^[a-z][a-z'’. \-]{2,50}$/i.test(name) ? name : null;
  };
  return labelled(sheet, /^(ee( name)?|name|(ee )?full name|surname( or family name)?)$/, accept)[0] ?? null;
}
