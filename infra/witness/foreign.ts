import { ConfigError } from '../config/settings.ts';

export class ForeignFolderError extends ConfigError {
  constructor(folder: string) {
    super(
      `The folder CHECKPOINTS, ${folder}, is of another database: its counter.json names another one. ` +
        'Set CHECKPOINTS to the folder of this database, or to an empty one if this database is new.',
    );
  }
}
