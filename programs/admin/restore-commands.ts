import { dismissRestore, listRestored } from '../../activities/restore/dismiss.ts';
import { openFolder } from '../../infra/witness/folder.ts';
import { onDatabase, type Commands } from './command.ts';
import { required } from './given.ts';

export const RESTORE_COMMANDS: Commands = {
  'restore show': {
    usage: '',
    does: 'lists the restores of the database that were noticed or begun, and how they ended',
    run: onDatabase((tools) => listRestored(tools)),
  },
  'restore dismiss': {
    usage: '--reason TEXT',
    does: 'ends a false alarm: the API accepts writes again, and workers send again',
    says: 'The restore {restore_id}, noticed at {noticed_at}, is dismissed. Writes are accepted again.',
    values: ['reason'],
    uses: ['database', 'witness'],
    run: onDatabase((tools, given) => {
      const { folder } = tools.config.witness;
      return dismissRestore(tools, {
        reason: required(given, 'reason'),
        folder: folder === undefined ? undefined : openFolder(folder),
      });
    }),
  },
};
