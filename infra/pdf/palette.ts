/** The colours of the service's pages, by day. */
export const INK = '#1c2530';
/** Of what explains; 7:1 against white. */
export const SOFT = '#4f5a66';
export const ACCENT = '#0b6b58';
export const DEEP = '#08513f';
/** Behind the score. */
export const WASH = '#e8f2ef';
export const LINE = '#d9d4c7';
/** Of grid lines, which may be overlooked. */
export const FAINT = '#e9e6de';
/** What was missed; hatched too, for print without colours. */
export const MISSED = '#a3360a';
export const PAPER = '#ffffff';
