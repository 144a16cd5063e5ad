import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';

interface Haystacks {
  databaseUrl: string;
  temporal: { address: string; namespace: string };
  /** Files in these folders are searched as they are: logs, and Temporal's own database. */
  folders: readonly string[];
}

type Needles = Readonly<Record<string, string>>;

interface Hay {
  place: string;
  text: string;
}

/** Searches for each text and its encodings, such as base64. @returns `what in place` for each hit. */
export async function findLeaks(haystacks: Haystacks, needles: Needles): Promise<{ leaks: string[] }> {
  const wanted = Object.entries(needles).flatMap(([what, text]) => formsOf(text).map((form) => ({ what, form })));
  const all = [
    ...(await dump(haystacks.databaseUrl)),
    ...(await histories(haystacks.temporal)),
    ...haystacks.folders.flatMap(filesIn),
  ];
  const leaks = all.flatMap(({ place, text }) =>
    wanted.filter(({ form }) => text.includes(form)).map(({ what }) => `${what} in ${place}`),
  );
  return { leaks: [...new Set(leaks)] };
}

// Base64 is case-sensitive, so these forms have no upper- and lower-case variants.
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  // Base64 inside a longer text has three possible alignments. The characters at both ends depend on the neighbouring
  // bytes.
  const shifted = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return encoded.slice(offset === 0 ? 0 : offset + 1, -1);
  });
  const long = shifted.filter((form) => form.length >= 8);
  const plain = [text, text.toLowerCase(), text.toUpperCase(), encodeURIComponent(text), bytes.toString('hex')];
  return [...new Set([...plain, ...long, ...long.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))])];
}

async function dump(databaseUrl: string): Promise<Hay[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
        where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
    );
    const hay: Hay[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
      hay.push({ place: `table ${name}`, text: rows.map(({ row }) => row).join('\n') });
    }
    return hay;
  } finally {
    await client.end();
  }
}

async function histories({ address, namespace }: Haystacks['temporal']): Promise<Hay[]> {
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection, namespace });
    const hay: Hay[] = [];
    for await (const { workflowId, runId } of client.workflow.list()) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const text = JSON.stringify(history, (_key, value: unknown) => decoded(value));
      hay.push({ place: `workflow ${workflowId}`, text });
    }
    return hay;
  } finally {
    await connection.close();
  }
}

function decoded(value: unknown): unknown {
  const bytes = value as { type?: string; data?: number[] } | null;
  if (bytes?.type === 'Buffer' && Array.isArray(bytes.data)) return Buffer.from(bytes.data).toString('utf8');
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value;
}

function filesIn(folder: string): Hay[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => ({ place: `file ${file}`, text: readFileSync(file, 'latin1') }));
}
