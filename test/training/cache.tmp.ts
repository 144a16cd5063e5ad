import { writeFileSync, existsSync } from 'node:fs';
import { ALL_LAYOUTS, makeDocument, type Form } from '../helpers/payslips/index.ts';
import { readDocument } from '../../infra/ocr/document.ts';
import { extractReading } from '../../domain/legacy/extract.ts';
const [form, from, count] = [process.argv[2] as Form, Number(process.argv[3]), Number(process.argv[4])];
for (const layout of ALL_LAYOUTS)
  for (let seed = from; seed < from + count; seed++) {
    const file = `/tmp/pages/${layout.name}-${seed}-${form}.json`;
    if (existsSync(file)) continue;
    const made = await makeDocument({ layout: layout.name, seed, form });
    let pages: unknown = [];
  try {
    const outcome = await readDocument(made.bytes, { extract: extractReading, onPages: (all) => (pages = all) });
    writeFileSync(
      file,
      JSON.stringify({
        layout: layout.name,
        form,
        seed,
        truth: made.truth,
        pages,
        old: outcome.kind === 'read' ? outcome.reading : null,
      }),
    );
    } catch { console.log('failed', layout.name); }
  }
