// All colours except FAINT and MISSED are those of the service's web pages in light mode.

/** The colour of text. */
export const INK = '#1c2530';
/** The colour of explanations; its contrast on white is 7:1. */
export const SOFT = '#4f5a66';
export const ACCENT = '#0b6b58';
export const DEEP = '#08513f';
/** The background of the score. */
export const WASH = '#e8f2ef';
export const LINE = '#d9d4c7';
/** The colour of grid lines, which need no contrast. */
export const FAINT = '#e9e6de';
/** The colour of missed payments, which are also hatched for printing without colours. */
export const MISSED = '#a3360a';
export const PAPER = '#ffffff';
