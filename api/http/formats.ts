const PATTERNS: Readonly<Record<string, RegExp>> = {
  /** Text without characters of Unicode's category C (control, format, private use, unassigned, surrogate). */
  printable: /^\P{C}*$/u,
  /** The format `printable`, with at least one character that is not white space. */
  'printable-text': /^(?=.*\S)\P{C}*$/u,
  /** A mailbox of RFC 6531 without quotes or comments: at most 64 characters, then `@` and a domain name. */
  'idn-email':
    /^(?=[^@]{1,64}@)[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+\p{L}(?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])$/u,
};

/**
 * Formats for which the contract cannot use patterns, because regular expressions in some languages do not support Unicode
 * categories.
 */
export const FORMATS = Object.fromEntries(
  Object.entries(PATTERNS).map(([name, pattern]) => [name, (value: string) => pattern.test(value)]),
);
