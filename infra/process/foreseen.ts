import { DomainError } from '../../domain/errors.ts';

/** An error that the user can fix. The message says how. */
export class Foreseen extends Error {}

/** Returns one sentence for an error that the user can fix, and undefined for any other error. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof Foreseen || error instanceof DomainError) return error.message;
  const { code = '', path, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  const reason = OF_FILES[code];
  if (reason === undefined || path === undefined || syscall === undefined) return undefined;
  return `${path} cannot be used: ${reason} (${code}).`;
}

const NOT_ALLOWED = 'this user may not use it; give the user the permission, or run the command as its owner';

const OF_FILES: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist; create it, or correct the setting that names it',
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: 'its disk is read-only; name a place on another disk',
  ENOSPC: 'its disk is full; free some space, and run the command again',
  EDQUOT: 'the quota of this user is used up; free some space, and run the command again',
  EEXIST: 'something else is in its place; move it away, and run the command again',
  ENOTDIR: 'a file is in the place of one of its folders; move the file away, and run the command again',
  EISDIR: 'a folder is in its place; move the folder away, and run the command again',
  EMFILE: 'this process may open no more files; raise the limit (ulimit -n)',
  ENFILE: 'this machine may open no more files; close other programs',
};
