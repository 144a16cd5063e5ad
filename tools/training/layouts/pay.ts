import { cards, lines, type Region } from './blocks.ts';
import { asRows, type Drawing } from './drawing.ts';
import type { Item } from './facts.ts';
import { across, beside, merged, stacked } from './tables.ts';
import type { Wording } from './wordings.ts';

function reconciliation(drawing: Drawing, region: Region): number {
  const { pen, facts: all, speech: { say } } = drawing; // prettier-ignore
  const { random } = pen;
  const item = (label: string, amount: number, role: Item['role']): Item => ({ label, amount, role, ytd: amount });
  const kept = [
    item(say('employersNi'), Math.round(all.gross.amount * 0.12), 'employers'),
    item(random.pick(['Company margin', 'Umbrella margin', 'Admin fee', 'Margin']), random.int(1_000, 3_000), 'base'),
    item(
      random.pick(['Apprenticeship Levy', 'App Levy', 'Employer pension', 'Holiday pay retained']),
      random.int(200, 4_000),
      'employers',
    ),
  ];
  const sum = kept.reduce((total, one) => total + one.amount, 0);
  const list = [
    item(
      random.pick([
        'Assignment income',
        'Invoice value',
        'Income from agency',
        'Total income',
        'Contract income',
        'Gross invoice',
      ]),
      all.gross.amount + sum,
      'base',
    ),
    ...kept,
  ];
  if (random.chance(0.5))
    list.push(
      item(random.pick(['Total costs', 'Total employment costs', 'Total deductions from income']), sum, 'none'),
    );
  if (random.chance(0.4))
    list.push(
      item(
        random.pick(['Gross taxable pay', 'Available for pay', 'Gross pay', 'Balance for salary']),
        all.gross.amount,
        'gross',
      ),
    );
  return lines(pen, region, asRows(list));
}
export function body(drawing: Drawing, region: Region): number {
  const { pen, facts: all } = drawing;
  const { random } = pen;
  const totals = totalsOf(drawing);
  const kind = random.weighted([['stacked', 30], ['beside', 32], ['merged', 16], ['cards', 8], ['lines', 10], ['across', 4]]); // prettier-ignore
  const yearIn = random.weighted([['column', 34], ['block', 42], ['none', 24]]); // prettier-ignore
  const gap = pen.leading * random.between(0.6, 1.8);
  let top = region.top;
  if (random.chance(0.05)) top = reconciliation(drawing, region) + gap;
  const summaryFirst = random.chance(0.15);
  if (summaryFirst) top = summary(drawing, { ...region, top }, totals) + gap;
  const withTotals = summaryFirst ? random.chance(0.5) : random.chance(0.6);
  if (kind === 'stacked') top = stacked(drawing, { ...region, top }, yearIn === 'column', withTotals);
  else if (kind === 'beside') top = beside(drawing, { ...region, top }, yearIn === 'column', withTotals);
  else if (kind === 'merged') top = merged(drawing, { ...region, top }, yearIn === 'column', withTotals);
  else if (kind === 'across') top = across(drawing, { ...region, top });
  else {
    const items = asRows([...all.payments, ...(withTotals ? [all.gross] : []), ...all.deductions, ...(withTotals ? [all.taken] : [])]); // prettier-ignore
    const narrow = kind === 'lines' && random.chance(0.6) ? region.left + (region.right - region.left) * random.between(0.4, 0.7) : region.right; // prettier-ignore
    top = (kind === 'cards' ? cards : lines)(pen, { ...region, right: narrow, top }, items);
  }
  top += gap;
  const after: ((region: Region) => number)[] = [];
  if (!summaryFirst) after.push((part) => summary(drawing, part, totals));
  if (yearIn === 'block') after.push((part) => yearBlock(drawing, part));
  if (all.employers.length > 0 && random.chance(0.6)) after.push((part) => employersBlock(drawing, part));
  if (random.chance(0.35)) after.reverse();
  if (after.length > 1 && random.chance(0.5)) return sideBySide({ ...region, top }, after);
  for (const part of after) top = part({ ...region, top }) + gap;
  return top;
}

function sideBySide(region: Region, parts: readonly ((region: Region) => number)[]): number {
  const wide = (region.right - region.left) / parts.length;
  const ends = parts.map((part, at) => part({ left: region.left + at * wide + (at === 0 ? 0 : 10), right: region.left + (at + 1) * wide - 6, top: region.top })); // prettier-ignore
  return Math.max(...ends);
}

function totalsOf({ pen: { random }, facts: { gross, taken, net, bases } }: Drawing): Item[] {
  const list = [...(random.chance(0.85) ? [gross] : []), ...(random.chance(0.65) ? [taken] : []), net];
  if (random.chance(0.25)) list.splice(random.int(0, list.length), 0, ...bases.slice(0, 2));
  return random.chance(0.12) ? list.reverse() : list;
}

function summary(drawing: Drawing, region: Region, totals: readonly Item[]): number {
  const { pen } = drawing;
  const { random, paper } = pen;
  const width = region.right - region.left;
  const narrow = random.weighted<Region>([[region, 50], [{ ...region, left: region.left + width * random.between(0.4, 0.65) }, 38], [{ ...region, right: region.right - width * random.between(0.35, 0.6) }, 12]]); // prettier-ignore
  const list = asRows(totals).map((row) => ({ ...row, bold: row.item.role === 'net' ? random.chance(0.7) : random.chance(0.2) })); // prettier-ignore
  const title = random.chance(0.2) ? random.pick(['Summary', 'Totals', 'This Period', 'Pay Summary', 'Payment summary', drawing.speech.say('now')]) : ''; // prettier-ignore
  if (title !== '') paper.text(narrow.left, narrow.top, title, { bold: random.chance(0.7) });
  const top = narrow.top + (title === '' ? 0 : pen.leading);
  return random.chance(0.5) ? cards(pen, { ...narrow, top }, list) : lines(pen, { ...narrow, top }, list);
}

function yearBlock(drawing: Drawing, region: Region): number {
  const { pen, facts: all, speech: { say } } = drawing; // prettier-ignore
  const { random, paper } = pen;
  const headed = random.chance(0.75);
  const named = !headed || random.chance(0.4);
  const suffix = random.pick([' TD', ' YTD', ' to date', ' T/D', ' Year to Date', ' for year', ' (YTD)', ' this year', ' cumulative']); // prettier-ignore
  const prefix = random.pick(['YTD ', 'Total ', 'Cumulative ', 'Year to date ', 'Cum. ', 'TD ']);
  const name = (label: string) => {
    const bare = label.replace(/[ :£()]+$/, '');
    return !named ? label : suffix.length > 0 && random.chance(0.7) ? bare + suffix : prefix + bare;
  };
  const fresh = (wording: Wording, amount: number): Item => ({ label: name(random.chance(0.5) ? say(wording) : say(wording)), role: 'year', amount, ytd: amount }); // prettier-ignore
  const sum = (role: string) => all.deductions.filter((one) => one.role === role).reduce((total, one) => total + one.ytd, 0); // prettier-ignore
  const list: Item[] = [fresh('gross', all.gross.ytd), fresh('tax', sum('tax')), fresh('ni', sum('ni'))];
  if (random.chance(0.7)) list.push(fresh('pension', sum('pension')));
  if (random.chance(0.4)) list.push(fresh('net', all.net.ytd));
  if (random.chance(0.5)) list.push(fresh('base', Math.round(all.gross.ytd * random.between(0.9, 1))));
  if (random.chance(0.3)) list.push(fresh('employersNi', Math.round(all.gross.ytd * 0.1)));
  if (random.chance(0.2)) list.push(fresh('employersPension', Math.round(all.gross.ytd * 0.05)));
  if (random.chance(0.15)) list.push(fresh('other', Math.round(all.gross.ytd * 0.03)));
  const ordered = random.chance(0.4) ? list.toSorted(() => random.next() - 0.5) : list;
  let top = region.top;
  if (headed) {
    paper.text(random.chance(0.85) ? region.left : (region.left + region.right) / 2, top, say('year'), { bold: random.chance(0.6), align: 'left' }); // prettier-ignore
    top += pen.leading * random.between(1, 1.5);
  }
  return (random.chance(0.45) ? cards : lines)(pen, { ...region, top }, asRows(ordered));
}

function employersBlock(drawing: Drawing, region: Region): number {
  const { pen, facts: all, speech: { say } } = drawing; // prettier-ignore
  const { random, paper } = pen;
  let top = region.top;
  const headed = random.chance(0.7);
  const list = headed && random.chance(0.35) ? all.employers.map((one) => ({ ...one, label: one.label.includes('ension') ? say('pension') : say('ni') })) : all.employers; // prettier-ignore
  if (headed) {
    paper.text(region.left, top, say('employersHead'), { bold: random.chance(0.6) });
    top += pen.leading * random.between(1, 1.4);
  }
  return (random.chance(0.35) ? cards : lines)(pen, { ...region, top }, asRows(list));
}
