// All colours except FAINT and MISSED are those of the service's web pages in light mode.

export const INK = '#1c2530';
/** The contrast on white is 7:1. */
export const SOFT = '#4f5a66';
export const ACCENT = '#0b6b58';
export const DEEP = '#08513f';
export const WASH = '#e8f2ef';
export const LINE = '#d9d4c7';
export const FAINT = '#e9e6de';
export const MISSED = '#a3360a';
export const PAPER = '#ffffff';
