/** The task queue of the bare workflow. */
export const BARE_QUEUE = 'bench-bare';
