import { rightsOn } from '../../infra/db/roles.ts';
import {
  functionDefinition,
  functionsOf,
  triggerDefinition,
  triggersOf,
  type Definition,
} from '../../infra/db/schema-definitions.ts';
import { CONSTRAINTS, REPEATABLE_FILES } from '../../infra/db/schema-files.ts';
import {
  constraintsThere,
  functionsThere,
  rightsThere,
  strangeThings,
  triggersThere,
} from '../../infra/db/queries/verify-schema.ts';
import { Findings, type Fault, type Part, type VerifyNeeds } from './part.ts';

type Db = VerifyNeeds['db'];

/** Compares functions, triggers, constraints and rights with the files of this program. */
export const SCHEMA: Part = {
  name: 'schema',
  async find({ db }) {
    const found = new Findings();
    for (const compare of [functions, triggers, constraints, rights]) {
      const { checked, faults } = await compare(db);
      found.add(checked, faults);
    }
    found.add(0, await db.many(strangeThings()));
    return found;
  },
};

async function functions(db: Db) {
  const there = (await db.many(functionsThere())).map(({ body, ...parts }) => ({
    ...{ name: parts.name, body },
    definition: functionDefinition(parts),
  }));
  return { checked: there.length, faults: compared('function', functionsOf(REPEATABLE_FILES), there) };
}

async function triggers(db: Db) {
  const rows = await db.many(triggersThere());
  const there = rows.flatMap(({ definition }) => (definition === null ? [] : [triggerDefinition(definition)]));
  const off = rows.filter(({ enabled }) => !enabled);
  const faults = compared('trigger', triggersOf(REPEATABLE_FILES), there);
  return {
    checked: rows.length,
    faults: [...faults, ...off.map(({ relation }) => ({ what: 'trigger is switched off', id: relation }))],
  };
}

function compared(kind: string, wanted: readonly Definition[], there: readonly Definition[]): Fault[] {
  const known = new Map(wanted.map((one) => [one.name, one]));
  const found = there.flatMap(({ name, definition, body }) => {
    const file = known.get(name);
    if (file === undefined) return [{ what: `${kind} that no file names`, id: name }];
    return definition === file.definition && body === file.body
      ? []
      : [{ what: `${kind} differs from its file`, id: name }];
  });
  const names = there.map(({ name }) => name);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  const missing = wanted.filter(({ name }) => !names.includes(name));
  return [
    ...found,
    ...[...twice].map((id) => ({ what: `${kind} exists twice`, id })),
    ...missing.map(({ name }) => ({ what: `${kind} is missing`, id: name })),
  ];
}

async function constraints(db: Db) {
  const there = await db.many(constraintsThere());
  const wanted = Object.entries(CONSTRAINTS).map(([name, definition]) => ({ name, definition, body: '' }));
  const faults = compared(
    'constraint',
    wanted,
    there.map((one) => ({ ...one, body: '' })),
  );
  return { checked: there.length, faults };
}

/** Others may read, for example to make backups. A service whose role owns the tables has all rights. */
async function rights(db: Db) {
  const rows = await db.many(rightsThere());
  const faults = rows.flatMap(({ relation, part, grantee, service, held }) => {
    const more = held.filter((right) => right !== 'SELECT' && !(service && isGranted(relation, part, right)));
    const id = part === null ? relation : `${relation}.${part}`;
    return more.length === 0 ? [] : [{ what: `${grantee} may ${more.join(', ')}`, id }];
  });
  return { checked: rows.length, faults };
}

function isGranted(relation: string, part: string | null, right: string): boolean {
  const { rights, changes } = rightsOn(relation);
  return part === null ? rights.includes(right) : right === 'UPDATE' && changes.includes(part);
}
