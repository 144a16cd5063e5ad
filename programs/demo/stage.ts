import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/src/index.ts';
import { OperatorError } from '../admin/errors.ts';
import { runCommand } from '../admin/run.ts';
import type { Config } from '../../infra/config/index.ts';
import { inShell } from '../local/ports.ts';
import type { Api } from './api.ts';
import type { Teller } from './print.ts';

const [LOOKS, LOOK_EVERY_MS] = [150, 200];

export interface Stage {
  config: Config;
  api: Api;
  /** Sends requests without a credential at first, then as the person who logged in. */
  client: Client;
  /** Sends requests as `client` does, but does not print them. */
  quiet: Client;
  teller: Teller;
  appId?: string;
}

export function workflowPage({ temporal }: Config, workflowId: string): string {
  return `${namespacePage(temporal)}/workflows/${encodeURIComponent(workflowId)}`;
}

export function workflowsOf({ temporal }: Config, ownerId: string): string {
  return `${namespacePage(temporal)}/workflows?query=${encodeURIComponent(`RingfenceOwner="${ownerId}"`)}`;
}

function namespacePage({ uiUrl, namespace }: Config['temporal']): string {
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}`;
}

/** The demo's stack might not be the one that operator commands use by default. */
export function operatorCommand({ dataDir }: Config, command: string): string {
  const folder = relative(process.cwd(), dataDir) || dataDir;
  return `${folder === '.data' ? '' : `RINGFENCE_DATA=${inShell(folder)} `}npm run --silent admin -- ${command}`;
}

export async function issueKey(stage: Stage, scopes: string): Promise<string> {
  stage.appId ??= String((await command(stage, 'app', 'create', '--name', 'Demo')).app_id);
  const { key } = await command(stage, 'key', 'create', '--app', stage.appId, '--scopes', scopes);
  return String(key);
}

export async function command({ teller }: Pick<Stage, 'teller'>, ...args: string[]): Promise<Record<string, unknown>> {
  teller.line(`    $ npm run admin -- ${args.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`);
  const { stdout, stderr, exitCode } = await runCommand(args);
  if (exitCode !== 0) throw new OperatorError(`The command "${args.join(' ')}" failed: ${stderr.trim()}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

export function must(found: boolean, otherwise: string): asserts found {
  if (!found) throw new OperatorError(otherwise);
}

export function mustBe(what: string, found: string | number, wanted: string | number): void {
  must(found === wanted, `${what} should be ${wanted}, but it is ${found}.`);
}

/** Looks until there is something. */
export async function soon<T>(look: () => Promise<T | undefined>, otherwise: string): Promise<T> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(LOOK_EVERY_MS);
  }
  must(false, otherwise);
}
