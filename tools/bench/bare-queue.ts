export const BARE_QUEUE = 'bench-bare';
