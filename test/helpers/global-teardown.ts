import { rm } from 'node:fs/promises';

export default async function globalTeardown(): Promise<void> {
  await globalThis.stopTestServers?.();
  const dir = process.env.RINGFENCE_TEST_DIR;
  if (dir !== undefined) await rm(dir, { recursive: true, force: true });
}
