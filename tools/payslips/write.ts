import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FORMS, makeDocument, SETS, type Form, type SetName } from './index.ts';

const USAGE = `node tools/payslips/write.ts DIR [--set ${Object.keys(SETS).join('|')}] [--count N] [--layout NAME] [--form NAME]

Writes generated documents into DIR, each with its truth beside it as JSON: N of each layout and form, 1 if not said.`;

const EXTENSIONS = { 'application/pdf': 'pdf', 'image/png': 'png', 'image/jpeg': 'jpg' };

/** Exits with 2 if no folder is given or the set does not exist. */
async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    options: { set: text, count: text, layout: text, form: text },
    allowPositionals: true,
  });
  const set = values.set ?? 'development';
  const [folder] = positionals;
  if (folder === undefined || !Object.hasOwn(SETS, set)) {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  await mkdir(folder, { recursive: true });
  const layouts = SETS[set as SetName].map(({ name }) => name).filter((name) => (values.layout ?? name) === name);
  const forms = FORMS.filter((form) => ((values.form as Form | undefined) ?? form) === form);
  for (const layout of layouts) {
    for (const form of forms) {
      for (let seed = 1; seed <= Number(values.count ?? 1); seed++) {
        const made = await makeDocument({ layout, seed, form });
        const name = `${layout}-${seed}-${form}`;
        await writeFile(join(folder, `${name}.${EXTENSIONS[made.mediaType]}`), made.bytes);
        await writeFile(join(folder, `${name}.json`), `${JSON.stringify(made.truth, undefined, 2)}\n`);
        process.stdout.write(`${name}.${EXTENSIONS[made.mediaType]} ${made.bytes.length}\n`);
      }
    }
  }
}

await main();
