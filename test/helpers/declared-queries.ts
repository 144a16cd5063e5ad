import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import ts from 'typescript';
import { MoneyQuery, OwnerLock } from '../../infra/db/locked-owner.ts';
import { queryOf, type Statement, type Query } from '../../infra/db/query.ts';

/* Finds the TypeScript type and the SQL of the queries that infra/db/queries exports. */

const ROOT = resolve(import.meta.dirname, '../..');
const QUERIES = join(ROOT, 'infra/db/queries');
export const MODULES = readdirSync(QUERIES).filter((file) => file.endsWith('.ts'));

/** The kind of a value at runtime. `json` is any value. */
export type Kind = 'string' | 'number' | 'boolean' | 'object' | 'json' | 'nothing' | `${string}[]`;

const program = ts.createProgram(
  MODULES.map((file) => join(QUERIES, file)),
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
const WRAPPERS = new Set(['OwnerLock', 'MoneyQuery']);

/** Returns undefined if the type is neither a query nor a lock or movement with a query. */
function rowTypeOf(query: ts.Type): ts.Type | undefined {
  if (WRAPPERS.has(query.symbol?.name ?? '')) return checker.getTypeArguments(query as ts.TypeReference)[0];
  const row = query.getProperty('__row');
  return row && checker.getTypeOfSymbol(row);
}

function columnsOfType(query: ts.Type): Map<string, Kind[]> | undefined {
  const found = rowTypeOf(query);
  if (found === undefined) return undefined;
  const rowType = checker.getNonNullableType(found);
  if (WRITES.has(rowType.symbol?.name ?? '')) return new Map();
  // The checker names a property whose key is a symbol `__@name@number`. Such a key marks a row, and is no column.
  const columns = checker.getPropertiesOfType(rowType).filter(({ name }) => !name.startsWith('__@'));
  return new Map(columns.map((column) => [column.name, kindsOf(checker.getTypeOfSymbol(column))]));
}

// Any value will do, because PostgreSQL only describes the query.
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

type Made = Query | OwnerLock<unknown> | MoneyQuery;
type Exported = ((...values: unknown[]) => Made) | { all(...values: unknown[]): Query };

export async function declaredIn(file: string): Promise<Declared[]> {
  const path = join(QUERIES, file);
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
  const made = statementOf('all' in statement ? statement.all(...samples) : statement(...samples));
  return [{ name: made.name, statement: made, columns }];
}

/** Only the code under test may run the query of a lock or a movement, so the query's key is not exported. */
function statementOf(made: Made): Query {
  if (!(made instanceof OwnerLock || made instanceof MoneyQuery)) return made;
  const key = Object.getOwnPropertySymbols(made).find(({ description }) => description === 'statement')!;
  return queryOf((made as unknown as Record<symbol, Statement<unknown>>)[key]!);
}

/** Parameter types are oids. */
interface Described {
  parameters: number[];
  fields: pg.FieldDef[];
}

/** Describes a statement without running it. */
export class Description implements pg.Submittable {
  readonly described: Promise<Described>;
  readonly #text: string;
  readonly #settled = Promise.withResolvers<Described>();
  readonly #found: Described = { parameters: [], fields: [] };

  constructor(text: string) {
    this.#text = text;
    this.described = this.#settled.promise;
  }

  submit(connection: pg.Connection): void {
    connection.once('parameterDescription', ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
      this.#found.parameters = dataTypeIDs;
    });
    connection.parse({ name: '', text: this.#text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#found.fields = fields;
  }

  handleError(error: Error): void {
    this.#settled.reject(error);
  }

  handleReadyForQuery(): void {
    this.#settled.resolve(this.#found);
  }
}
