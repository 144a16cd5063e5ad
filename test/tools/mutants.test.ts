import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { plant } from '../../tools/mutants/fault.ts';
import { ACTIVITY_FAULTS } from '../../tools/mutants/faults/activities.ts';
import { DATABASE_FAULTS } from '../../tools/mutants/faults/database.ts';
import { DOMAIN_FAULTS } from '../../tools/mutants/faults/domain.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');

test('each planted fault still fits the source, and names tests that exist', () => {
  for (const fault of [...DOMAIN_FAULTS, ...ACTIVITY_FAULTS, ...DATABASE_FAULTS]) {
    const source = readFileSync(join(ROOT, fault.file), 'utf8');
    expect(plant(fault, source)).not.toBe(source);
    for (const file of fault.tests) expect([file, existsSync(join(ROOT, `${file}.test.ts`))]).toEqual([file, true]);
  }
});
