import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import ts from 'typescript';
import { ROW_TYPES } from '../../infra/db/connection.ts';
import type { Query } from '../../infra/db/query.ts';
import { cloneDatabase, type TestDatabase } from '../helpers/database.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const STATEMENTS = join(ROOT, 'infra/db/statements');
const MODULES = readdirSync(STATEMENTS).filter((file) => file.endsWith('.ts'));

/** What a value is when the program runs. JSON may hold anything. */
type Kind = 'string' | 'number' | 'boolean' | 'object' | 'json' | 'nothing' | `${string}[]`;

/** A value of each PostgreSQL type that a statement returns, as PostgreSQL writes it. */
const SAMPLES: Readonly<Record<string, string>> = {
  bool: 't',
  int2: '1',
  int4: '1',
  int8: '1',
  float8: '1.5',
  numeric: '1.5',
  text: 'a',
  varchar: 'a',
  name: 'a',
  uuid: '0197f1a0-0000-7000-8000-000000000000',
  date: '2026-01-31',
  timestamptz: '2026-01-31 12:00:00+00',
  json: '{}',
  jsonb: '{}',
  bytea: '\\x00',
  void: '',
  _bool: '{t}',
  _int4: '{1}',
  _int8: '{1}',
  _numeric: '{1.5}',
  _text: '{a}',
  _varchar: '{a}',
  _timestamptz: '{"2026-01-31 12:00:00+00"}',
  _date: '{2026-01-31}',
};

const parserOf: (oid: number, format: 'text') => unknown = ROW_TYPES.getTypeParser;

/** The kind of value that the service gets of a PostgreSQL type. */
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

const program = ts.createProgram(
  MODULES.map((file) => join(STATEMENTS, file)),
  {
    ...ts.parseJsonConfigFileContent(
      ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config,
      ts.sys,
      ROOT,
    ).options,
    noEmit: true,
  },
);
const checker = program.getTypeChecker();

/** The kinds of values that a type of the program allows. */
function kindsOf(type: ts.Type): Kind[] {
  if (type.isUnion()) return type.types.flatMap(kindsOf);
  const { flags } = type;
  if (flags & ts.TypeFlags.StringLike) return ['string'];
  if (flags & ts.TypeFlags.NumberLike) return ['number'];
  if (flags & ts.TypeFlags.BooleanLike) return ['boolean'];
  if (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Void)) return ['nothing'];
  if (type.isIntersection()) return type.types.flatMap(kindsOf);
  if (checker.isArrayType(type) || checker.isTupleType(type))
    return checker
      .getTypeArguments(type as ts.TypeReference)
      .flatMap((item) => kindsOf(item).map((kind) => `${kind}[]` as const));
  return ['object'];
}

const WRITES = new Set(['InsertResult', 'UpdateResult', 'DeleteResult']);

/** The columns of the rows that a query returns, by its type; undefined for what is no query. */
function columnsOfType(query: ts.Type): Map<string, Kind[]> | undefined {
  const row = query.getProperty('__row');
  if (row === undefined) return undefined;
  const rowType = checker.getNonNullableType(checker.getTypeOfSymbol(row));
  if (WRITES.has(rowType.symbol?.name ?? '')) return new Map();
  const columns = checker.getPropertiesOfType(rowType);
  return new Map(columns.map((column) => [column.name, kindsOf(checker.getTypeOfSymbol(column))]));
}

/** Some value of a type: PostgreSQL is asked only what a query would return. */
function sampleOf(type: ts.Type): unknown {
  if (type.isUnion()) return sampleOf(type.types.find((member) => !isNothing(member)) ?? type.types[0]!);
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  const { flags } = type;
  if (flags & ts.TypeFlags.NumberLike) return 1;
  if (flags & ts.TypeFlags.BooleanLike) return true;
  if (isNothing(type)) return null;
  if (checker.isArrayType(type) || checker.isTupleType(type))
    return checker.getTypeArguments(type as ts.TypeReference).map(sampleOf);
  const name = type.symbol?.name;
  if (name === 'Date') return new Date(0);
  if (name === 'Uint8Array' || name === 'Buffer') return new Uint8Array();
  if (type.isIntersection() || flags & ts.TypeFlags.Object)
    return Object.fromEntries(
      checker.getPropertiesOfType(type).map((part) => [part.name, sampleOf(checker.getTypeOfSymbol(part))]),
    );
  return 'a';
}

function isNothing({ flags }: ts.Type): boolean {
  return (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Void)) !== 0;
}

interface Declared {
  name: string;
  statement: Query;
  columns: Map<string, Kind[]>;
}

type Exported = ((...values: unknown[]) => Query) | { all(...values: unknown[]): Query };

async function declaredIn(file: string): Promise<Declared[]> {
  const path = join(STATEMENTS, file);
  const module = (await import(path)) as Record<string, Exported>;
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path)!)!);
  return exported.flatMap(({ name, valueDeclaration }) => {
    const statement = module[name];
    if (statement === undefined || valueDeclaration === undefined) return [];
    return declaredBy(statement, checker.getTypeAtLocation(valueDeclaration));
  });
}

function declaredBy(statement: Exported, type: ts.Type): Declared[] {
  const all = type.getProperty('all');
  const built = all === undefined ? type : checker.getTypeOfSymbol(all);
  const [signature] = built.getCallSignatures();
  if (signature === undefined) return [];
  const columns = columnsOfType(signature.getReturnType());
  if (columns === undefined) return [];
  const samples = signature.getParameters().flatMap((parameter) => {
    const sample = sampleOf(checker.getTypeOfSymbol(parameter));
    const { valueDeclaration: declared } = parameter;
    const isRest = declared !== undefined && ts.isParameter(declared) && declared.dotDotDotToken !== undefined;
    return isRest ? sample : [sample];
  });
  const made = 'all' in statement ? statement.all(...samples) : statement(...samples);
  return [{ name: made.name, statement: made, columns }];
}

let database: TestDatabase;
let client: pg.Client;
const typeNames = new Map<number, string>();

beforeAll(async () => {
  database = await cloneDatabase();
  client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  const { rows } = await client.query<{ oid: number; typname: string }>('select oid::int, typname from pg_type');
  for (const { oid, typname } of rows) typeNames.set(oid, typname);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Asks PostgreSQL what a statement would return, without running it. */
class Description implements pg.Submittable {
  readonly fields: Promise<pg.FieldDef[]>;
  readonly #text: string;
  readonly #settled = Promise.withResolvers<pg.FieldDef[]>();
  #found: pg.FieldDef[] = [];

  constructor(text: string) {
    this.#text = text;
    this.fields = this.#settled.promise;
  }

  submit(connection: pg.Connection): void {
    connection.parse({ name: '', text: this.#text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#found = fields;
  }

  handleError(error: Error): void {
    this.#settled.reject(error);
  }

  handleReadyForQuery(): void {
    this.#settled.resolve(this.#found);
  }
}

async function columnsReturned({ text }: Query): Promise<Map<string, Kind>> {
  const fields = await client.query(new Description(text)).fields;
  return new Map(fields.map(({ name, dataTypeID }) => [name, kindFrom(typeNames.get(dataTypeID)!, dataTypeID)]));
}

/** What a row lacks of its type, or has of another type. Columns that the type does not name do not count, since no code reads them. */
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
