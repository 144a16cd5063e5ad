export const READER_PROGRAM = new URL('../../programs/reader.ts', import.meta.url);
