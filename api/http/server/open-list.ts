/**
 * Removes an item from a list of what is open, whose order does not matter. Such lists are arrays, because V8 replaces the
 * table of a `Set` that changes with each request. Old tables keep what they held, and move it to the old generation: to
 * collect that took a third of the processor time.
 */
export function removeFrom<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index === -1) return;
  const last = list.pop()!;
  if (last !== item) list[index] = last;
}
