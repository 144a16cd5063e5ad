import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Services } from '../../infra/services.ts';
import { runCommand, type Outcome } from '../../programs/admin/run.ts';
import { testEnvironment } from './environment.ts';

/** Who runs the commands in the audit log, without `--by`. */
export const OPERATOR_HERE = `operator:${userInfo().username}`;

/** Operator commands on the test's database, in this process. */
export function adminOf({ config }: Pick<Services, 'config'>, settings: Readonly<Record<string, string>> = {}) {
  const { dir } = testEnvironment();
  const env = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    RINGFENCE_DATA: dir,
    MASTER_KEY_FILE: join(dir, 'keys', 'master.json'),
    DATABASE_URL: config.database.url,
    ...settings,
    ...more,
  });
  const admin = (...args: string[]): Promise<Outcome> => runCommand(args, env());
  /** What the command shows in a terminal. */
  async function shown(...args: string[]): Promise<string> {
    const { stdout, stderr, exitCode } = await runCommand(args, env(), { columns: 160 });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    return stdout;
  }
  /** Expects one JSON object and nothing else. */
  async function reply<T = Record<string, unknown>>(...args: string[]): Promise<T> {
    return said<T>(await admin(...args));
  }
  return { env, admin, reply, shown };
}

/** @returns the object that a command printed. Expects that it printed nothing else. */
// The caller knows what the command prints.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function said<T = Record<string, unknown>>({ stdout, stderr, exitCode }: Outcome): T {
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout) as T;
}

/** Expects that a command printed only what is wrong. */
export function expectRefused({ stdout, stderr, exitCode }: Outcome, expected: number, words: string | RegExp): void {
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: expected });
  if (typeof words === 'string') expect(stderr).toContain(words);
  else expect(stderr).toMatch(words);
  expect(stderr).not.toMatch(/\n\s+at /);
}
