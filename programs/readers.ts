import '../infra/process/environment.ts';
import { inspect } from 'node:util';
import { readConfig } from '../infra/config/index.ts';
import { ConfigError, exitCodeOf } from '../infra/config/settings.ts';
import { serveReaders } from '../infra/documents/service.ts';
import { sentenceOf } from '../infra/process/foreseen.ts';
import { outliveOutput } from '../infra/process/output.ts';
import { started } from '../infra/process/starting.ts';

const READER_PROGRAM = new URL('./reader.ts', import.meta.url);

async function main(): Promise<void> {
  outliveOutput();
  const { reader } = readConfig(process.env, 'reader');
  const { folder } = reader;
  if (folder === undefined) throw new ConfigError('DOCUMENT_READERS must be set: the folder for the socket.');
  const service = await serveReaders({ ...reader, folder }, READER_PROGRAM);
  started();
  process.send?.({ ready: true, part: 'reader' });
  const stop = () => void service.close().then(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
}

if (import.meta.main)
  main().catch((error: unknown) => {
    process.stderr.write(`${sentenceOf(error) ?? inspect(error)}\n`);
    process.exit(exitCodeOf(error));
  });
