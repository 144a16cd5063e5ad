import { appendFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCounter } from '../../infra/witness/counter.ts';
import { openFolder, type WitnessFolder } from '../../infra/witness/folder.ts';
import { appendTakenAway, readTakenAway, tailOf, type Tail } from '../../infra/witness/taken-away.ts';

const keys = { blindIndex: (kind: string, value: string) => `${kind} of ${value}` };
const FIRST = 'taken-away-2026-01.jsonl';
const SECOND = 'taken-away-2026-02.jsonl';
const START = { lines: 0, hash: null };

let folder: WitnessFolder;
beforeEach(async () => {
  folder = openFolder(await mkdtemp(join(tmpdir(), 'witness-')));
});
afterEach(() => rm(folder.path, { recursive: true }));

const rowOf = (seq: number, day: string) =>
  ({ seq, kind: 'key', subject: `key_${seq}`, at: `${day}T10:00:00.000Z` }) as const;

const count = (taken: Tail) =>
  writeCounter(folder, {
    deployment: 'here',
    begun: '2026-01-01T00:00:00.000Z',
    counter: 7,
    at: '2026-02-03T10:01:00.000Z',
    taken,
  });

/** Two lines in January, and one in February. */
async function filled(): Promise<Tail> {
  const rows = [rowOf(1, '2026-01-30'), rowOf(2, '2026-01-31')];
  const january = await appendTakenAway(folder, keys, { rows, tail: START, now: new Date('2026-01-31') });
  const late = { rows: [rowOf(3, '2026-02-03')], tail: january, now: new Date('2026-02-03') };
  const tail = await appendTakenAway(folder, keys, late);
  await count(tail);
  return tail;
}

const read = async (since = '2026-01-01') => {
  const { lines, ...found } = await readTakenAway(folder, { since: new Date(since) });
  const seqs: number[] = [];
  for await (const { seq } of lines) seqs.push(seq);
  return { ...found, seqs };
};

test('the list shows what was taken away since a time, by keyed hash, over months', async () => {
  await filled();
  expect(await read('2026-01-31')).toEqual({ whole: true, until: new Date('2026-02-03T10:01:00.000Z'), seqs: [2, 3] });
  const text = await readFile(join(folder.path, SECOND), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ seq: 3, kind: 'key', subject: 'taken away of key_3' });
});

test('a new folder has no whole list, and one whose counter stands has an empty one', async () => {
  expect(await read()).toMatchObject({ whole: false, seqs: [] });
  await count(START);
  expect(await read()).toMatchObject({ whole: true, seqs: [] });
});

test('a list that begins after the time is not whole', async () => {
  await filled();
  expect(await read('2025-12-31')).toMatchObject({ whole: false, seqs: [1, 2, 3] });
});

test.each([
  ['a changed line', () => edit(FIRST, (text) => text.replace('key_1', 'key_9'))],
  ['a line left out', () => edit(FIRST, (text) => text.slice(text.indexOf('\n') + 1))],
  ['a line left out at the end', () => edit(SECOND, () => '')],
  ['a file left out', () => rename(join(folder.path, FIRST), join(folder.path, 'elsewhere'))],
  ['a forged line', () => appendFile(join(folder.path, FIRST), '{"seq":9}\n')],
  ['a counter of another list', () => count({ lines: 3, hash: 'other' })],
  ['a broken counter', () => writeFile(join(folder.path, 'counter.json'), '{')],
])('%s makes a list that is not whole', async (_, change) => {
  await filled();
  await change();
  expect(await read()).toMatchObject({ whole: false, fault: expect.any(String) as string });
});

test('a part of a last line is no line: readers leave it out, and the next writer removes it', async () => {
  const tail = await filled();
  await appendFile(join(folder.path, SECOND), '{"seq":4,"kin');
  expect(await read()).toMatchObject({ whole: true, seqs: [1, 2, 3] });
  expect(await tailOf(folder)).toEqual(tail);
  const rows = [rowOf(4, '2026-02-04')];
  await count(await appendTakenAway(folder, keys, { rows, tail, now: new Date('2026-02-04') }));
  expect(await read()).toMatchObject({ whole: true, seqs: [1, 2, 3, 4] });
});

test('a crash at the first line of a month loses nothing', async () => {
  const tail = await filled();
  await appendFile(join(folder.path, 'taken-away-2026-03.jsonl'), '{"line":4');
  expect(await tailOf(folder)).toEqual(tail);
  await count(
    await appendTakenAway(folder, keys, { rows: [rowOf(4, '2026-03-01')], tail, now: new Date('2026-03-01') }),
  );
  expect(await read()).toMatchObject({ whole: true, seqs: [1, 2, 3, 4] });
});

test('a clock that goes back does not change the order of lines', async () => {
  const tail = await filled();
  await count(
    await appendTakenAway(folder, keys, { rows: [rowOf(4, '2026-01-31')], tail, now: new Date('2026-01-31') }),
  );
  expect(await read()).toMatchObject({ whole: true, seqs: [1, 2, 3, 4] });
});

async function edit(name: string, change: (text: string) => string): Promise<void> {
  const file = join(folder.path, name);
  await writeFile(file, change(await readFile(file, 'utf8')));
}
