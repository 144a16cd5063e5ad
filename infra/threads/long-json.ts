/** JSON that a worker thread has written. */
export interface LongJson<Value> {
  utf8: Uint8Array;
  /** Exists only for type inference. */
  __value?: Value;
}

export function longJson<Value>(value: Value): LongJson<Value> {
  return { utf8: new TextEncoder().encode(JSON.stringify(value)) };
}

export function isLongJson(value: unknown): value is LongJson<unknown> {
  return typeof value === 'object' && value !== null && 'utf8' in value && value.utf8 instanceof Uint8Array;
}
