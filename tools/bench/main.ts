import { commandLine } from '../../test/helpers/command-line.ts';
import { SETS, type SetName } from '../payslips/index.ts';
import { benchAccrual } from './accrual.ts';
import { benchAttacks } from './attacks/index.ts';
import { benchDocuments, type DocumentOptions } from './documents.ts';
import { asTables, progress, type Part } from './report.ts';
import { benchFairPayments } from './fair-payments.ts';
import { benchGrowth } from './growth.ts';
import { benchPayday } from './payday.ts';
import { benchPayments } from './payments.ts';
import { benchReading } from './reading.ts';
import { benchRoutes } from './routes.ts';
import { benchSignIn } from './sign-in.ts';
import { benchUploads } from './uploads.ts';
import { benchWorstBodies } from './worst-bodies.ts';

interface Asked {
  profileDir: string | undefined;
  documents: DocumentOptions;
  entries: number;
  persons: number;
  memoryMb: number;
  front: boolean;
}

const PARTS = {
  payments: ({ profileDir }) => benchPayments(profileDir),
  'fair-payments': ({ profileDir }) => benchFairPayments(profileDir),
  routes: ({ profileDir }) => benchRoutes(profileDir),
  'sign-in': ({ profileDir }) => benchSignIn(profileDir),
  accrual: ({ profileDir }) => benchAccrual(profileDir),
  documents: ({ documents }) => benchDocuments(documents),
  reading: ({ persons, profileDir }) => benchReading({ persons, profileDir }),
  payday: ({ persons, profileDir }) => benchPayday({ persons, profileDir }),
  growth: ({ entries }) => benchGrowth({ entries }),
  uploads: ({ profileDir }) => benchUploads(profileDir),
  'worst-bodies': ({ profileDir }) => benchWorstBodies(profileDir),
  attacks: ({ memoryMb, front }) => benchAttacks({ memoryMb, front }),
} satisfies Record<string, (asked: Asked) => Promise<Part>>;
const TOLD: Readonly<Record<keyof typeof PARTS, string>> = {
  routes:
    'token check and introspection, calculate, allocate, transfer, vault store and get; baseline: Express, its validator, one statement by pg',
  'sign-in': 'sign-in with a password, beside other requests; baseline: the hash of the password',
  accrual: 'interest of one vault over HTTP, and of all vaults by the monthly run; baseline: an insert, a transfer',
  payments: 'execute to completed; baseline: a Temporal workflow with one activity, and an empty one',
  'fair-payments': 'a bill beside 500 orders of one owner, one key or as many persons; baseline: the bill alone',
  uploads: 'documents from upload to parsed, beside other requests; baseline: the form to Express, its text by pdfjs',
  attacks: 'what attackers send, beside honest persons, with the API under a memory limit; baseline: nothing sent',
  'worst-bodies':
    'the worst bodies of every operation, how long they block the API, and what others notice; baseline: nothing sent',
  documents: 'how well documents are read, and how long it takes',
  reading: 'the accounts of many persons at the sandbox bank, read by one worker; baseline: reading them again',
  payday:
    'wages of many persons, from their arrival at the sandbox bank to the bills paid and found again; no baseline',
  growth: 'the routes on a large database; baseline: on a small one',
};
const DOCUMENT_SETS = [...(Object.keys(SETS) as SetName[]), 'all'] as const;

const USAGE = `npm run bench -- [PART ...] [--json] [--profile DIR] [--set ${DOCUMENT_SETS.join('|')}] [--count N] [--entries N] [--persons N] [--memory MB] [--front]

Measures the service with production settings. Payments are measured in the sandbox, because they need its bank. Each figure has a bare
baseline of the same run beside it: on a busy machine, trust only the ratios. Limits of requests a minute are raised to 1,000,000.
Without a PART all parts run:

${Object.entries(TOLD)
  .map(([part, what]) => `  ${part.padEnd(13)} ${what}`)
  .join('\n')}

--profile writes a CPU profile of each process into DIR. Documents: --set chooses the layouts (default development), --count how many of
each layout and form. Growth: --entries is the number of ledger entries to add (default 10,000,000, which takes some minutes and 12 GB
of disk). Reading and payday: --persons is their number (default 1,000, which takes some minutes). Attacks: --memory is the API's limit in
MB (default 512, as in compose.yaml; needs root), --front puts nginx in front of it.`;

/** Exits with 0 after all measurements, whatever the results, and with 2 for a wrong part, set or number. */
async function main(): Promise<void> {
  const [flag, text] = [{ type: 'boolean' }, { type: 'string' }] as const;
  const options = {
    json: flag,
    profile: text,
    set: text,
    count: text,
    entries: text,
    persons: text,
    memory: text,
    front: flag,
    help: flag,
  };
  const { values, positionals } = commandLine(USAGE, { options, allowPositionals: true });
  const unknown = positionals.find((name) => !Object.hasOwn(PARTS, name));
  const set = DOCUMENT_SETS.find((name) => name === (values.set ?? 'development'));
  const count = Number(values.count ?? 1);
  const entries = Number(values.entries ?? 10_000_000);
  const persons = Number(values.persons ?? 1_000);
  const memoryMb = Number(values.memory ?? 512);
  const wrong =
    unknown !== undefined
      ? `There is no part "${unknown}".`
      : set === undefined || ![count, entries, persons, memoryMb].every(isCount)
        ? 'The set or the count is wrong.'
        : undefined;
  if (values.help || wrong !== undefined) {
    process.stderr.write(wrong === undefined ? `${USAGE}\n` : `${wrong}\n\n${USAGE}\n`);
    process.exitCode = wrong === undefined ? 0 : 2;
    return;
  }
  const asked = {
    profileDir: values.profile,
    documents: { set: set!, count },
    entries,
    persons,
    memoryMb,
    front: values.front === true,
  };
  const parts: Part[] = [];
  for (const name of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
    progress(`${name} ...`);
    parts.push(await PARTS[name as keyof typeof PARTS](asked));
  }
  process.stdout.write(`${values.json ? JSON.stringify({ parts }, undefined, 2) : asTables(parts)}\n`);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

await main();
