import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { documentWorkflowId } from '../../workflows/ids.ts';
import type { Person } from './account.ts';
import { mustBe, type Stage, workflowPage } from './stage.ts';

const PAYSLIP = 'payslip.pdf';
const FIGURES = {
  gross_pay: 375_553,
  tax_deducted: 50_380,
  ni_deducted: 21_660,
  pension_deducted: 18_778,
  net_pay: 284_735,
} as const;

/** In pence. */
export const WAGE = FIGURES.net_pay;

/** @returns the document's id. */
export async function uploadPayslip({ config, client, teller }: Stage, { userId }: Person): Promise<string> {
  teller.step(
    'Upload a payslip',
    'The PDF is read on this machine, from its text or by OCR. The file and the figures are stored encrypted.',
  );
  const bytes = new Uint8Array(await readFile(join(import.meta.dirname, PAYSLIP)));
  const document = await client.uploadPayslip({ body: { user_id: userId, file: new File([bytes], PAYSLIP) } });
  mustBe('The status of the document', document.status, 'parsed');
  const { extracted } = document;
  teller.answered(
    201,
    `${document.doc_id}: ${extracted?.pay_period ?? '?'} at ${extracted?.employer_name ?? '?'}, confidence ${document.confidence ?? 0}`,
  );
  const amountOf = (field: keyof typeof FIGURES) => extracted?.[field] ?? 0;
  teller.table([
    { what: 'Gross pay', amount: amountOf('gross_pay') },
    { what: '- Tax', amount: amountOf('tax_deducted') },
    { what: '- National Insurance', amount: amountOf('ni_deducted') },
    { what: '- Pension', amount: amountOf('pension_deducted') },
    { what: '= Net pay', amount: amountOf('net_pay'), total: true },
  ]);
  for (const field of Object.keys(FIGURES) as (keyof typeof FIGURES)[])
    mustBe(`The field ${field}`, amountOf(field), FIGURES[field]);
  teller.look('How it was read', workflowPage(config, documentWorkflowId(document.doc_id)));
  return document.doc_id;
}
