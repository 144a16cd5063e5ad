import type { InputFault } from '../errors.ts';

const MOST_BYTES = 4_096;
const MOST_VALUES = 1_000;
const DEEPEST = 8;

export function metadataFaults({ metadata }: { readonly metadata?: unknown }): InputFault[] {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return [];
  const detail = structureFault(metadata) ?? lengthFault(metadata);
  return detail === undefined ? [] : [{ pointer: '/metadata', detail }];
}

/** Uses no recursion, because a caller's value can be very deep or wide. */
function structureFault(metadata: object): string | undefined {
  const left: { value: object; depth: number }[] = [{ value: metadata, depth: 1 }];
  let seen = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, depth } = next;
    if (depth > DEEPEST) return `must not be nested more than ${DEEPEST} levels deep`;
    const inside: unknown[] = Array.isArray(value) ? value : Object.values(value);
    seen += inside.length;
    if (seen > MOST_VALUES) return `must contain at most ${MOST_VALUES.toLocaleString('en-GB')} values`;
    for (const one of inside) {
      // JSON cannot express NaN or infinity: `JSON.stringify` would write null.
      if (typeof one === 'number' && !Number.isFinite(one))
        return 'must contain only numbers that a double-precision number can represent';
      if (typeof one === 'object' && one !== null) left.push({ value: one, depth: depth + 1 });
    }
  }
  return undefined;
}

/** Call this only after the check of depth, because `JSON.stringify` is recursive. */
function lengthFault(metadata: object): string | undefined {
  if (Buffer.byteLength(JSON.stringify(metadata)) <= MOST_BYTES) return undefined;
  return `must be at most ${MOST_BYTES.toLocaleString('en-GB')} bytes long as compact JSON in UTF-8`;
}
