import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfig } from '../../infra/config/index.ts';
import { SETTING_GROUPS } from '../../infra/config/groups/index.ts';
import { configurationPage } from '../../tools/configuration.ts';
import { settingsUsedBy } from '../helpers/settings-used.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
const sections = page
  .replace(/\n {2}(?=\S)/g, ' ')
  .split('\n## ')
  .slice(1);
const settings = sections.flatMap((section) =>
  [...section.matchAll(/^- `(\w+)` = (unset|`[^`]+`)([^:(]*)(?: \(([^)]+)\))?: (.+)$/gm)].map(
    ([, name, fallback, , values, meaning]) => ({
      name: name!,
      fallback: fallback!.replaceAll('`', ''),
      values,
      meaning: meaning!,
    }),
  ),
);

function given(fallback: string): string {
  const value = fallback === 'unset' ? '' : fallback;
  return value.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'RINGFENCE_DATA' ? resolve('.data') : given(settings.find((setting) => setting.name === name)!.fallback),
  );
}

describe('docs/configuration.md', () => {
  test('equals the output of `npm run generate`', async () => {
    expect(page).toBe(await configurationPage());
  });

  test('has a list for every group, and every setting that the service reads', () => {
    // The extra section has the settings that every process reads.
    expect(sections).toHaveLength(SETTING_GROUPS.length + 1);
    expect(new Set(settings.map(({ name }) => name))).toEqual(settingsUsedBy('everything'));
  });

  test.each(settings)('explains the values and the meaning of $name', ({ values, meaning, fallback }) => {
    if (/^\d+$/.test(fallback)) expect(values).toMatch(/^\d+–\d+$/);
    expect(meaning).toMatch(/^[A-Z*].*\.$/);
  });

  test.each(settings)('$name is $fallback by default', ({ name, fallback }) => {
    expect(readConfig({ [name]: given(fallback) })).toEqual(readConfig({}));
    // If another value does not change the result, no code reads the setting.
    const other = /^\d+$/.test(fallback)
      ? '4321'
      : name === 'SMTP_URL'
        ? 'smtp://other.example'
        : 'https://other.example';
    let changed: unknown;
    try {
      changed = readConfig({ [name]: other });
    } catch (refused) {
      changed = refused;
    }
    expect(changed).not.toEqual(readConfig({}));
  });
});
