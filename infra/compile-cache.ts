import { resolve } from 'node:path';

/**
 * Where Node keeps modules compiled and without their types (`NODE_COMPILE_CACHE`). A process that finds its own there starts in
 * half the time and holds 40 MB less: it never loads what takes the types away, nor the text of what it compiles.
 */
export const COMPILE_CACHE = resolve(import.meta.dirname, '..', '.cache', 'node');
