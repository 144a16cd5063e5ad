import type { Client, Output } from '../../../client/src/index.ts';
import { byId, facts, h, onSubmit, pounds } from './page.ts';

export function payslipCard(client: Client, userId: string): void {
  onSubmit('payslip', async (form) => {
    const file = form.get('file') as File;
    const { doc_id } = await client.uploadPayslip({ body: { user_id: userId, file } });
    const payslip = await client.untilDocumentRead(doc_id);
    byId('figures').replaceChildren(...figures(payslip));
    const netPay = payslip.extracted?.net_pay ?? null;
    if (netPay !== null) document.querySelector<HTMLInputElement>('[name=wage]')!.value = (netPay / 100).toFixed(2);
  });
}

function figures({ extracted, failure, needs_review }: Output<'getPayslip'>): Node[] {
  if (extracted === null) return [h('p', { class: 'alert' }, failure?.detail ?? 'The payslip could not be read.')];
  const amount = (pence: number | null) => (pence === null ? 'not found' : pounds(pence));
  const list = facts([
    ['Employer', extracted.employer_name ?? 'not found'],
    ['Period', extracted.pay_period ?? 'not found'],
    ['Gross pay', amount(extracted.gross_pay)],
    ['Tax', amount(extracted.tax_deducted)],
    ['National Insurance', amount(extracted.ni_deducted)],
    ['Pension', amount(extracted.pension_deducted)],
    ['Net pay', amount(extracted.net_pay)],
  ]);
  return needs_review ? [list, h('p', { class: 'alert' }, 'Please check these figures.')] : [list];
}
