/*
 * The grammar of RFC 9110, 8.3.1, with the empty parameters of 5.6.6. The package `content-type` accepts nearly every
 * text and keeps the first of repeated parameters.
 */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = String.raw`"(?:[\t !#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"`;
const PARAMETER = String.raw`;[\t ]*(?:(${TOKEN})=(${TOKEN}|${QUOTED})[\t ]*)?`;
const MEDIA_TYPE = new RegExp(String.raw`^(${TOKEN}/${TOKEN})[\t ]*((?:${PARAMETER})*)$`);
const PARAMETERS = new RegExp(PARAMETER, 'g');
const UTF_8: readonly string[] = ['utf-8', 'utf8'];

export interface MediaType {
  /** In lower case. */
  type: string;
  boundary: string | undefined;
}

/** Undefined if `header` is no media type, or has a parameter twice, or others than `charset=utf-8` and `boundary`. */
export function mediaTypeIn(header: string): MediaType | undefined {
  const [, type, parameters = ''] = MEDIA_TYPE.exec(header) ?? [];
  if (type === undefined) return undefined;
  const given = [...parameters.matchAll(PARAMETERS)].flatMap(([, name, value]) =>
    name === undefined ? [] : [[name.toLowerCase(), unquoted(value!)] as const],
  );
  const { charset = 'utf-8', boundary, ...others } = Object.fromEntries(given);
  const isKnown = Object.keys(others).length === 0 && UTF_8.includes(charset.toLowerCase());
  const areOnce = new Set(given.map(([name]) => name)).size === given.length;
  return isKnown && areOnce ? { type: type.toLowerCase(), boundary } : undefined;
}

function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
}
