import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Fault } from './fault.ts';
import { ACTIVITY_FAULTS } from './faults/activities.ts';
import { DATABASE_FAULTS } from './faults/database.ts';
import { DOMAIN_FAULTS } from './faults/domain.ts';
import { openWorkspace, type Outcome, type Workspace } from './workspace.ts';

const HELP = `Plants faults in the money path, one at a time, and runs the tests that must notice each fault.
Exits with 1 if a fault survives.

npm run mutants -- [--only WORDS] [--jobs N]

  --only WORDS  only faults whose name or file contains WORDS
  --jobs N      faults tried at the same time (default: half the processors, at least 1)`;

/** A fault can make the service wait for ever. */
const LIMIT_MS = 300_000;

const { values } = parseArgs({
  options: { only: { type: 'string' }, jobs: { type: 'string' }, help: { type: 'boolean' } },
});

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  if (values.help === true) {
    say(HELP);
    return;
  }
  const { only = '' } = values;
  const faults = [...DOMAIN_FAULTS, ...ACTIVITY_FAULTS, ...DATABASE_FAULTS].filter(
    ({ name, file }) => name.includes(only) || file.includes(only),
  );
  if (faults.length === 0) {
    say(`No fault has "${only}" in its name or file.`);
    process.exitCode = 1;
    return;
  }
  const jobs = Number(values.jobs ?? Math.max(1, Math.floor(availableParallelism() / 2)));
  const waiting = [...faults];
  const survivors: Fault[] = [];
  const work = async () => {
    const workspace = openWorkspace();
    try {
      for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
        if (!(await isKilled(workspace, fault))) survivors.push(fault);
      }
    } finally {
      workspace.remove();
    }
  };
  await withSoundTests(faults);
  await Promise.all(Array.from({ length: Math.min(jobs, faults.length) }, work));
  say(`${faults.length - survivors.length} of ${faults.length} faults killed`);
  if (survivors.length > 0) process.exitCode = 1;
}

/** A test that fails without a fault would seem to kill every fault. */
async function withSoundTests(faults: readonly Fault[]): Promise<void> {
  const workspace = openWorkspace();
  try {
    const files = [...new Set(faults.flatMap(({ tests }) => tests))];
    const { failed, broken } = await workspace.test(files);
    if (broken !== undefined) throw new Error(`The tests cannot run: ${broken}`);
    if (failed.length > 0) throw new Error(`These tests fail without a fault: ${failed.join('; ')}`);
  } finally {
    workspace.remove();
  }
}

/** Tries one test file after the other, because the first usually notices the fault. */
async function isKilled(workspace: Workspace, fault: Fault): Promise<boolean> {
  return workspace.withFault(fault, async () => {
    for (const file of fault.tests) {
      const outcome = await workspace.test([file], LIMIT_MS);
      if (outcome.broken !== undefined) return told(fault, 'BROKEN', outcome.broken.trim().slice(-500));
      if (outcome.failed.length > 0) return told(fault, 'killed', killerOf(outcome));
    }
    return told(fault, 'SURVIVED', fault.tests.join(', '));
  });
}

const killerOf = ({ failed }: Outcome) => `${failed[0]!}${failed.length > 1 ? ` and ${failed.length - 1} more` : ''}`;

function told({ name, file }: Fault, outcome: 'killed' | 'SURVIVED' | 'BROKEN', why: string): boolean {
  say(`${outcome.padEnd(8)} ${name} (${file}): ${why}`);
  return outcome === 'killed';
}

await main();
