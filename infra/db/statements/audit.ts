import { lines } from '../sql.ts';

/**
 * Appends events inside of whatever statement: lists of id, subject, kind, actor, data (as text) and at, each an expression. Null as a
 * time stands for the database's own. It gives one number, and is done only where the statement asks for it.
 */
export function appendFrom(lists: readonly string[]): string {
  return `audit_append(${lists.join(', ')})`;
}

/**
 * Events, those of one subject in their order: the trigger gives each its place in the subject's chain and its hash. A line: id,
 * subject, kind, actor, data, at.
 */
export const insertEvents = lines(
  'audit.insertEvents',
  `select ${appendFrom(['$1::text[]', '$2::text[]', '$3::text[]', '$4::text[]', '$5::text[]', '$6::timestamptz[]'])}`,
);
