import { writeSync } from 'node:fs';
import { writeOut } from './output.ts';

/** Writing costs more than formatting, so lines are written in batches. */
const BATCH_LENGTH = 4_096;
const FLUSH_MS = 100;
/** How much may wait for a reader that is slow. Further lines are lost. */
const MOST_WAITING = 1_000_000;
const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

/**
 * Drops the lines that cannot be written, and writes later lines again when that is possible. `onLost` gets the number
 * of dropped lines. Pino's own destination throws, keeps all lines in memory, or tries again for ever on exit.
 */
export class LogOutput {
  readonly #fd: number;
  readonly #onLost: (lines: number) => void;
  #waiting = '';
  #isWriting = false;
  /** If only the beginning of a line could be written, the rest of this line comes first. */
  #rest: Uint8Array = NOTHING;
  #timer: NodeJS.Timeout | undefined;
  #writesAtExit = false;

  constructor(fd: number, onLost: (lines: number) => void) {
    this.#fd = fd;
    this.#onLost = onLost;
  }

  /** `line` ends with a newline. */
  write(line: string): void {
    if (this.#waiting.length + line.length > MOST_WAITING) {
      this.#onLost(1);
      return;
    }
    if (!this.#writesAtExit) process.on('exit', () => this.#writeLast());
    this.#writesAtExit = true;
    this.#waiting += line;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isWriting || this.#waiting === '') return;
    if (this.#waiting.length >= BATCH_LENGTH) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS).unref();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const isCut = this.#rest.length > 0;
    const batch = this.#takeAll();
    this.#isWriting = true;
    void writeOut(this.#fd, batch).then(({ written, error }) => {
      this.#isWriting = false;
      if (error !== undefined)
        this.#drop(batch.subarray(written), written === 0 ? isCut : batch[written - 1] !== NEWLINE);
      this.#schedule();
    });
  }

  #takeAll(): Buffer {
    const batch = Buffer.concat([this.#rest, Buffer.from(this.#waiting)]);
    this.#rest = NOTHING;
    this.#waiting = '';
    return batch;
  }

  #drop(unwritten: Buffer, isCut: boolean): void {
    const kept = isCut ? unwritten.indexOf(NEWLINE) + 1 : 0;
    this.#rest = unwritten.subarray(0, kept);
    this.#onLost(unwritten.subarray(kept).reduce((lines, byte) => lines + (byte === NEWLINE ? 1 : 0), 0));
  }

  #writeLast(): void {
    const batch = this.#takeAll();
    try {
      for (let written = 0; written < batch.length;) written += writeSync(this.#fd, batch, written);
    } catch {
      // Nothing can be done about these lines any more.
    }
  }
}
