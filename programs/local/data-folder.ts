import { accessSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StackError } from './processes.ts';

const OTHERS = 'or set RINGFENCE_DATA to another folder';

/** Creates the data folder. @throws StackError at once if the stack could not use the folder or something in it. */
export function requireDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new StackError(
      `The data folder ${dataDir} cannot be used: ${REASONS[code] ?? `${code}; correct the cause`}, ${OTHERS}.`,
      { cause: error },
    );
  }
  const stranger = [dataDir, ...contentsOf(dataDir)].find((path) => !isUsable(path));
  if (stranger === undefined) return;
  throw new StackError(
    `The data folder ${dataDir} cannot be used: another user (id ${statSync(stranger).uid}) owns ${stranger}; run the command as that user, give the folder to this user with chown -R, ${OTHERS}.`,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'a file is in its place; move the file away',
  ENOTDIR: 'a file is in the place of a folder above it; move the file away',
  EACCES: 'this user has no permission; give the user the permission',
  EPERM: 'this user has no permission; give the user the permission',
  EROFS: 'its disk is read-only; make the disk writable',
  ENOSPC: 'its disk is full; free some space',
};

/** Two levels: the folders of the parts, and their files. Only PostgreSQL knows the files in its own folder. */
function contentsOf(dataDir: string): string[] {
  return readdirSync(dataDir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dataDir, entry.name);
    if (!entry.isDirectory()) return [path];
    return [
      path,
      ...(isUsable(path) && entry.name !== 'postgres' ? readdirSync(path).map((name) => join(path, name)) : []),
    ];
  });
}

/** Root may use everything. Another user may use their own files, because a part sets the permissions of its files. */
function isUsable(path: string): boolean {
  const user = process.geteuid?.() ?? 0;
  return user === 0 || statSync(path, { throwIfNoEntry: false })?.uid === user;
}
