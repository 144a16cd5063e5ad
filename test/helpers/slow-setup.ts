import type { GlobalConfig } from 'jest';
import globalSetup from './global-setup.ts';
import { missingPrograms } from './required-programs.ts';

export default async function slowSetup(config: GlobalConfig): Promise<void> {
  // A run of selected tests might need none of the programs.
  const missing = config.testPathPatterns.patterns.length > 0 ? undefined : missingPrograms();
  if (missing !== undefined) {
    // Jest would print an error with its stack.
    process.stderr.write(`${missing}\n`);
    process.exit(1);
  }
  await globalSetup();
}
