import { parseArgs } from 'node:util';
import { benchAccrual } from './accrual.ts';
import { asTables, progress, type Part } from './report.ts';
import { benchPayments } from './payments.ts';
import { benchRoutes } from './routes.ts';

const PARTS: Readonly<Record<string, (profileDir?: string) => Promise<Part>>> = {
  payments: benchPayments,
  routes: benchRoutes,
  accrual: benchAccrual,
};

const USAGE = `npm run bench -- [PART ...] [--json] [--profile DIR]

Measures the service as \`npm start\` runs it, each figure beside a bare baseline of the same run: on a busy machine only the
ratios tell something. PART is one of ${Object.keys(PARTS).join(', ')}; all without one. --profile writes a CPU profile of each
process into DIR.`;

/** Exit code 0 when everything was measured, whatever came out; 2 for a wrong argument. */
async function main(): Promise<void> {
  const options = { json: { type: 'boolean' }, profile: { type: 'string' }, help: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = positionals.find((name) => !Object.hasOwn(PARTS, name));
  if (values.help || unknown !== undefined) {
    process.stderr.write(unknown === undefined ? `${USAGE}\n` : `There is no part "${unknown}".\n\n${USAGE}\n`);
    process.exitCode = unknown === undefined ? 0 : 2;
    return;
  }
  const parts: Part[] = [];
  for (const name of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
    progress(`${name} ...`);
    parts.push(await PARTS[name]!(values.profile));
  }
  process.stdout.write(`${values.json ? JSON.stringify({ parts }, undefined, 2) : asTables(parts)}\n`);
}

await main();
