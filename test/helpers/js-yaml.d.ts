declare module 'js-yaml' {
  /** The one document of a text. */
  export function load(text: string): unknown;
}
