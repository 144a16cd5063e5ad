/** Null unless the body is the JSON of an object. */
export function objectIn(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/** Like `objectIn`, but each number is its text, because a float cannot hold every amount. */
export function exactObjectIn(body: Buffer): Record<string, unknown> | null {
  const exactly = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? context?.source : value;
  try {
    const value: unknown = JSON.parse(body.toString('utf8'), exactly);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/** Empty unless the value is an object. */
export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Empty unless the value is an array. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
