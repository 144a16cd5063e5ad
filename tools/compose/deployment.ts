import { execFile, spawnSync } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findEngine } from '../image/engine.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const WITHIN_MS = 600_000;
const LINES_TOLD = 5;

/** The fields that `inspect` prints with both Docker and Podman. */
export interface Inspected {
  Name: string;
  Config: { Image: string; Labels: Record<string, string> };
  State: { Status: string; ExitCode: number; Health?: { Status: string } };
  NetworkSettings: {
    Ports: Record<string, { HostIp: string; HostPort: string }[] | null>;
    Networks: Record<string, { IPAddress: string }>;
  };
}

/** A deployment as docs/operate/deploying.md describes it, with its own folder, name, ports and bank. */
export interface Deployment {
  engine: string;
  project: string;
  /** Stands for /etc/ringfence, the folders of /srv and the folder of `.env`. */
  dir: string;
  shell(...lines: string[]): Promise<string>;
  /** Sets values in `.env`. */
  set(settings: Readonly<Record<string, string>>): Promise<void>;
  containers(service?: string): Promise<Inspected[]>;
  ask(...args: string[]): Promise<string>;
  remove(): Promise<void>;
}

/** @throws if this machine cannot run a deployment */
export async function openDeployment(): Promise<Deployment> {
  if (process.getuid?.() !== 0) throw new Error('Run this as root, because it changes the owners of files.');
  const engine = findEngine().name;
  const compose = findCompose(engine);
  const dir = await mkdtemp(join(tmpdir(), 'ringfence-compose-'));
  const project = dir.split('/').at(-1)!.toLowerCase();
  const env = join(dir, '.env');
  const files = ['infra/deploy/compose.yaml', 'tools/compose/bank.yaml'].map((file) => `-f ${file}`).join(' ');
  const alias = `compose() { ${compose} -p ${project} ${files} --env-file ${env} "$@"; }`;
  const placed = (line: string) =>
    line
      .replaceAll('/etc/ringfence', `${dir}/etc`)
      .replaceAll('/srv/ringfence-archive', `${dir}/archive`)
      .replaceAll('/srv/ringfence-checkpoints', `${dir}/checkpoints`)
      .replace(/ \.env\b/, ` ${env}`);
  const ask = async (...args: string[]) => (await run(engine, args, { maxBuffer: 100_000_000 })).stdout.trim();
  const shell: Deployment['shell'] = async (...lines) => {
    const script = ['set -euo pipefail', alias, ...lines.map(placed)].join('\n');
    const running = run('bash', ['-c', script], { cwd: ROOT, timeout: WITHIN_MS, maxBuffer: 100_000_000 });
    // With closed standard input, no command can wait for input.
    running.child.stdin?.end();
    try {
      return (await running).stdout.trim();
    } catch (error) {
      const { stderr = '', message } = error as Error & { stderr?: string };
      throw new Error(`${lines.at(-1)}: ${stderr.trim().split('\n').slice(-LINES_TOLD).join('\n') || message}`, {
        cause: error,
      });
    }
  };
  return {
    engine,
    project,
    dir,
    ask,
    shell,
    async set(settings) {
      const others = (await readFile(env, 'utf8')).split('\n').filter((line) => !(line.split('=')[0]! in settings));
      await writeFile(env, others.join('\n'));
      await appendFile(
        env,
        Object.entries(settings)
          .map(([name, value]) => `\n${name}=${value}`)
          .join('') + '\n',
      );
    },
    async containers(service) {
      const labels = [`project=${project}`, ...(service === undefined ? [] : [`service=${service}`])];
      const filters = labels.flatMap((label) => ['--filter', `label=com.docker.compose.${label}`]);
      const ids = (await ask('ps', '--all', '--quiet', ...filters)).split('\n').filter(Boolean);
      return ids.length === 0 ? [] : (JSON.parse(await ask('inspect', ...ids)) as Inspected[]);
    },
    async remove() {
      await shell('compose --profile admin down --volumes --remove-orphans --timeout 20');
      await rm(dir, { recursive: true });
    },
  };
}

/** The engine's own compose command, or a separate program. */
function findCompose(engine: string): string {
  const known = [`${engine} compose`, engine === 'podman' ? 'podman-compose' : 'docker-compose'];
  const found = known.find((words) => spawnSync(`${words} version`, { shell: true, stdio: 'ignore' }).status === 0);
  if (found === undefined)
    throw new Error(`${engine} is here, but neither ${known.join(' nor ')} is: install Docker's compose plugin.`);
  return found;
}
