import { resolve } from 'node:path';

/**
 * Where Node keeps modules compiled and without their types (`NODE_COMPILE_CACHE`). A process that finds its own there starts in
 * half the time and holds 27 MB less: it never loads what takes the types away.
 */
export const COMPILE_CACHE = resolve(import.meta.dirname, '..', '..', '.cache', 'node');
