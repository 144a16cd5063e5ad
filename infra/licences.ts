import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import parse from 'spdx-expression-parse';
import satisfies from 'spdx-satisfies';

/** Licences under which anybody may run, change and pass on what is built with them, without having to publish their own work. */
export const ALLOWED: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
];

/** A package that may stay although its licence is not in the list, or is not named where programs look for it. */
export interface Exception {
  /** The whole name; with `*` at its end, every name that begins so. */
  package: string;
  /** As it stands in the package, or, where nothing stands there, what its licence file says. */
  licence: string;
  why: string;
}

const LIBVIPS =
  'a shared library, unchanged, loaded when it runs and free to be exchanged for another build, as section 4 of the LGPL asks';
const FILE_ALONE = 'its package.json names no licence; its licence file does';

export const EXCEPTIONS: readonly Exception[] = [
  { package: '@img/sharp-libvips-*', licence: 'LGPL-3.0-or-later', why: LIBVIPS },
  { package: '@img/sharp-win32-*', licence: 'Apache-2.0 AND LGPL-3.0-or-later', why: LIBVIPS },
  { package: '@img/sharp-wasm32', licence: 'Apache-2.0 AND LGPL-3.0-or-later AND MIT', why: LIBVIPS },
  { package: '@fontsource/inter', licence: 'OFL-1.1', why: 'a typeface, unchanged, drawn into documents' },
  { package: 'caniuse-lite', licence: 'CC-BY-4.0', why: 'a table of data, unchanged, with its source named' },
  { package: 'png-js', licence: 'MIT', why: FILE_ALONE },
  { package: 'unionfs', licence: 'Unlicense', why: FILE_ALONE },
];

/** A production dependency and what its licence is. */
export interface Licensed {
  name: string;
  version: string;
  /** Undefined where none is named. */
  licence: string | undefined;
  /** Why it must not stay; undefined where it may. */
  refused: string | undefined;
}

interface Locked {
  name?: string;
  version?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
}

/** Judges every production dependency in the lock file of a project, optional ones for other platforms too. */
export function licencesOf(project: string): Licensed[] {
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  return Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path !== '' && dev !== true && link !== true)
    .map(([path, { name: alias, version = '', license }]) => {
      const name = alias ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const licence = license ?? installedLicence(join(project, path));
      return { name, version, licence, refused: refusalOf(name, licence) };
    });
}

/** What an installed package says, in either of the forms that were ever in use. */
function installedLicence(folder: string): string | undefined {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  type Named = string | { type?: string } | undefined;
  const { license, licenses } = JSON.parse(readFileSync(file, 'utf8')) as { license?: Named; licenses?: Named[] };
  const all = [license, ...(Array.isArray(licenses) ? licenses : [])].map((one) =>
    typeof one === 'string' ? one : one?.type,
  );
  return all.find((one) => one !== undefined && one !== '');
}

function refusalOf(name: string, licence: string | undefined): string | undefined {
  const exception = EXCEPTIONS.find(({ package: names }) =>
    names.endsWith('*') ? name.startsWith(names.slice(0, -1)) : name === names,
  );
  if (licence === undefined) return exception ? undefined : 'it names no licence';
  if (exception?.licence === licence) return undefined;
  try {
    parse(licence);
  } catch {
    return `"${licence}" is no SPDX expression`;
  }
  return satisfies(licence, [...ALLOWED]) ? undefined : `${licence} is not among the licences that are allowed`;
}

/** `npm run licences`: exit code 1 where a production dependency is under a licence that is neither allowed nor excepted. */
function main(project: string): void {
  const all = licencesOf(project);
  const refused = all.filter((one) => one.refused !== undefined);
  const counted = Map.groupBy(all, ({ licence }) => licence ?? 'none named, known by its licence file');
  for (const [licence, those] of [...counted].sort(([, one], [, other]) => other.length - one.length))
    process.stdout.write(`${String(those.length).padStart(5)}  ${licence}\n`);
  for (const { name, version, refused: why } of refused) process.stderr.write(`REFUSED: ${name} ${version}: ${why}\n`);
  const found =
    refused.length === 0 ? 'all may stay' : `${refused.length} must go, or be excepted in infra/licences.ts`;
  process.stdout.write(`licences: ${all.length} production dependencies, ${found}\n`);
  process.exitCode = refused.length === 0 ? 0 : 1;
}

if (import.meta.main) main(resolve(process.argv[2] ?? '.'));
