import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

const DEPLOY = resolve(import.meta.dirname, '../../infra/deploy');

describe('the archive of the write-ahead log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-archive-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const segment = join(folder, 'segment');
  const archive = (name: string) =>
    spawnSync('sh', [join(DEPLOY, 'postgres-archive.sh'), segment, name, folder]).status;

  test('accepts a segment once, accepts the same one again, and refuses another of the same name', () => {
    writeFileSync(segment, 'what was written ahead');
    expect(archive('01')).toBe(0);
    expect(gunzipSync(readFileSync(join(folder, '01.gz'))).toString()).toBe('what was written ahead');
    // After a crash, PostgreSQL archives the same segment again. If that failed, it would archive no further segments.
    expect(archive('01')).toBe(0);
    writeFileSync(segment, 'what another database wrote');
    expect(archive('01')).not.toBe(0);
    expect(gunzipSync(readFileSync(join(folder, '01.gz'))).toString()).toBe('what was written ahead');
  });

  test('compresses a segment that ended early', () => {
    writeFileSync(segment, Buffer.alloc(16 * 1024 * 1024));
    expect(archive('02')).toBe(0);
    expect(statSync(join(folder, '02.gz')).size).toBeLessThan(20_000);
  });
});
