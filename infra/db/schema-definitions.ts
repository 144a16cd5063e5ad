import type { SqlFile } from './schema-files.ts';

/** A function or trigger, with its definition in one normal form. `body` is the function's text, compared as it is. */
export interface Definition {
  name: string;
  definition: string;
  body: string;
}

const FUNCTION =
  /create or replace function (\w+)\s*\(([\s\S]*?)\)\s*returns ([\s\S]*?)\blanguage (\w+)([\s\S]*?)as \$\$([\s\S]*?)\$\$\s*;/g;
const TRIGGER = /create or replace trigger [\s\S]*?;/g;
const CAST = /::(?:text|character varying|bigint|integer|numeric|date|timestamp with time zone)(?:\[\])?/g;
const SETTING = /\bset (\w+)\s*=\s*([\s\S]+?)(?=\s+set\s|\s*$)/g;

const LONG_NAMES: Readonly<Record<string, string>> = {
  timestamptz: 'timestamp with time zone',
  int: 'integer',
  int4: 'integer',
  int8: 'bigint',
  bool: 'boolean',
};

export function functionsOf(files: readonly SqlFile[]): Definition[] {
  return textsOf(files, 'functions/').flatMap((text) =>
    [...text.matchAll(FUNCTION)].map(
      ([, name = '', args = '', result = '', language = '', attributes = '', body = '']) => {
        const has = (word: string) => new RegExp(String.raw`\b${word}\b`).test(attributes);
        const settings = [...attributes.matchAll(SETTING)].map(([, setting, value]) => `${setting}=${value}`);
        const definition = functionDefinition({
          ...{ name, args, result, language, settings, kind: 'f' },
          volatility: has('immutable') ? 'i' : has('stable') ? 's' : 'v',
          strict: has('strict'),
          definer: has('security definer'),
          leakproof: has('leakproof'),
        });
        return { name, definition, body };
      },
    ),
  );
}

interface FunctionParts {
  name: string;
  args: string;
  result: string;
  language: string;
  settings: readonly string[];
  kind: string;
  volatility: string;
  strict: boolean;
  definer: boolean;
  leakproof: boolean;
}

export function functionDefinition({ settings, ...parts }: FunctionParts): string {
  const { name, args, result, language, kind, volatility, strict, definer, leakproof } = parts;
  return [
    ...[name, typed(args), typed(result), language, kind, volatility, strict, definer, leakproof],
    ...settings.map((setting) => dense(setting.replaceAll(/['"]/g, ''))).toSorted(),
  ].join(' ');
}

export function triggersOf(files: readonly SqlFile[]): Definition[] {
  return textsOf(files, 'triggers/').flatMap((text) =>
    [...text.matchAll(TRIGGER)].map(([statement]) => triggerDefinition(statement.slice(0, -1))),
  );
}

/** From the statement that makes the trigger. Its condition is compared without brackets and casts. */
export function triggerDefinition(statement: string): Definition {
  const text = statement.replaceAll(/\s+/g, ' ').replace(/^create (?:or replace )?(?:constraint )?/i, '');
  const [, name = '', time = '', events = '', table = '', rest = ''] =
    /^trigger (\S+) (before|after|instead of) (.+?) on (\S+) (.*)$/i.exec(text) ?? [];
  const ordered = events.split(/ or /i).map(dense).toSorted().join('|');
  const action = dense(rest.replaceAll(CAST, ''))
    .replaceAll(/=any\(array\[(.*?)\]\)/g, 'in($1)')
    .replaceAll(/<>all\(array\[(.*?)\]\)/g, 'notin($1)')
    .replaceAll(/[()]/g, '');
  const on = table.replace(/^public\./, '');
  return { name: `${on}.${name}`, definition: `${dense(time)} ${ordered} ${on} ${action}`, body: '' };
}

function textsOf(files: readonly SqlFile[], folder: string): string[] {
  return files.filter(({ name }) => name.startsWith(folder)).map(({ text }) => text);
}

function typed(text: string): string {
  return dense(text.replaceAll(/\b\w+\b/g, (word) => LONG_NAMES[word] ?? word).replaceAll(CAST, ''));
}

const dense = (text: string) => text.replaceAll('public.', '').replaceAll(/\s+/g, '').toLowerCase();
