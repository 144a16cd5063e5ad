/**
 * Returns undefined if any revision is allowed. A tag that is not the number of a revision matches none (RFC 9110,
 * 13.1.1).
 */
export function revisionsOf(ifMatch: string | string[] | undefined): readonly number[] | undefined {
  if (ifMatch === undefined) return undefined;
  const given = [ifMatch].flat().join(',').trim();
  if (given === '*') return undefined;
  const tags = given.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.flatMap((tag) => /^"([1-9]\d{0,8})"$/.exec(tag)?.slice(1).map(Number) ?? []);
}

export function revisionTag(revision: number): string {
  return `"${revision}"`;
}
