import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const MOST_BYTES = 5_000_000;

test('the model has at most 5 MB', () => {
  expect(statSync(new URL('../../infra/documents/scorer.onnx', import.meta.url)).size).toBeLessThan(MOST_BYTES);
});

// onnxruntime does not accept the arrays of jest's environment.
test('of random payslips that the model was not trained on, 95 % of the amounts are right, and no amount with high confidence is wrong', async () => {
  const command = fileURLToPath(new URL('../../tools/training/check.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [command, '--count', '150']);
  const { all, right, surelyWrong } = JSON.parse(stdout) as { all: number; right: number; surelyWrong: string[] };
  expect(all).toBeGreaterThan(100);
  expect(right / all).toBeGreaterThanOrEqual(0.95);
  expect(surelyWrong).toEqual([]);
});
