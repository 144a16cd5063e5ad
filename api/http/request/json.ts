import jsonc from 'jsonc-parser';
import { DomainError } from '../../../domain/errors.ts';

/** To find a fault in a longer text would delay other requests. */
const LONGEST_SEARCHED = 100_000;

interface Position {
  /** From 1, as editors count. */
  line: number;
  column: number;
}

/** @throws DomainError `malformed-json` with the position of the first fault. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The message of JSON.parse quotes the text, and often names no position.
    throw malformed(text.length <= LONGEST_SEARCHED ? positionOf(text) : undefined);
  }
}

/** Undefined if the text is nested too deep for the search. */
function positionOf(text: string): Position | undefined {
  let found: Position | undefined;
  try {
    jsonc.visit(
      text,
      {
        onError(_error, _offset, _length, line, character) {
          found = { line: line + 1, column: character + 1 };
          throw new Error('the search ends at the first fault');
        },
      },
      { disallowComments: true },
    );
  } catch {
    return found;
  }
  return found;
}

function malformed(position: Position | undefined): DomainError {
  const where = position === undefined ? '' : ` See line ${position.line}, column ${position.column}.`;
  return new DomainError('malformed-json', `The body is not valid JSON (RFC 8259).${where}`, { ...position });
}
