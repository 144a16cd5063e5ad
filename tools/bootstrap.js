// Runs before the npm scripts, on any Node from version 20 on, and before dependencies are installed.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 20;
const OLDEST_NPM = 9;
const LOCK_POLL_MS = 500;
const PROGRESS_MS = 5_000;

const project = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(project, 'node_modules');
const lock = join(project, '.cache', 'npm-ci.lock');

try {
  checkNode();
  noteStart();
  if (!isInstalled()) await alone(install);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

function checkNode() {
  const version = process.versions.node;
  if (Number(version.split('.')[0]) < OLDEST_NODE) {
    throw new Error(
      `Ringfence needs Node ${OLDEST_NODE} or newer to start, and this is ${version}; install it from https://nodejs.org and try again.`,
    );
  }
}

/** `programs/local/start-time.ts` reads the note. */
function noteStart() {
  if (process.env.npm_lifecycle_event !== 'prestart') return;
  mkdirSync(dirname(lock), { recursive: true });
  writeFileSync(join(project, '.cache', 'start-began'), String(Date.now() - process.uptime() * 1_000));
}

/** Optional packages may be missing, and development packages if npm omits them. */
function isInstalled() {
  if (!existsSync(join(modules, '.bin', 'node'))) return false;
  const installed = packagesOf(join(modules, '.package-lock.json'));
  const wanted = packagesOf(join(project, 'package-lock.json'));
  if (installed === undefined || wanted === undefined) return false;
  const withoutDevelopment =
    process.env.NODE_ENV === 'production' || (process.env.npm_config_omit ?? '').split(/[\s,]+/).includes('dev');
  return Object.entries(wanted).every(([path, { version, optional, devOptional, dev }]) => {
    if (path === '') return true;
    const found = installed[path];
    if (found === undefined) return optional === true || devOptional === true || (dev === true && withoutDevelopment);
    return found.version === version;
  });
}

/** @returns {Record<string, {version?: string, optional?: boolean, devOptional?: boolean, dev?: boolean}> | undefined} */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

async function install() {
  // npm must run on the system's Node, because npm replaces the Node in node_modules.
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter);
  const env = { ...process.env, PATH: path };
  const npm = spawnSync('npm', ['--version'], { env, encoding: 'utf8', shell: process.platform === 'win32' });
  if (npm.error || Number.parseInt(npm.stdout, 10) < OLDEST_NPM) {
    throw new Error(
      `Ringfence needs npm ${OLDEST_NPM} or newer on PATH (found: ${npm.stdout?.trim() || 'none'}); install it with Node from https://nodejs.org.`,
    );
  }
  console.error('Installing the dependencies that package-lock.json names (npm ci, once; often two minutes) ...');
  // The user's settings of npm must not move, omit or only list the packages.
  const here = [
    '--ignore-scripts=false',
    '--global=false',
    '--location=project',
    '--workspaces=false',
    '--dry-run=false',
  ];
  const options = ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...here];
  // Sends npm's output to standard error, because standard output belongs to the script.
  const ci = spawn('npm', options, {
    cwd: project,
    env,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  // On a terminal npm shows its own progress.
  const showing = process.stderr.isTTY ? undefined : setInterval(showProgress, PROGRESS_MS);
  const [status] = await once(ci, 'close');
  clearInterval(showing);
  if (status !== 0) {
    throw new Error(
      'npm ci failed for the reason above. Fix the cause (often the network, a proxy or a full disk), and run the same command again.',
    );
  }
  if (!isInstalled()) {
    throw new Error(
      'npm ci succeeded, but node_modules does not match package-lock.json. Delete node_modules, and run the same command again.',
    );
  }
}

function showProgress() {
  const wanted = Object.entries(packagesOf(join(project, 'package-lock.json')) ?? {});
  // Many optional packages are for other systems.
  const packages = wanted.filter(([path, { optional }]) => path !== '' && !optional).map(([path]) => path);
  const there = packages.filter((path) => existsSync(join(project, path, 'package.json')));
  console.error(`  ${Math.round(process.uptime())} s: ${there.length} of ${packages.length} packages`);
}

/** A second script waits, and then finds the packages installed. */
async function alone(work) {
  mkdirSync(dirname(lock), { recursive: true });
  for (let tries = 0; !acquire(); tries += 1) {
    if (tries === 1) console.error('Another command is installing the dependencies; waiting for it ...');
    await new Promise((done) => setTimeout(done, LOCK_POLL_MS));
  }
  try {
    if (!isInstalled()) await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function acquire() {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!holderRuns()) rmSync(lock, { force: true });
    return false;
  }
}

function holderRuns() {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
