import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

interface Required {
  name: string;
  debian: string;
  isThere: (path: string) => boolean;
}

const onPath =
  (...programs: string[]) =>
  (path: string) =>
    programs.every((program) => path.split(delimiter).some((folder) => isExecutable(join(folder, program))));

/** Programs that npm does not install. */
const REQUIRED: readonly Required[] = [
  { name: 'Chromium', debian: 'chromium', isThere: (path) => chromiumPath(path) !== undefined },
  {
    name: 'Poppler',
    debian: 'poppler-utils',
    isThere: onPath('pdfinfo', 'pdffonts', 'pdfsig', 'pdftoppm', 'pdftotext'),
  },
  { name: 'Python 3', debian: 'python3 python3-pip', isThere: onPath('python3') },
];

/** Says in one sentence which programs are missing and how to install them. */
export function missingPrograms(path = process.env.PATH ?? ''): string | undefined {
  const missing = REQUIRED.filter(({ isThere }) => !isThere(path));
  if (missing.length === 0) return undefined;
  const names = new Intl.ListFormat('en-GB').format(missing.map(({ name }) => name));
  const packages = missing.map(({ debian }) => debian).join(' ');
  return `The tests need ${names}: install what is missing (Debian: apt-get install ${packages}; macOS: brew install --cask chromium, brew install poppler python).`;
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
