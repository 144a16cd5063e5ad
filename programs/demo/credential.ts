import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { credentialWorkflowId } from '../../workflows/ids.ts';
import type { Person } from './account.ts';
import { must, mustBe, workflowPage, type Stage } from './stage.ts';

export async function proveReliability({ config, client, teller }: Stage, { userId }: Person): Promise<void> {
  teller.step(
    'Prove that bills were paid on time',
    'A signed credential (SD-JWT VC) covers the bills of the last year. Only payments to payees for whom somebody vouches count. Anyone can check it without an account here.',
  );
  const credential = await client.generateCredential({ body: { user_id: userId, period_months: 12 } });
  const { credential_id, reliability_score, total_payments, missed_payments, expires_at } = credential;
  const { bills, months_covered, score_breakdown } = credential;
  teller.answered(
    201,
    `${credential_id}: ${reliability_score} out of 1000; ${total_payments} payments, ${missed_payments} missed; valid until ${expires_at.slice(0, 10)}`,
  );
  for (const { factor, points, of, basis } of score_breakdown) {
    teller.line(`        ${`${points} out of ${of}`.padEnd(14)}  ${factor}: ${basis}`);
  }
  mustBe('What the credential counts', `${bills} bills in ${months_covered} months`, '12 bills in 9 months');
  teller.look('How it was signed', workflowPage(config, credentialWorkflowId(credential_id)));
  const path = { credential_id };
  const check = await client.verifyCredential({ path });
  mustBe('The status of the credential', check.status, 'valid');
  teller.answered(200, `${check.status}: issued by ${check.issuer ?? '?'}`);
  teller.look('The page that a landlord sees', `${config.api.publicUrl}/api/v1/credential/${credential_id}/verify`);
  const pdf = await client.exportCredential({ path }, { accept: 'application/pdf' });
  const bytes = new Uint8Array(await pdf.arrayBuffer());
  must(Buffer.from(bytes.subarray(0, 5)).toString() === '%PDF-', 'The export of the credential should be a PDF.');
  const folder = join(config.dataDir, 'credentials');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${credential_id}.pdf`);
  await writeFile(file, bytes, { mode: 0o600 });
  teller.answered(200, `a signed PDF of ${bytes.length.toLocaleString('en-GB')} bytes`);
  teller.look('The PDF', relative(process.cwd(), file));
}
