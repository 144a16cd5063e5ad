import type { DocumentReader, DocumentToRead } from './index.ts';

export type DocumentReaders = Pick<DocumentReader, 'read' | 'close'>;

/** Gives each document to the reader with the shortest queue. */
export function poolOf(readers: readonly DocumentReaders[]): DocumentReaders {
  const busy = readers.map(() => 0);
  return {
    async read(document: DocumentToRead) {
      const place = busy.indexOf(Math.min(...busy));
      busy[place]! += 1;
      try {
        return await readers[place]!.read(document);
      } finally {
        busy[place]! -= 1;
      }
    },
    async close() {
      await Promise.all(readers.map((reader) => reader.close()));
    },
  };
}
