import { writeFile } from 'node:fs/promises';
import { commandLine } from '../../test/helpers/command-line.ts';
import type { AnyForm } from '../payslips/forms.ts';
import { MEASURING } from './measuring/index.ts';
import { asText, figuresOf } from './measuring/figures.ts';
import { CONDITIONS, readAll } from './measuring/run.ts';

const ALL_CONDITIONS: readonly AnyForm[] = [...CONDITIONS, 'folded', 'clean', 'turned'];
const NAMES = MEASURING.map(({ name }) => name);

const USAGE = `node tools/training/measure.ts [--seed N] [--count N] [--conditions a,b] [--layouts a,b] [--json FILE] [--faults]

Measures how well the service reads payslips of layouts that it has never seen, and files that are not payslips. Reads --count documents
(default 1) of each layout in each condition, with seeds from --seed (default 1) on. Conditions: ${ALL_CONDITIONS.join(', ')};
by default ${CONDITIONS.join(', ')}. --layouts leaves out the others, and the files that are not payslips unless it names "others".
--json writes the figures into a file. --faults also lists what was wrong: nobody who changes the reader may read that list.`;

/** Exits with 0 after all measurements, whatever the results, and with 2 for a wrong argument. */
async function main(): Promise<void> {
  const [flag, text] = [{ type: 'boolean' }, { type: 'string' }] as const;
  const options = { seed: text, count: text, conditions: text, layouts: text, json: text, faults: flag, help: flag };
  const { values } = commandLine(USAGE, { options });
  const conditions = values.conditions?.split(',') ?? CONDITIONS;
  const layouts = values.layouts?.split(',') ?? [...NAMES, 'others'];
  const [seed, count] = [Number(values.seed ?? 1), Number(values.count ?? 1)];
  const isKnown =
    conditions.every((each) => ALL_CONDITIONS.some((known) => known === each)) &&
    layouts.every((each) => each === 'others' || NAMES.includes(each)) &&
    [seed, count].every((each) => Number.isSafeInteger(each) && each >= 1);
  if (values.help || !isKnown) {
    process.stderr.write(isKnown ? `${USAGE}\n` : `There is no such condition, layout, seed or count.\n\n${USAGE}\n`);
    process.exitCode = isKnown ? 0 : 2;
    return;
  }
  const read = await readAll({ seed, count, conditions: conditions as readonly AnyForm[], layouts });
  const figures = figuresOf(read);
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, undefined, 2)}\n`);
  process.stdout.write(`${asText(figures, read, values.faults === true)}\n`);
}

await main();
