import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const DEPLOY = resolve(import.meta.dirname, '../../infra/deploy');

interface ComposeService {
  command?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  networks?: string[] | Record<string, object>;
  network_mode?: string;
  ports?: string[];
  user?: string;
  volumes?: string[];
}

interface ComposeFile {
  services: Record<string, ComposeService>;
  secrets: Record<string, object>;
  networks: Record<string, { internal?: boolean }>;
}

export function readComposeFile(): ComposeFile {
  return parse(readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8'), { merge: true }) as ComposeFile;
}

/** Interpolates variables of `.env` as compose does. @throws if a required variable is missing. */
export function interpolated(value: string, variables: Readonly<Record<string, string>>): string {
  let text = value;
  for (let found = innermost.exec(text); found !== null; found = innermost.exec(text)) {
    const [whole, name = '', kind, word = ''] = found;
    const given = variables[name];
    if (given === undefined && kind === ':?') throw new Error(`compose.yaml needs ${name}`);
    text = text.replace(whole, () => given ?? word);
  }
  return text;
}

const innermost = /\$\{(\w+)(?:(:-|:\?)([^${}]*))?\}/;
