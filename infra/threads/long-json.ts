/** A long list in slices. `before`, any one slice and `after` together are valid JSON. */
export interface LongJson<Value> {
  before: Uint8Array;
  slices: Uint8Array[];
  after: Uint8Array;
  /** Exists only for type inference. */
  __value?: Value;
}

const SLICE = 500;
const COMMA = new TextEncoder().encode(',');

/** The member that `list` names comes last. */
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

export function isLongJson(value: unknown): value is LongJson<unknown> {
  return typeof value === 'object' && value !== null && 'before' in value && value.before instanceof Uint8Array;
}

export function partsOf({ before, slices, after }: LongJson<unknown>): Uint8Array[] {
  return [before, ...slices.flatMap((slice, index) => (index === 0 ? [slice] : [COMMA, slice])), after];
}
