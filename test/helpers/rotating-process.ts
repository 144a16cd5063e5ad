import { openKeys } from '../../infra/keys/index.ts';
import { fileKeys } from './keys.ts';

/* Rotates the master keys repeatedly. After each rotation, prints a new sealed record on one line. */
const [path, times] = process.argv.slice(2);
const keys = await openKeys(fileKeys(path!), 'production');
for (let time = 0; time < Number(times); time += 1) {
  const { current } = await keys.masterKeys.versions();
  await keys.masterKeys.rotate(current);
  const { sealed } = await keys.seal('kept', { use: 'test' });
  process.stdout.write(`${sealed}\n`);
}
