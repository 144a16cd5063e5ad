import { ConfigError } from '../config/settings.ts';

export class ForeignFolderError extends ConfigError {
  /** `file` is the one that names the other database. */
  constructor(folder: string, file = 'counter.json') {
    super(
      `The folder CHECKPOINTS, ${folder}, is of another database: its ${file} names another one. ` +
        'Set CHECKPOINTS to the folder of this database, or to an empty one if this database is new.',
    );
  }
}
