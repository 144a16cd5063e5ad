import type { DocumentReader } from './index.ts';

export type DocumentReaders = Pick<DocumentReader, 'read' | 'close'>;

/** Gives each document to the reader with the shortest queue. */
export function poolOf(readers: readonly DocumentReaders[]): DocumentReaders {
  const busy = readers.map(() => 0);
  return {
    async read(document) {
      const shortest = busy.indexOf(Math.min(...busy));
      busy[shortest]! += 1;
      try {
        return await readers[shortest]!.read(document);
      } finally {
        busy[shortest]! -= 1;
      }
    },
    async close() {
      await Promise.all(readers.map((reader) => reader.close()));
    },
  };
}
