import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { curl } from './curl.ts';

/*
 * Reads the API guide and runs its curl commands, changing only ports and folders. Each page runs from its first block
 * to its last. guide-programs.ts runs the TypeScript and Python. HTML comments mark the blocks of code:
 * - `runs`: the block is a step that shows no response.
 * - `until path`: the block is repeated until its response has a value there.
 * - `keep NAME=path`: keeps a value of the previous response for later commands.
 * - `client`, `person` and `module`: the files that the programs import.
 * - `settings`: explains the variables.
 * - `operator` and `flow`: see guide-flow.ts.
 * - `reset`: empties a sandbox.
 * - `banks`: a file of banks, which banks-file.test.ts reads.
 */

const ROOT = resolve(import.meta.dirname, '../..');
const GUIDE = join(ROOT, 'docs/guide');
/** Later pages use what this one keeps. */
const SIGN_IN = '56-banks.md';
const ELSEWHERE = new Set(['client', 'person', 'module', 'settings', 'operator', 'flow', 'reset', 'banks']);

interface Step {
  sh?: string;
  ts?: string;
  py?: string;
  /** A field named `...` stands for more fields. */
  answer?: unknown;
  answerAt?: number;
  until?: string;
  keeps: [name: string, path: string][];
}

export interface GuideStack {
  asHere(text: string): string;
  /** RF (address), CA (certificate file) and KEY (API key). */
  variables: Record<string, string>;
  folder: string;
}

export const guidePages = (): string[] =>
  readdirSync(GUIDE)
    .filter((file) => file.endsWith('.md'))
    .sort();

export const readPage = (page: string): string => readFileSync(join(GUIDE, page), 'utf8');

const CODE = ['sh', 'ts', 'py'] as const;
const isCode = (language: string): language is (typeof CODE)[number] => CODE.includes(language as 'sh');

interface Block {
  language: string;
  text: string;
  marks: string[];
  at: number;
}

export function blocksOf(page: string): Block[] {
  const pattern = /<!-- ([^\n]+?) -->|```(\w+)\n([\s\S]*?)\n```/g;
  const blocks: Block[] = [];
  let marks: string[] = [];
  for (const match of readPage(page).matchAll(pattern)) {
    const [, mark, language, text] = match;
    if (mark !== undefined) marks.push(mark);
    else {
      blocks.push({ language: language!, text: text!, marks, at: match.index });
      marks = [];
    }
  }
  // Comments after the last block become an empty block of their own.
  blocks.push({ language: 'end', text: '', marks, at: -1 });
  return blocks;
}

export function stepsOf(page: string): Step[] {
  const steps: Step[] = [];
  let step: Step = { keeps: [] };
  for (const { language, text, marks, at } of blocksOf(page)) {
    for (const mark of marks) {
      const [, names] = /^keep (.+)$/.exec(mark) ?? [];
      if (names === undefined) continue;
      const keeps = names.split(' ').map((pair) => pair.split('=', 2) as [string, string]);
      steps.at(-1)!.keeps.push(...keeps);
    }
    if (marks.some((mark) => ELSEWHERE.has(mark)) || language === 'end') continue;
    if (isCode(language)) {
      if (step[language] !== undefined) {
        steps.push(step);
        step = { keeps: [] };
      }
      step[language] = text;
      for (const mark of marks) step.until ??= /^until (.+)$/.exec(mark)?.[1];
    } else if (language === 'json') {
      steps.push({ ...step, answer: JSON.parse(text), answerAt: at });
      step = { keeps: [] };
    }
    if (marks.includes('runs')) {
      steps.push(step);
      step = { keeps: [] };
    }
  }
  if (CODE.some((language) => step[language] !== undefined)) steps.push(step);
  return steps;
}

function at(answer: unknown, path: string): string {
  return String(path.split('.').reduce<unknown>((found, name) => (found as Record<string, unknown>)[name], answer));
}

/** Also runs inside the programs of the guide, so it uses nothing else. */
export async function askUntil<T>(ask: () => Promise<T>, path = ''): Promise<T> {
  for (let looks = 0; ; looks += 1) {
    const answer = await ask();
    const names = path === '' ? [] : path.split('.');
    const found = names.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], answer);
    if ((found !== undefined && found !== null) || looks === 100) return answer;
    await new Promise((done) => setTimeout(done, 200));
  }
}

/** @returns the responses, with undefined for steps without a curl command. */
export async function runCurls(page: string, stack: GuideStack): Promise<unknown[]> {
  const variables = { ...stack.variables };
  const answers: unknown[] = [];
  for (const { sh, keeps, until } of stepsOf(page)) {
    if (sh === undefined) {
      answers.push(undefined);
      continue;
    }
    const ask = async () => (await curl(stack.asHere(sh), { variables, folder: ROOT })).body;
    const body = await askUntil(ask, until);
    for (const [name, path] of keeps) variables[name] = at(body, path);
    if (page === SIGN_IN) Object.assign(stack.variables, variables);
    answers.push(body);
  }
  return answers;
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const NAMED = /^(?:[a-z]+_[0-9a-z-]{20,}|rf_[art]t_\w+|vault:\w+:[0-9a-f-]{36}|eyJ.*|\S+#[\w-]+)$/;
const FREE = new Set(['id', 'access_token', 'refresh_token', 'instance', 'period', 'issuer', 'next_cursor']);

/** Compares only the format or the type of values that differ each time, such as ids and times. */
export function differences(expected: unknown, actual: unknown, path = ''): string[] {
  const differs = () => [
    `${path || '/'}: ${JSON.stringify(expected)} in the guide, ${JSON.stringify(actual)} in truth`,
  ];
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return differs();
    return expected.flatMap((item, place) => differences(item, actual[place], `${path}/${place}`));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return differs();
    const { '...': more, ...fields } = expected as Record<string, unknown>;
    const there = actual as Record<string, unknown>;
    const unknown = more === undefined ? Object.keys(there).filter((name) => !(name in fields)) : [];
    return [
      ...unknown.map((name) => `${path}/${name}: not in the guide`),
      ...Object.entries(fields).flatMap(([name, value]) =>
        FREE.has(name) && typeof there[name] === typeof value ? [] : differences(value, there[name], `${path}/${name}`),
      ),
    ];
  }
  if (expected === actual) return [];
  if (typeof expected !== 'string' || typeof actual !== 'string') return differs();
  return [INSTANT, DATE, NAMED].some((form) => form.test(expected) && form.test(actual)) ? [] : differs();
}

/** Replaces each `{}` in a page with the actual response, for writing new pages. */
export function fillIn(page: string, answers: readonly unknown[]): void {
  const fills = stepsOf(page).flatMap(({ answer, answerAt }, place) => {
    const isEmpty = typeof answer === 'object' && answer !== null && Object.keys(answer).length === 0;
    return isEmpty && answerAt !== undefined ? [{ answerAt, text: JSON.stringify(answers[place], undefined, 2) }] : [];
  });
  let text = readPage(page);
  for (const { answerAt, text: answer } of fills.reverse()) {
    text = `${text.slice(0, answerAt)}\`\`\`json\n${answer}${text.slice(text.indexOf('\n```', answerAt))}`;
  }
  writeFileSync(join(GUIDE, page), text);
}

if (!existsSync(GUIDE)) throw new Error('there is no docs/guide');
