import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Agent, FormData, request } from 'undici';

interface CurlOptions {
  /** Replace `$NAME` outside single quotes. */
  variables?: Readonly<Record<string, string>>;
  folder: string;
}

function wordsOf(command: string, variables: Readonly<Record<string, string>> = {}): string[] {
  const expand = (text: string) =>
    text.replace(/\$([A-Z_]+)/g, (_whole, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`$${name} is not set in: ${command}`);
      return value;
    });
  const pattern = /'([^']*)'|"((?:\\.|[^"\\])*)"|(\S+)/g;
  return [...command.replaceAll('\\\n', ' ').matchAll(pattern)].map(
    ([, literal, quoted, plain]) => literal ?? expand((quoted ?? plain!).replaceAll(/\\(["\\$])/g, '$1')),
  );
}

export async function curl(
  command: string,
  { variables, folder }: CurlOptions,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const words = wordsOf(command, variables);
  const option = (name: string) => words.flatMap((word, place) => (word === name ? [words[place + 1]!] : []));
  const headers = Object.fromEntries(option('-H').map((header) => header.split(': ', 2) as [string, string]));
  const [body] = option('-d');
  const [asked] = option('-X');
  const file = (name: string) => option(name).map((path) => readFileSync(resolve(folder, path)))[0];
  const dispatcher = new Agent({ connect: { ca: file('--cacert'), cert: file('--cert'), key: file('--key') } });
  const url = words.find((word) => word.startsWith('https://'))!;
  const form = option('-F');
  const sent = form.length > 0 ? formOf(form, folder) : body;
  const method = (asked ?? (sent === undefined ? 'GET' : 'POST')) as 'GET';
  const answer = await request(url, { method, headers, body: sent, dispatcher });
  const json = (await answer.body.json()) as Record<string, unknown>;
  await dispatcher.close();
  return { status: answer.statusCode, body: json };
}

function formOf(parts: string[], folder: string): FormData {
  const form = new FormData();
  for (const part of parts) {
    const [name, value] = part.split('=', 2) as [string, string];
    if (value.startsWith('@')) form.set(name, new File([readFileSync(resolve(folder, value.slice(1)))], 'file'));
    else form.set(name, value);
  }
  return form;
}
