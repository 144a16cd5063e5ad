import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The features of Docker and Podman that these tests use. */
export interface Engine {
  name: string;
  build(image: string): Promise<void>;
  once(image: string, command: string, options: readonly string[]): Promise<string>;
  start(image: string, command: string, options: readonly string[]): Promise<Container>;
}

export interface Container {
  run(...command: string[]): Promise<{ code: number; text: string }>;
  logs(): Promise<string>;
  /** @returns the exit code, and the milliseconds until the exit */
  stop(withinS: number): Promise<{ code: number; tookMs: number }>;
  remove(): Promise<void>;
}

/** The container restrictions of `compose.yaml`, except that the container uses the machine's network. */
const CONFINED = [
  ...['--network', 'host', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
  ...['--tmpfs', '/tmp:size=512m,mode=1777'],
];

export function findEngine(wanted = process.env.CONTAINER_ENGINE): Engine {
  const names = wanted === undefined ? ['docker', 'podman'] : [wanted];
  const name = names.find((one) => spawnSync(one, ['info'], { stdio: 'ignore' }).status === 0);
  if (name === undefined)
    throw new Error(
      `${names.join(' and ')} cannot be used here: start Docker, or install Podman, or set CONTAINER_ENGINE.`,
    );
  const ask = async (...args: string[]) => {
    const { stdout, stderr } = await run(name, args, { maxBuffer: 100_000_000 });
    return `${stdout}${stderr}`.trim();
  };
  return {
    name,
    async build(image) {
      await ask('build', '--network', 'host', '--file', 'infra/deploy/Dockerfile', '--tag', image, '.');
    },
    once: (image, command, options) => ask('run', '--rm', ...CONFINED, ...options, image, command),
    async start(image, command, options) {
      const { stdout } = await run(name, ['run', '--detach', ...CONFINED, ...options, image, command]);
      return containerOf(stdout.trim(), ask);
    },
  };
}

function containerOf(id: string, ask: (...args: string[]) => Promise<string>): Container {
  return {
    async run(...command) {
      try {
        return { code: 0, text: await ask('exec', id, ...command) };
      } catch (error) {
        const { code, stdout = '', stderr = '' } = error as { code?: number; stdout?: string; stderr?: string };
        return { code: code ?? -1, text: `${stdout}${stderr}`.trim() };
      }
    },
    logs: () => ask('logs', id),
    async stop(withinS) {
      const asked = performance.now();
      await ask('stop', '--time', String(withinS), id);
      const tookMs = performance.now() - asked;
      return { code: Number(await ask('inspect', '--format', '{{.State.ExitCode}}', id)), tookMs };
    },
    async remove() {
      await ask('rm', '--force', id);
    },
  };
}
