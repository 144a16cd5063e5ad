declare module 'spdx-expression-parse' {
  /** @throws Error when that is no SPDX expression. */
  export default function parse(expression: string): unknown;
}

declare module 'spdx-satisfies' {
  /** Whether what an SPDX expression asks for can be met with these licences alone. */
  export default function satisfies(expression: string, licences: string[]): boolean;
}
