import type { Client, Output } from '../../../client/src/index.ts';
import { byId, facts, onSubmit, p } from './page.ts';
import { pounds } from './words.ts';

/** Why the service could not read a document. Later versions might add codes. */
const FAILURES: Readonly<Record<string, string>> = {
  'encrypted-pdf': 'This PDF has a password. Save a copy without a password, and read that.',
  'no-payslip-found': 'There is no payslip in this file. Choose another file.',
  'document-too-complex': 'This file is too large to read. Choose a file with only your payslip.',
};
const ARRIVED = 'It has arrived from this employer.';
const SAME_AMOUNT = 'The same amount has arrived. The bank does not name this employer.';
const UNREADABLE = 'The payslip is hard to read. Try a sharper picture, or the PDF from your employer.';

export function payslipCard(client: Client, userId: string): void {
  onSubmit('payslip', async (form) => {
    byId('figures').replaceChildren();
    const { doc_id } = await client.uploadPayslip({ body: { user_id: userId, file: form.get('file') as File } });
    const payslip = await client.untilDocumentRead(doc_id);
    byId('figures').replaceChildren(...figures(payslip));
    const netPay = payslip.extracted?.net_pay ?? null;
    if (netPay !== null) document.querySelector<HTMLInputElement>('[name=wage]')!.value = (netPay / 100).toFixed(2);
  });
}

function figures({ extracted, failure, needs_review, net_pay_seen: seen }: Output<'getPayslip'>): Node[] {
  if (extracted === null) return [p(FAILURES[failure?.code ?? ''] ?? UNREADABLE, 'alert')];
  const amount = (pence: number | null) => (pence === null ? 'Not found' : pounds(pence));
  const list = facts([
    ['Employer', extracted.employer_name ?? 'Not found'],
    ['Period', extracted.pay_period ?? 'Not found'],
    ['Gross pay', amount(extracted.gross_pay)],
    ['Tax', amount(extracted.tax_deducted)],
    ['National Insurance', amount(extracted.ni_deducted)],
    ['Pension', amount(extracted.pension_deducted)],
    ['Net pay', amount(extracted.net_pay)],
    ...(seen === null ? [] : [['At your bank', seen.payer_is_employer ? ARRIVED : SAME_AMOUNT] as const]),
  ]);
  return needs_review
    ? [list, p('Some of this is hard to read. Compare it with your payslip first.', 'advice')]
    : [list];
}
