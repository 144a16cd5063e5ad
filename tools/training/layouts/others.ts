import type { Random } from '../../payslips/random.ts';
import { cards, factsBlock, lines, prose, type Fact, type Region } from './blocks.ts';
import { addressLines, job, personName } from './facts.ts';
import type { Paper, LabelledWord } from './paper.ts';
import { newDrawing, niNumber, type Drawing } from './drawing.ts';
import { header, payslip } from './payslips.ts';

/** Nothing on these pages is a field. */
const silent = (paper: Paper): Paper => {
  paper.words.forEach((word: LabelledWord) => (word.role = 'none'));
  return paper;
};

const start = (random: Random): { drawing: Drawing; page: Region } => {
  const drawing = newDrawing(random);
  const margin = random.between(14, 60);
  const { paper } = drawing.pen;
  return { drawing, page: { left: margin, right: paper.width - margin, top: margin + paper.size } };
};

export function register(random: Random): Paper {
  const { drawing, page } = start(random);
  const { pen, speech: { say } } = drawing; // prettier-ignore
  const { paper } = pen;
  let top = header(drawing, page, random.pick(['Payroll Summary', 'Payroll Register', 'Pay run report', 'Payroll Report', 'Payment Summary', 'Gross to Net Report', 'BACS list', 'Department totals'])); // prettier-ignore
  const kinds = random.some(['gross', 'tax', 'ni', 'pension', 'deductions', 'net', 'employersNi'] as const, random.int(3, 7)); // prettier-ignore
  const withNumber = random.chance(0.4);
  const wide = (page.right - page.left) / (kinds.length + (withNumber ? 3 : 2));
  const left = page.left + (page.right - page.left) - kinds.length * wide;
  top += pen.leading;
  paper.text(page.left, top, random.pick(['Employee', 'Name', 'Emp', 'Surname']), { bold: true });
  kinds.forEach((kind, n) => paper.text(left + (n + 1) * wide - 4, top, say(kind).split(' ').slice(0, 2).join(' '), { align: 'right', bold: true, size: Math.min(paper.size, wide / 6) })); // prettier-ignore
  const count = random.int(3, 26);
  for (let row = 0; row <= count && top < paper.height - 40; row += 1) {
    top += pen.leading;
    paper.text(page.left, top, row === count ? say('total') : personName(random), { size: paper.size * 0.9 });
    if (withNumber && row < count) paper.text(left, top, niNumber(random), { align: 'right', size: paper.size * 0.85 });
    kinds.forEach((_, n) => paper.text(left + (n + 1) * wide - 4, top, pen.money(random.int(500, 400_000)), { align: 'right', size: Math.min(paper.size, wide / 5) })); // prettier-ignore
  }
  return silent(paper);
}

export function calculator(random: Random): Paper {
  const { drawing, page } = start(random);
  const { pen, facts: all, speech: { say } } = drawing; // prettier-ignore
  const { paper } = pen;
  let top = page.top + pen.leading;
  paper.text(page.left, top, random.pick(['Salary calculator', 'Take home pay calculator', 'UK Tax Calculator 2026/27', 'Income tax calculator', 'Your results', 'Net pay estimate', 'Contractor calculator']), { size: paper.size * 1.6 }); // prettier-ignore
  top += pen.leading * 2;
  if (random.chance(0.7)) top = factsBlock(pen, { ...page, top }, [{ label: 'Salary', value: pen.money(all.gross.amount * 12), role: 'none' }, { label: random.pick(['Tax code', 'Your tax code']), value: all.code, role: 'none' }, { label: random.pick(['Pension', 'Student loan', 'Age', 'Tax year']), value: random.pick(['5%', 'No', 'Plan 2', '2026/27']), role: 'none' }] satisfies Fact[]); // prettier-ignore
  const columns = random.pick([['Yearly', 'Monthly', 'Weekly'], ['Annual', 'Month', 'Week', 'Day'], ['Per year', 'Per month'], ['Year', '4 weeks', 'Week', 'Hour']]); // prettier-ignore
  const wide = (page.right - page.left) / (columns.length + 1.5);
  const at = (n: number) => page.right - (columns.length - 1 - n) * wide;
  top += pen.leading;
  columns.forEach((text, n) => paper.text(at(n), top, text, { align: 'right', bold: true }));
  for (const item of [all.gross, ...all.deductions, all.net]) {
    top += pen.leading;
    paper.text(page.left, top, item.label);
    columns.forEach((_, n) => paper.text(at(n), top, pen.money(Math.round(item.amount * (12 / [1, 12, 52, 260][n]!))), { align: 'right' })); // prettier-ignore
  }
  top += pen.leading * 2;
  prose(pen, { ...page, top }, [[random.pick(['These figures are estimates only.', 'This calculator gives an estimate of your take home pay.', `Compare another salary. You take home ${pen.money(all.net.amount)} of ${say('gross')}.`, 'Results are a guide and not advice.']), 'none']]); // prettier-ignore
  return silent(paper);
}

export function guide(random: Random): Paper {
  const paper = payslip(random);
  const size = paper.size;
  paper.text(random.between(20, 80), size * 1.5, random.pick(['How to read your payslip', 'Understanding your payslip', 'Your payslip explained', 'A guide to your payslip', 'What does my payslip mean?']), { size: size * 1.7, bold: true }); // prettier-ignore
  const notes = ['1 Your tax code tells your employer how much tax to take', '2 Gross pay is your pay before deductions', '3 National Insurance pays for benefits such as the state pension', 'This box shows your pension', 'Check that your details are correct', 'A: This is your net pay, the amount you receive', 'Year to date shows the totals since April', 'Deductions are amounts taken from your pay']; // prettier-ignore
  for (const note of random.some(notes, random.int(3, 7)))
    paper.text(random.between(10, paper.width * 0.6), paper.height - random.between(20, 200), note, {
      size: size * 0.85,
    });
  return silent(paper);
}

export const OTHER_TITLES = ['Invoice', 'Bank Statement', 'Your offer of employment', 'P11D Expenses and benefits', 'Pension benefit statement', 'Council Tax Bill', 'Remittance Advice', 'Statement of account', 'Expense claim', 'Timesheet', 'Tax calculation SA302', 'Contract of employment', 'Annual salary review', 'Utility bill', 'Receipt', 'P2 Coding notice', 'Tenancy agreement', 'Universal Credit statement', 'Total reward statement', 'Pension contribution schedule', 'P32 Employer Payment Record', 'BACS payment report', 'Statement of National Insurance contributions', 'Student loan statement', 'Mortgage statement', 'Payroll journal', 'Credit note', 'Purchase order', 'Sales report', 'VAT return', 'Dividend voucher', 'Self Assessment statement', 'Holiday record', 'Pay review letter', 'Working Tax Credit award', 'Profit and loss account', 'Benefit award letter', 'Order confirmation', 'Quotation', 'Delivery note', 'Insurance schedule', 'Loan agreement']; // prettier-ignore
export const OTHER_TEXTS = ['Opening balance', 'Closing balance', 'Tax', 'Total net', 'Amount payable', 'PENSION', 'SALARY', 'Subtotal', 'VAT 20%', 'Total due', 'Payment received', 'Card payment', 'Direct debit', 'Salary', 'Net', 'Gross', 'VAT', 'Pension pot value', 'Transfer value', 'Interest', 'Rent', 'Tax due', 'Balance', 'Amount', 'Mileage', 'Hotel', 'Taxable benefit', 'National Insurance', 'Total income', 'Personal allowance', 'Income Tax due', 'Your pension contributions', 'Employer contributions', 'Standard allowance', 'Pay from all employments', 'Profit', 'Turnover', 'Employees paid', 'Total to HMRC', 'Employer NI due', 'Employment Allowance', 'Gross wages', 'Net wages', 'PAYE due', 'Tax withheld', 'Dividend', 'Tax credit', 'Outstanding', 'Discount', 'Delivery', 'Carriage', 'Deposit', 'Premium', 'Insurance premium tax', 'Basic pay (annual)', 'Pension (annual)', 'Total package', 'Value of benefits', 'Previous balance', 'New balance', 'Minimum payment', 'Charges', 'Cash withdrawal', 'Standing order', 'Hours', 'Labour', 'Materials', 'Net amount', 'Gross amount', 'Total gross', 'Balance due', 'Paid to date', 'Increase', 'New salary', 'Current salary', 'Bonus (target)', 'Tax already paid', 'Tax to pay', 'National Insurance due', 'Class 4 NI', 'Class 2 NI', 'Total contributions', 'Opening value', 'Closing value']; // prettier-ignore

export function another(random: Random): Paper {
  const { drawing, page } = start(random);
  const { pen, facts: all, speech: { say } } = drawing; // prettier-ignore
  const { paper, money } = pen;
  const title = random.pick(OTHER_TITLES);
  let top = header(drawing, page, title);
  if (random.chance(0.7)) top = factsBlock(pen, { ...page, top: top + pen.leading }, [{ label: random.pick(['Invoice No', 'Account', 'Ref', 'Customer']), value: random.digits(6), role: 'none' }, { label: 'Date', value: drawing.date(all.payDate), role: 'none' }, { label: random.pick(['Name', 'Bill to', 'To']), value: all.person, role: 'none' }]); // prettier-ignore
  const items = random.some(OTHER_TEXTS, random.int(2, 12)).map((label) => ({ item: { label: random.chance(0.1) ? say('net') : label, role: 'none' as const, amount: random.int(-20_000, 800_000), ytd: 0 } })); // prettier-ignore
  top = (random.chance(0.25) ? cards : lines)(pen, { ...page, top: top + pen.leading }, items);
  if (random.chance(0.6)) prose(pen, { ...page, top: top + pen.leading }, [[`${random.pick(['We are pleased to offer you the post of', 'You work as', 'This statement is for'])} ${job(random)} with a salary of ${money(all.gross.amount * 12)} a year. ${addressLines(random).join(', ')}`, 'none']]); // prettier-ignore
  return silent(paper);
}

export function scattered(random: Random): Paper {
  const { drawing: { pen, speech: { say } } } = start(random); // prettier-ignore
  const { paper, money } = pen;
  const [columns, rows] = [random.int(3, 9), random.int(8, 40)];
  for (let left = random.int(8, 90); left > 0; left -= 1) {
    const at = [random.int(0, columns) * (paper.width / (columns + 1)), (1 + random.int(0, rows)) * (paper.height / (rows + 2))] as const; // prettier-ignore
    const label = () => say(random.pick(['gross', 'net', 'tax', 'ni', 'pension', 'deductions', 'year', 'now', 'title', 'employersNi', 'payment', 'periodLabel'])); // prettier-ignore
    paper.text(...at, random.chance(0.45) ? money(random.int(1, 999_999)) : random.chance(0.7) ? label() : random.pick(['lorem', 'ipsum', 'P60', 'P45', '1257L', 'Ltd', 'Rate'])); // prettier-ignore
  }
  return silent(paper);
}
