import { resolve } from 'node:path';

/**
 * The folder for Node's compile cache (`NODE_COMPILE_CACHE`). With a filled cache, a process starts in half the time and uses
 * 27 MB less, because Node does not load its type stripping.
 */
export const COMPILE_CACHE = resolve(import.meta.dirname, '..', '..', '.cache', 'node');
