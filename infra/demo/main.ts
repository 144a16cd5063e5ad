import { relative } from 'node:path';
import { RingfenceError } from '../../client/src/index.ts';
import { ConfigError, readConfig, type Config } from '../config.ts';
import { OperatorError } from '../admin/errors.ts';
import { isPlaced, settingsHere, stackHere } from '../admin/right-stack.ts';
import { openApi } from './api.ts';
import { createTeller, type Teller } from './print.ts';
import { must } from './stage.ts';
import { tellStory } from './story.ts';
import { startLocalStack, type LocalStack } from '../local/main.ts';
import { isOpen } from '../local/ports.ts';
import { StackError } from '../local/processes.ts';

async function main(): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  let stack: LocalStack | undefined;
  try {
    const teller = createTeller(process.stdout);
    const { config, started } = await findStack(teller, stopping.signal);
    stack = started;
    await tell(config, teller, stopping.signal);
    if (stack !== undefined) farewell(config, teller);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`\n${stopping.signal.aborted ? 'Stopped before the end.' : sentenceOf(error)}\n`);
  }
  await stack?.stop();
  process.exit();
}

/** Uses the stack that the settings name or this checkout's running stack, or starts a stack. */
async function findStack(teller: Teller, signal: AbortSignal): Promise<{ config: Config; started?: LocalStack }> {
  const uses = ['database', 'temporal'] as const;
  const isNamed = isPlaced(process.env, uses);
  const isOurs = !isNamed && stackHere(process.env) !== undefined;
  const config = readConfig(isOurs ? await settingsHere(process.env, uses) : process.env);
  must(config.environment === 'sandbox', 'The demo pays bills, so it runs only in the sandbox: unset RINGFENCE_ENV.');
  const { publicUrl } = config.api;
  const { hostname, port } = new URL(publicUrl);
  // Does not look on the default ports, because the stack there might belong to another checkout.
  if (isOurs || (isNamed && (await isOpen(hostname, Number(port || 443))))) {
    teller.line(`${isOurs ? 'The stack of this checkout' : 'A stack'} runs at ${publicUrl}; the demo uses it.`);
    return { config };
  }
  const none = isNamed ? `No stack runs at ${publicUrl}` : 'No stack of this checkout runs';
  teller.line(`${none}; the demo starts one.`);
  const log = (line: string) => teller.line(`    ${line}`);
  return { config, started: await startLocalStack(config, { log, signal, command: 'npm run demo' }) };
}

async function tell(config: Config, teller: Teller, stopping: AbortSignal): Promise<void> {
  const began = performance.now();
  const api = await openApi(config, teller, stopping);
  const quiet = api.clientFor(undefined, { quiet: true });
  await quiet.checkReady();
  teller.line('\n  > request   < response in plain words   = checked   @ where to look');
  await tellStory({ config, api, client: api.clientFor(), quiet, teller });
  teller.line(`\nEvery step was right, after ${((performance.now() - began) / 1_000).toFixed(1)} s.`);
  teller.line("The sandbox's clock stays half a year ahead. docs/guide/70-sandbox.md says how to begin again.");
}

function farewell({ dataDir }: Config, teller: Teller): void {
  const dir = relative(process.cwd(), dataDir) || dataDir;
  teller.line(
    `The demo stops its stack now. Its data stays in ${dir}. After npm start, all addresses above work again.`,
  );
}

const FORESEEN = [RingfenceError, StackError, ConfigError, OperatorError];

export function sentenceOf(error: unknown): string {
  if (FORESEEN.some((kind) => error instanceof kind)) return (error as Error).message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

if (import.meta.main) await main();
