import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Agent, request as send } from 'undici';
import { blocks } from './documents.ts';
import { readPage, type GuideStack } from './guide.ts';
import { readersNode, writeClient } from './guide-programs.ts';
import { freePort } from './ports.ts';
import { newVisitor, type Visitor } from './visitor.ts';

/* Runs the parts of the guide that need an operator at a command line, or a person at a browser. */

/** Each line of a block with the mark `operator` is one command. */
export const operatorsCommands = (page: string): string[] =>
  blocks(readPage(page), 'operator').flatMap((block) => block.split('\n'));

async function aPerson({ variables }: GuideStack): Promise<{ visitor: Visitor; close(): Promise<void> }> {
  const dispatcher = new Agent({ connect: { ca: readFileSync(variables.CA!) } });
  const request = async (method: string, path: string, asked: { body?: unknown; headers?: Record<string, string> }) => {
    const body = asked.body as string | undefined;
    const answer = await send(`${variables.RF}${path}`, { ...asked, method: method as 'GET', body, dispatcher });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, body: text, text };
  };
  const headers = { 'content-type': 'application/json' };
  const registered = await request('POST', '/api/v1/auth/register', { headers, body: JSON.stringify(PERSON) });
  if (registered.status !== 201) throw new Error(`${registered.status} ${registered.text}`);
  return { visitor: newVisitor({ request }), close: () => dispatcher.close() };
}
const PERSON = { email: 'hopper@example.org', password: 'nine quiet harbours' };

async function consent(visitor: Visitor, address: URL): Promise<string> {
  const first = await visitor.get(address.pathname + address.search);
  const signedIn = await visitor.submit(first, '/api/v1/auth/sign-in', PERSON);
  const page = await visitor.get(String(signedIn.headers.location));
  const decided = await visitor.submit(page, '/api/v1/auth/consent', { decision: 'allow' });
  return String(decided.headers.location);
}

const CALLBACK = 'http://localhost:3000/callback';

export async function withFreeCallback(): Promise<(text: string) => string> {
  const port = await freePort();
  return (text) => text.replaceAll('3000', String(port));
}

/**
 * Runs the guide's program that acts for a person, and acts as this person in the browser.
 * @param asHere replaces the guide's redirect URI with the registered one
 * @returns the profile that the program reads
 */
export async function runFlow(
  page: string,
  { clientId, asHere }: { clientId: string; asHere: (text: string) => string },
  stack: GuideStack,
): Promise<Record<string, unknown>> {
  const [block] = blocks(readPage(page), 'flow');
  if (!block?.includes(CALLBACK)) throw new Error(`${page} has no program with a browser flow`);
  writeClient(stack);
  const file = join(stack.folder, 'flow.js');
  writeFileSync(file, asHere(block));
  const env = { ...process.env, NODE_OPTIONS: '', ...stack.variables, CLIENT_ID: clientId };
  const child = spawn(readersNode(), [file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number | null]>;
  let faults = '';
  child.stderr.on('data', (chunk: Buffer) => (faults += chunk.toString()));
  const person = await aPerson(stack);
  const told: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(line);
    const [, address] = /^Open (.+)$/.exec(line) ?? [];
    if (address !== undefined) await fetch(await consent(person.visitor, new URL(address)));
  }
  await person.close();
  const [code] = await closed;
  if (code !== 0) throw new Error(`${page}: ${faults}`);
  return JSON.parse(told.at(-1)!) as Record<string, unknown>;
}
