/**
 * JSON text whose one long list is cut into slices, in UTF-8, so that nothing needs to process all of it at once. It
 * has the text before the list's items, the items in slices, and the text after. With any single slice between the two
 * it is JSON of the same form.
 */
export interface LongJson<Value> {
  before: Uint8Array;
  slices: Uint8Array[];
  after: Uint8Array;
  /** Only carries the type. */
  __value?: Value;
}

const SLICE = 500;
const COMMA = new TextEncoder().encode(',');

/** Serialises an object so that its member `list` comes last. */
export function longJson<Value extends object, Member extends keyof Value & string>(
  value: Omit<Value, Member>,
  list: Member,
  items: Value[Member] & readonly unknown[],
): LongJson<Value> {
  const utf8 = new TextEncoder();
  const slices: Uint8Array[] = [];
  for (let at = 0; at < items.length; at += SLICE) {
    slices.push(utf8.encode(JSON.stringify(items.slice(at, at + SLICE)).slice(1, -1)));
  }
  const head = JSON.stringify(value).slice(0, -1);
  return {
    before: utf8.encode(`${head}${head === '{' ? '' : ','}${JSON.stringify(list)}:[`),
    slices,
    after: utf8.encode(']}'),
  };
}

/** Whether it is such a text, and not a value that still has to be serialised. */
export function isLongJson(value: unknown): value is LongJson<unknown> {
  return typeof value === 'object' && value !== null && 'before' in value && value.before instanceof Uint8Array;
}

/** The text's parts in order. */
export function partsOf({ before, slices, after }: LongJson<unknown>): Uint8Array[] {
  return [before, ...slices.flatMap((slice, index) => (index === 0 ? [slice] : [COMMA, slice])), after];
}
