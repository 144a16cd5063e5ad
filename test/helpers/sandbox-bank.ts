import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import type { Bank } from '../../infra/bank/interface.ts';
import { openBank } from '../../infra/bank/obie-4.0/index.ts';
import { readConfig, type BankConfig, type BankEntryOf } from '../../infra/config/index.ts';
import { ensurePki } from '../../infra/keys/pki.ts';
import { testEnvironment } from './environment.ts';
import { freePort } from './ports.ts';

export interface Movement {
  payment_id: string;
  attempt: number;
  provider_id: string | null;
  account: string;
  amount: number;
  direction: 'out' | 'returned';
  at: string;
  consent_id: string | null;
}

/** A folder with keys, for a bank of the test's own. It lasts as long as the run. */
export async function newBankFolder(): Promise<string> {
  const dataDir = mkdtempSync(join(testEnvironment().dir, 'bank-'));
  await ensurePki(join(dataDir, 'pki'));
  return dataDir;
}

/** With some members changed. */
export function openSandboxBank(config: BankConfig, changes: Partial<BankEntryOf<'obie-4.0'>> = {}): Promise<Bank> {
  return openBank({ ...sandboxEntry(config), ...changes }, config);
}

export function sandboxEntry({ entries }: BankConfig) {
  return entries.find((entry) => entry.api === 'obie-4.0')!;
}

export interface SandboxBankProcess {
  port: number;
  config: BankConfig;
  process: ChildProcess;
  /** The JSON that the bank's process printed when it was ready. */
  told: unknown;
  /** Kills the bank, as a power cut would. */
  kill(): Promise<void>;
  /** Stops the bank by SIGTERM. @returns the exit code. */
  stop(): Promise<number | null>;
  movements(paymentId?: string): Promise<Movement[]>;
}

/** The bank's keys are in `dataDir`. */
export function bankConfig(dataDir: string, port: number): BankConfig {
  return readConfig({ RINGFENCE_DATA: dataDir, RINGFENCE_PORT_BANK: String(port) }).bank;
}

/** `dataDir` must contain `pki/`. */
export async function startSandboxBank(
  dataDir: string,
  { port, env = {} }: { port?: number; env?: Record<string, string> } = {},
): Promise<SandboxBankProcess> {
  const on = port ?? (await freePort());
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../../programs/sandbox-bank/main.ts')], {
    env: { ...process.env, NODE_OPTIONS: '', RINGFENCE_DATA: dataDir, RINGFENCE_PORT_BANK: String(on), ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const ready = once(createInterface({ input: child.stdout! }), 'line');
  const ended = exited.then((code) => Promise.reject(new Error(`the sandbox bank ended with ${code}`)));
  const [told] = (await Promise.race([ready, ended])) as [string];
  return {
    port: on,
    config: bankConfig(dataDir, on),
    process: child,
    told: JSON.parse(told) as unknown,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
    movements: (paymentId) => readMovements(dataDir, on, paymentId),
  };
}

async function readMovements(dataDir: string, port: number, paymentId?: string): Promise<Movement[]> {
  const dispatcher = new Agent({ connect: { ca: readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8') } });
  try {
    const query = paymentId === undefined ? '' : `?payment_id=${paymentId}`;
    const { body } = await request(`https://localhost:${port}/sandbox/movements${query}`, { dispatcher });
    return ((await body.json()) as { items: Movement[] }).items;
  } finally {
    await dispatcher.destroy();
  }
}
