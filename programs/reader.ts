import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { readPages } from '../domain/legacy/extract.ts';
import { readDocument } from '../infra/documents/document.ts';
import { score } from '../infra/documents/scorer.ts';
import type { Fault, ProcessSettings, Reply, Request } from '../infra/documents/messages.ts';

const settings = JSON.parse(process.argv[2]!) as ProcessSettings;
const NICENESS = 10;

setPriority(Math.min(constants.priority.PRIORITY_LOW, NICENESS));
const watch = new Worker(new URL('../infra/documents/watch.ts', import.meta.url), { workerData: settings });
// The watching thread limits this process. If that thread ends, this process must end too.
watch.once('exit', () => process.exit(1));

let idle = endLater();
process.once('disconnect', () => process.exit(0));
process.on('message', (request: Request) => {
  clearTimeout(idle);
  void answer(request).then((reply) => {
    send(reply);
    idle = endLater();
  });
});

async function answer({ bytes, hint }: Request): Promise<Reply> {
  send({ began: true });
  try {
    const outcome = await readDocument(bytes, {
      hint,
      extract: (pages, hint) => readPages(pages, hint, score),
      budget: settings.budget,
      onPictures: () => send({ pictures: true }),
      onText: (soFar) => send({ soFar }),
    });
    return { outcome };
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { name: typeof error, at: '' };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.name, at: frames.slice(0, 6).join('\n') };
}

function send(reply: Reply): void {
  if (process.connected) process.send!(reply);
}

function endLater(): NodeJS.Timeout {
  return setTimeout(() => process.exit(0), settings.idleMs);
}
