import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { curl } from './curl.ts';

/*
 * Runs the API guide. Runs each page from its first block to its last, once as curl and once as TypeScript, each with
 * its own owner. Compares the results with the answers in the page. Comments control it:
 * - `runs`: a block that has no answer.
 * - `keep NAME=path`: keeps a value of the previous answer for later commands.
 * - `client`: the module that the others import.
 * - `settings`: the meaning of the variables.
 * - `operator` and `flow`: see guide-flow.ts.
 */

const ROOT = resolve(import.meta.dirname, '../..');
const GUIDE = join(ROOT, 'docs/guide');
/** Blocks that are not steps of a page. */
const ELSEWHERE = new Set(['client', 'settings', 'operator', 'flow']);

export interface Step {
  sh?: string;
  ts?: string;
  /** The expected answer; `"..."` stands for more fields or items. */
  answer?: unknown;
  /** The answer's place in the page. */
  answerAt?: number;
  keeps: [name: string, path: string][];
}

export interface GuideStack {
  /** A text with the ports and folders of this stack. */
  asHere(text: string): string;
  /** The address, the authority and the keys, under the guide's names: RF, CA, KEY, VAULT_KEY. */
  variables: Record<string, string>;
  /** An empty folder, for programs. */
  folder: string;
}

export const guidePages = (): string[] =>
  readdirSync(GUIDE)
    .filter((file) => file.endsWith('.md'))
    .sort();

export const readPage = (page: string): string => readFileSync(join(GUIDE, page), 'utf8');

interface Block {
  language: string;
  text: string;
  marks: string[];
  at: number;
}

function blocksOf(page: string): Block[] {
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
  // Comments after the last block belong to it.
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
    const isNew = (language === 'sh' && step.sh !== undefined) || (language === 'ts' && step.ts !== undefined);
    if (isNew) {
      steps.push(step);
      step = { keeps: [] };
    }
    if (language === 'sh') step.sh = text;
    else if (language === 'ts') step.ts = text;
    else if (language === 'json') {
      steps.push({ ...step, answer: JSON.parse(text), answerAt: at });
      step = { keeps: [] };
    }
    if (marks.includes('runs')) {
      steps.push(step);
      step = { keeps: [] };
    }
  }
  if (step.sh !== undefined || step.ts !== undefined) steps.push(step);
  return steps;
}

/** With a different owner, so that the two runs do not disturb each other. */
function asOwner(text: string, owner: string): string {
  return text.replaceAll('emp-1042', `emp-1042-${owner}`).replaceAll('grace@example.org', `grace-${owner}@example.org`);
}

function asAnyone(answer: unknown, owner: string): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll(`-${owner}`, ''));
}

function at(answer: unknown, path: string): string {
  return String(path.split('.').reduce<unknown>((found, name) => (found as Record<string, unknown>)[name], answer));
}

/** The answers to the curl commands of a page, in order; undefined if a step has none. */
export async function runCurls(page: string, stack: GuideStack): Promise<unknown[]> {
  const owner = `${page.slice(0, 2)}-curl`;
  const variables = { ...stack.variables };
  const answers: unknown[] = [];
  for (const { sh, keeps } of stepsOf(page)) {
    if (sh === undefined) {
      answers.push(undefined);
      continue;
    }
    const command = asOwner(stack.asHere(sh), owner).replaceAll(/Idempotency-Key: /g, `Idempotency-Key: ${owner}-`);
    const { body } = await curl(command, { variables, folder: ROOT });
    for (const [name, path] of keeps) variables[name] = at(body, path);
    answers.push(asAnyone(body, owner));
  }
  return answers;
}

/** The results of a page's TypeScript, in order: from each block the last `const` that it declares. */
export async function runTypeScript(page: string, stack: GuideStack): Promise<unknown[]> {
  const owner = `${page.slice(0, 2)}-ts`;
  mkdirSync(stack.folder, { recursive: true });
  const client = blocksOf('10-start.md').find(({ marks }) => marks.includes('client'))!;
  writeFileSync(join(stack.folder, 'client.ts'), withClient(client.text));
  const steps = stepsOf(page).map(({ ts }) => {
    if (ts === undefined) return '__told.push(null);';
    const names = [...ts.matchAll(/^(?:export )?const (\w+)(?:: [^=]+)? = /gm)].map(([, name]) => name!);
    return `${ts}\n__told.push(${names.at(-1) ?? 'null'});`;
  });
  const program = `const __told: unknown[] = [];\n${steps.join('\n')}\nconsole.log(JSON.stringify(__told.map((told) => told ?? null)));\n`;
  const file = join(stack.folder, page.replace('.md', '.ts'));
  writeFileSync(file, withClient(asOwner(stack.asHere(program), owner)));
  const child = spawn(process.execPath, [file], {
    cwd: ROOT,
    env: { ...process.env, NODE_OPTIONS: '', ...stack.variables },
  });
  const told = ['', ''];
  [child.stdout, child.stderr].forEach((stream, place) =>
    stream.on('data', (chunk: Buffer) => (told[place] = `${told[place] ?? ''}${chunk.toString()}`)),
  );
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${page}: ${told.join('\n')}`);
  return asAnyone(JSON.parse(told[0]!), owner) as unknown[];
}

/** Imports packages by their paths, and the client by its sources. */
export function withClient(program: string): string {
  return program
    .replaceAll("'openid-client'", `'${import.meta.resolve('openid-client')}'`)
    .replaceAll("'@ringfence/client/node'", `'${join(ROOT, 'client/src/node.ts')}'`)
    .replaceAll("'@ringfence/client'", `'${join(ROOT, 'client/src/index.ts')}'`);
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
/** Values that differ each time: ids, tokens, keys, cursors, texts with a request's path. */
const NAMED = /^(?:[a-z]+_[0-9a-z-]{20,}|rf_[art]t_\w+|vault:\w+:[0-9a-f-]{36}|eyJ.*|\S+#[\w-]+)$/;
const FREE = new Set(['id', 'access_token', 'refresh_token', 'instance', 'period', 'issuer', 'next_cursor']);

/**
 * The differences between an answer and the guide. Figures and texts must be equal; ids and times only need the same
 * form.
 */
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

/** Writes the actual answers into the page, where it has `{}`; this is how a new page is made. */
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
