import pg from 'pg';
import { ROW_TYPES } from '../../infra/db/connection.ts';
import type { Query } from '../../infra/db/query.ts';
import { cloneDatabase, type TestDatabase } from '../helpers/database.ts';
import { declaredIn, Description, MODULES, type Kind } from '../helpers/declared-queries.ts';

/** PostgreSQL's text form of a value of each type that a query returns. */
const SAMPLES: Readonly<Record<string, string>> = {
  ...{ bool: 't', int2: '1', int4: '1', int8: '1', float8: '1.5', numeric: '1.5', text: 'a', varchar: 'a', name: 'a' },
  ...{ _bool: '{t}', _int4: '{1}', _int8: '{1}', _numeric: '{1.5}', _text: '{a}', _varchar: '{a}', void: '' },
  ...{ uuid: '0197f1a0-0000-7000-8000-000000000000', date: '2026-01-31', timestamptz: '2026-01-31 12:00:00+00' },
  ...{ json: '{}', jsonb: '{}', bytea: '\\x00', _timestamptz: '{"2026-01-31 12:00:00+00"}', _date: '{2026-01-31}' },
};

const parserOf: (oid: number, format: 'text') => unknown = ROW_TYPES.getTypeParser;

function kindFrom(type: string, oid: number): Kind {
  if (type === 'json' || type === 'jsonb') return 'json';
  const sample = SAMPLES[type];
  if (sample === undefined) throw new Error(`Give SAMPLES a value of the type ${type}.`);
  const parse = parserOf(oid, 'text') as (text: string) => unknown;
  return kindOf(parse(sample));
}

function kindOf(value: unknown): Kind {
  if (Array.isArray(value)) return `${kindOf(value[0])}[]`;
  if (value === null || value === undefined) return 'nothing';
  return typeof value as Kind;
}

let database: TestDatabase;
let owner: pg.Client;
const typeNames = new Map<number, string>();
beforeAll(async () => {
  database = await cloneDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  const { rows } = await owner.query<{ oid: number; typname: string }>('select oid::int, typname from pg_type');
  for (const { oid, typname } of rows) typeNames.set(oid, typname);
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

async function columnsReturned({ text }: Query): Promise<Map<string, Kind>> {
  const { fields } = await owner.query(new Description(text)).described;
  return new Map(fields.map(({ name, dataTypeID }) => [name, kindFrom(typeNames.get(dataTypeID)!, dataTypeID)]));
}

// No code reads undeclared columns.
function differences(declared: Map<string, Kind[]>, returned: Map<string, Kind>): string[] {
  return [...declared].flatMap(([name, kinds]) => {
    const kind = returned.get(name);
    if (kind === undefined) return [`${name} is not returned`];
    return kind === 'json' || kinds.includes(kind) ? [] : [`${name} is ${kind}, not ${kinds.join(' or ')}`];
  });
}

test('a column of another type than its row says is found', () => {
  const declared = new Map<string, Kind[]>([
    ['amount', ['number']],
    ['at', ['string', 'nothing']],
    ['lost', ['string']],
  ]);
  const returned = new Map<string, Kind>([
    ['amount', 'string'],
    ['at', 'string'],
  ]);
  expect(differences(declared, returned)).toEqual(['amount is string, not number', 'lost is not returned']);
});

test.each(MODULES)('every query of %s returns the columns that its row type names, each of that type', async (file) => {
  const declared = await declaredIn(file);
  expect(declared).not.toEqual([]);
  const found: Record<string, string[]> = {};
  for (const { name, statement, columns } of declared) {
    const wrong = differences(columns, await columnsReturned(statement));
    if (wrong.length > 0) found[name] = wrong;
  }
  expect(found).toEqual({});
});
