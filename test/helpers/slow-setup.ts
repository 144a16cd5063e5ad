import type { GlobalConfig } from 'jest';
import globalSetup from './global-setup.ts';
import { missingPrograms } from './required-programs.ts';

export default async function slowSetup(config: GlobalConfig): Promise<void> {
  // A run of selected tests might need none of the programs.
  const missing = config.testPathPatterns.patterns.length > 0 ? undefined : missingPrograms();
  if (missing !== undefined) throw new Error(missing);
  await globalSetup();
}
