import { pdfOf } from './ocr.ts';

/** A line that begins with `# ` is printed larger. */
export function typedPdf(pages: readonly string[]): Promise<Buffer> {
  return pdfOf((pdf) =>
    pages.forEach((page, at) => {
      if (at > 0) pdf.addPage();
      page.split('\n').forEach((line, row) => {
        const isTitle = line.startsWith('# ');
        pdf.font('Courier').fontSize(isTitle ? 14 : 8);
        pdf.text(isTitle ? line.slice(2) : line, 40, 40 + 13 * row, { lineBreak: false });
      });
    }),
  );
}

interface Paid {
  name: string;
  number: string;
  month: string;
  date: string;
  /** In pounds. */
  basic: number;
}

export const PAID: Paid = {
  name: 'Mr T Whitfield',
  number: 'AB123456C',
  month: 'October 2026',
  date: '30/10/2026',
  basic: 2_800,
};

/** Pay, tax, National Insurance, pension and net pay, as printed. */
export function sumsOf(basic: number): [string, string, string, string, string] {
  const [tax, ni, pension] = [0.13 * basic, 0.052 * basic, 0.05 * basic];
  const printed = (pounds: number) =>
    pounds.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return [basic, tax, ni, pension, basic - tax - ni - pension].map(printed) as ReturnType<typeof sumsOf>;
}

export function payslipText(more: Partial<Paid> = {}, { above = '', below = '' } = {}): string {
  const { name, number, month, date, basic } = { ...PAID, ...more };
  const [gross, tax, ni, pension, net] = sumsOf(basic);
  return `${above}
# Bramble & Stone Ltd
Payslip                                       Pay date      ${date}
Employee      ${name.padEnd(32)}Pay period    ${month}
NI number     ${number.padEnd(32)}Tax code      1257L

Payments                                      Deductions
Basic pay              ${gross.padStart(10)}             PAYE tax               ${tax.padStart(10)}
                                              National Insurance     ${ni.padStart(10)}
                                              Pension                ${pension.padStart(10)}

Total gross pay        ${gross.padStart(10)}
Net pay                ${net.padStart(10)}
${below}`;
}
