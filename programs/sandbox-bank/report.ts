export function reportFailure(error: unknown): void {
  process.stderr.write(`${JSON.stringify({ level: 'error', part: 'sandbox-bank', error: String(error) })}\n`);
}
