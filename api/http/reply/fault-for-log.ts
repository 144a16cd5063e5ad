export function faultForLog(error: unknown): Record<string, unknown> {
  if (!isError(error)) return { name: typeof error };
  const { code, constraint, table, column, severity } = error;
  const database = severity === undefined ? {} : { constraint, table, column };
  const cause = error.cause === undefined ? {} : { cause: faultForLog(error.cause) };
  return { name: error.name, code, message: withoutValues(error), ...database, stack: framesOf(error), ...cause };
}

type AnyError = Error & Readonly<Record<string, unknown>>;

/** Checks properties, because an error from another JavaScript realm is not an instance of our `Error`. */
function isError(thrown: unknown): thrown is AnyError {
  return typeof thrown === 'object' && thrown !== null && 'stack' in thrown && 'message' in thrown;
}

/** Quoted values in messages of PostgreSQL and JSON.parse can be personal data. */
function withoutValues(error: Error): string {
  const quotes = 'severity' in error || error instanceof SyntaxError;
  const message = quotes ? error.message.replace(/"[^]*"/g, '"…"') : error.message;
  return message
    .replace(/[^\s@"']+@[^\s@"']+/g, '[email]')
    .replace(/\b(?:sk_(?:test|live)|rf_[a-z]+)_[\w-]+/g, '[secret]');
}

function framesOf(error: Error): string[] {
  const lines = (error.stack ?? '').split('\n').map((line) => line.trim());
  return lines.filter((line) => line.startsWith('at ')).slice(0, 20);
}
