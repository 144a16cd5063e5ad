import type { Candidate } from './candidates.ts';
import { sameRow } from './geometry.ts';

/** The fields that a row or column of yearly totals repeats. */
const REPEATED = ['gross', 'tax', 'ni'] as const;
/** An amount must have this score to show that the same field in another row is a yearly total. */
const RIVAL = 2;
const PENALTY = 6;

/**
 * Finds rows and columns of yearly totals by their amounts, whatever their heading. Two or more of gross pay, tax and
 * NI must also occur elsewhere. None may be lower than there, and at least two must be higher. Marks these amounts as
 * year-to-date.
 */
export function withoutStrips(candidates: readonly Candidate[]): Candidate[] {
  const usable = candidates.filter((one) => one.figure.exact && !one.ytd && !one.label.employer);
  const totals = new Set(groupsOf(usable).flatMap((group) => (repeatsMore(group, usable) ? group : [])));
  return candidates.map((one) => (totals.has(one) ? { ...one, ytd: true, score: one.score - PENALTY } : one));
}

/**
 * Groups captions on one row whose amounts are on another row, and labels in one column whose amounts are in another
 * column.
 */
function groupsOf(candidates: readonly Candidate[]): Candidate[][] {
  const groups: { across: boolean; members: Candidate[] }[] = [];
  for (const one of candidates.toSorted((a, b) => a.figure.top - b.figure.top || a.figure.left - b.figure.left)) {
    const across = !sameRow(one.label.cell, one.figure);
    const group = groups.find(
      (other) => other.across === across && (across ? inStrip : inColumn)(other.members.at(-1)!, one),
    );
    if (group === undefined) groups.push({ across, members: [one] });
    else group.members.push(one);
  }
  return groups.map(({ members }) => members);
}

const inStrip = (a: Candidate, b: Candidate): boolean =>
  sameRow(a.figure, b.figure) && sameRow(a.label.cell, b.label.cell);

const inColumn = (a: Candidate, b: Candidate): boolean =>
  Math.abs(a.label.cell.left - b.label.cell.left) < 1 &&
  Math.abs(a.figure.right - b.figure.right) < 1 &&
  b.figure.top - a.figure.bottom < 4;

function repeatsMore(group: readonly Candidate[], candidates: readonly Candidate[]): boolean {
  if (group.some((one) => one.label.now || one.role.column?.heading === 'now' || one.role.block?.heading === 'now'))
    return false;
  const figures = new Set(group.map((one) => one.figure));
  const best = (field: string, inGroup: boolean): number | null => {
    const found = candidates.filter((one) => one.field === field && figures.has(one.figure) === inGroup);
    const first = found.toSorted((a, b) => b.score - a.score)[0];
    return first === undefined || (!inGroup && first.score < RIVAL) ? null : Math.abs(first.figure.pence);
  };
  const compared = REPEATED.flatMap((field) => {
    const [here, there] = [best(field, true), best(field, false)];
    return here === null || there === null ? [] : [here - there];
  });
  return compared.every((more) => more >= 0) && compared.filter((more) => more > 0).length >= 2;
}
