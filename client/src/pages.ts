interface Page<T> {
  items: readonly T[];
  next_cursor: string | null;
}

/**
 * Fetches each page of a list when needed:
 * `for await (const payment of itemsOf((cursor) => client.listPayments({ query: { cursor } })))`.
 */
export async function* itemsOf<T>(page: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T, void> {
  let cursor: string | undefined;
  do {
    const { items, next_cursor } = await page(cursor);
    yield* items;
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
}
