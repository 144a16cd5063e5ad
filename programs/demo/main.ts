import '../../infra/process/environment.ts';
import { inspect, parseArgs } from 'node:util';
import { RingfenceError } from '../../client/src/index.ts';
import { readConfig, type Config } from '../../infra/config/index.ts';
import { UsageError } from '../admin/errors.ts';
import { isPlaced, settingsHere } from '../admin/right-stack.ts';
import { openApi } from './api.ts';
import { startOwnStack } from './own-stack.ts';
import { createTeller, type Teller } from './print.ts';
import { must } from './stage.ts';
import { tellStory } from './story.ts';
import { requireExternalParts } from '../local/external-parts.ts';
import type { LocalStack } from '../local/main.ts';
import { ownParts } from '../local/own-parts.ts';
import { isOpen } from '../local/ports.ts';
import * as foreseen from '../../infra/process/foreseen.ts';
import { outliveOutput } from '../../infra/process/output.ts';

const USES = ['database', 'temporal'] as const;
const USAGE = 'Usage: npm run demo -- [--here]';
const HELP = `${USAGE}

Goes through a complete example in the sandbox, on a stack of its own. That stack uses free ports, and keeps its data in
the folder "demo" of RINGFENCE_DATA (default: .data).

  --here  uses the stack that runs in this folder or that the settings name, and moves its clock forward by eight months
  --help  shows this text`;

async function main(): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  outliveOutput(() => stopping.abort());
  let stack: LocalStack | undefined;
  try {
    const teller = createTeller(process.stdout);
    const { here, help } = optionsOf(process.argv.slice(2));
    if (help) teller.line(HELP);
    else if (here) await runStory(await stackHere(teller), teller, stopping.signal);
    else {
      teller.line('The demo starts a stack of its own, because it moves the clock.');
      const log = (line: string) => teller.line(`    ${line}`);
      const own = await startOwnStack({ log, signal: stopping.signal });
      stack = own.stack;
      await runStory(own.config, teller, stopping.signal);
      teller.line(
        'The demo stops its stack now. Until the next demo, this command makes all addresses above work again:',
      );
      teller.line(`  ${own.again}`);
    }
  } catch (error) {
    process.exitCode = error instanceof UsageError ? 2 : 1;
    process.stderr.write(`\n${stopping.signal.aborted ? 'Stopped before the end.' : sentenceOf(error)}\n`);
  }
  await stack?.stop();
  process.exit();
}

function optionsOf(args: string[]) {
  try {
    const options = { here: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(/[.\n]/, 1)[0]}. ${USAGE}`);
  }
}

/** Does not look on the default ports, because the stack there might belong to another checkout. */
async function stackHere(teller: Teller): Promise<Config> {
  const config = readConfig(await settingsHere(process.env, USES));
  must(config.environment === 'sandbox', 'The demo pays bills, so it runs only in the sandbox: unset RINGFENCE_ENV.');
  if (isPlaced(process.env, USES)) await requireExternalParts(config, ownParts(config));
  const { publicUrl } = config.api;
  const { hostname, port } = new URL(publicUrl);
  must(
    await isOpen(hostname, Number(port || 443)),
    `No stack runs at ${publicUrl}. Start it, or run the demo without --here.`,
  );
  teller.line(`A stack runs at ${publicUrl}; the demo uses it, and moves its clock forward by eight months.`);
  return config;
}

async function runStory(config: Config, teller: Teller, stopping: AbortSignal): Promise<void> {
  const began = performance.now();
  const api = await openApi(config, teller, stopping);
  const quiet = api.clientFor(undefined, { quiet: true });
  await quiet.checkReady();
  teller.line('\n  > request   < response in plain words   = checked   @ where to look');
  await tellStory({ config, api, client: api.clientFor(), quiet, teller });
  teller.line(`\nEvery step was right, after ${((performance.now() - began) / 1_000).toFixed(1)} s.`);
}

export function sentenceOf(error: unknown): string {
  return error instanceof RingfenceError ? error.message : (foreseen.sentenceOf(error) ?? inspect(error));
}

if (import.meta.main) await main();
