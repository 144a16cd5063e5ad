import { ConfigError } from '../config/settings.ts';

/** Writing by the group, and any access by others. */
const TOO_OPEN = 0o027;

export function requirePrivate(setting: string, file: string, mode: number): void {
  if (process.platform === 'win32' || (mode & TOO_OPEN) === 0) return;
  throw new ConfigError(
    `${setting} names ${file}, which other users of this machine can access. Run chmod 600 on the file.`,
  );
}
