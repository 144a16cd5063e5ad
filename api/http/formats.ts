const PATTERNS: Readonly<Record<string, RegExp>> = {
  /** No character of Unicode's category C: control, format, private, unassigned, half of a pair. */
  printable: /^\P{C}*$/u,
  /** The same, and a character that is not white space. */
  'printable-text': /^(?=.*\S)\P{C}*$/u,
  /** A mailbox of RFC 6531 without quotes and comments: 64 characters at most before the `@`, a domain name after it. */
  'idn-email':
    /^(?=[^@]{1,64}@)[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+\p{L}(?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])$/u,
};

/**
 * The formats of the contract that go beyond its patterns. A pattern has to work in every language's regular expressions, and
 * those of Python and Go have no Unicode categories.
 */
export const FORMATS = Object.fromEntries(
  Object.entries(PATTERNS).map(([name, pattern]) => [name, (value: string) => pattern.test(value)]),
);
