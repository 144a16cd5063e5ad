/** Puts each item into the first group that it belongs to, or into a new group. */
export function grouped<T>(items: readonly T[], belongs: (group: readonly T[], item: T) => boolean): T[][] {
  const groups: T[][] = [];
  for (const item of items) {
    const group = groups.find((other) => belongs(other, item));
    if (group === undefined) groups.push([item]);
    else group.push(item);
  }
  return groups;
}
