import { relative } from 'node:path';
import { ConfigError, readConfig, type Config } from '../config.ts';
import { createCaller } from './caller.ts';
import { DemoError } from './expect.ts';
import { createTeller, type Teller } from './print.ts';
import { tellStory } from './story.ts';
import { startLocalStack, type LocalStack } from '../local/main.ts';
import { isOpen } from '../local/ports.ts';
import { StackError } from '../local/processes.ts';

/** `npm run demo`: tells the story on the stack that these settings name, or on one that lives as long as the story. */
async function main(): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  let stack: LocalStack | undefined;
  try {
    const config = readConfig();
    const teller = createTeller(process.stdout);
    stack = await stackFor(config, teller, stopping.signal);
    await tell(config, teller, stopping.signal);
    if (stack !== undefined) farewell(config, teller);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`\n${stopping.signal.aborted ? 'Stopped before the end.' : sentenceOf(error)}\n`);
  }
  await stack?.stop();
  process.exit();
}

/** Starts a stack where none answers. */
async function stackFor(config: Config, teller: Teller, signal: AbortSignal): Promise<LocalStack | undefined> {
  if (config.environment !== 'sandbox')
    throw new DemoError('The demo pays bills, so it runs in the sandbox only; unset RINGFENCE_ENV.');
  const { publicUrl } = config.api;
  const { hostname, port } = new URL(publicUrl);
  if (await isOpen(hostname, Number(port || 443))) {
    teller.line(`Something runs at ${publicUrl}; the demo uses it.`);
    return undefined;
  }
  teller.line(`Nothing runs at ${publicUrl}; starting a stack for the demo.`);
  return startLocalStack(config, { log: (line) => teller.line(`    ${line}`), signal, command: 'npm run demo' });
}

async function tell(config: Config, teller: Teller, stopping: AbortSignal): Promise<void> {
  const began = performance.now();
  const caller = await createCaller(config, teller, stopping);
  try {
    await caller.ready();
    teller.line('\n  > request   < answer in plain words   = checked   @ where to look');
    await tellStory({ config, caller, teller });
  } finally {
    await caller.close();
  }
  teller.line(`\nEverything was as it should be, in ${((performance.now() - began) / 1_000).toFixed(1)} s.`);
}

function farewell({ dataDir }: Config, teller: Teller): void {
  const dir = relative(process.cwd(), dataDir) || dataDir;
  teller.line(`The stack of the demo stops now; its data stays in ${dir}. After npm start all addresses above work.`);
}

function sentenceOf(error: unknown): string {
  const foreseen = error instanceof DemoError || error instanceof StackError || error instanceof ConfigError;
  if (foreseen) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

if (import.meta.main) await main();
