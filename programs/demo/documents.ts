import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { documentWorkflowId } from '../../workflows/ids.ts';
import type { Person } from './account.ts';
import { mustBe, workflowPage, type Stage } from './stage.ts';

const PAYSLIP = 'payslip.pdf';
/** In pence. */
export const WAGE = 284_735;

const FIGURES = [
  { field: 'gross_pay', what: 'Gross pay', amount: 375_553 },
  { field: 'tax_deducted', what: '- Tax', amount: 50_380 },
  { field: 'ni_deducted', what: '- National Insurance', amount: 21_660 },
  { field: 'pension_deducted', what: '- Pension', amount: 18_778 },
  { field: 'net_pay', what: '= Net pay', amount: WAGE, total: true },
] as const;

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
  teller.table(FIGURES.map((row) => ({ ...row, amount: extracted?.[row.field] ?? 0 })));
  for (const { field, amount } of FIGURES) mustBe(`The field ${field}`, extracted?.[field] ?? 0, amount);
  teller.look('How it was read', workflowPage(config, documentWorkflowId(document.doc_id)));
  return document.doc_id;
}
