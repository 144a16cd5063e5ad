/** JSON text in UTF-8 of a long value. `__value` exists only for type inference. */
export type LongJson<Value> = Uint8Array & { __value?: Value };

export function longJson<Value>(value: Value): LongJson<Value> {
  return new TextEncoder().encode(JSON.stringify(value));
}
