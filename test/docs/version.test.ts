import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const versionIn = (file: string) => (JSON.parse(read(file)) as { version: string }).version;
const CHANGELOG = /^## \[Unreleased\]\s+Version (\d+\.\d+\.\d+)\b|^## \[(\d+\.\d+\.\d+)\]/m;

test('contract, service, client and changelog have one version', () => {
  const [, prepared, released] = CHANGELOG.exec(read('CHANGELOG.md')) ?? [];
  const version = versionIn('package.json');
  const parts = readdirSync(join(ROOT, 'openapi')).filter((file) => file.endsWith('.yaml'));
  expect(parts).toContain('openapi.yaml');
  const inContract = parts.map(
    (file) => (parse(read(`openapi/${file}`)) as { info: { version: string } }).info.version,
  );
  expect({
    contract: [...new Set(inContract)],
    client: versionIn('client/package.json'),
    locked: versionIn('package-lock.json'),
    changelog: prepared ?? released,
  }).toEqual({ contract: [version], client: version, locked: version, changelog: version });
});
