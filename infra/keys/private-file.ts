import { ConfigError } from '../config/settings.ts';

/** Permission bits that a private file must not have: writing by its group, and any access by others. */
const TOO_OPEN = 0o027;

/** @throws ConfigError if the file that `setting` names has any of the permissions in `TOO_OPEN`. */
export function requirePrivate(setting: string, file: string, mode: number): void {
  if (process.platform === 'win32' || (mode & TOO_OPEN) === 0) return;
  throw new ConfigError(
    `${setting} names ${file}, which other users of this machine can access. Run chmod 600 on the file.`,
  );
}
