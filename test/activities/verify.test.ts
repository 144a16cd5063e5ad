import { mkdtempSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { audit } from '../../activities/audit.ts';
import { AUDIT } from '../../activities/verify/audit.ts';
import { chainsBehind } from '../../activities/verify/checkpoints.ts';
import { compareChains } from '../../activities/restore/chains.ts';
import { dismissRestore } from '../../activities/restore/dismiss.ts';
import { verify } from '../../activities/verify/index.ts';
import { checkpointIfDue, recordVerified, startCheckpoints } from '../../activities/verify/loop.ts';
import { verifyActivities } from '../../activities/verify/nightly.ts';
import { SLICES, type Scope } from '../../activities/verify/part.ts';
import { SCHEMA } from '../../activities/verify/schema.ts';
import { makeCheckpoint } from '../../activities/verify/witness.ts';
import { createCheckpointKey, readCheckpointKey } from '../../infra/witness/checkpoint-key.ts';
import { newestSigned, writeCheckpoint } from '../../infra/witness/checkpoint.ts';
import { openFolder } from '../../infra/witness/folder.ts';
import type { Services } from '../../infra/services.ts';
import { adminOf } from '../helpers/admin.ts';
import { inDatabase, openTestServices, withDatabase } from '../helpers/database.ts';
import { fund } from '../helpers/money.ts';
import { ownerSql } from '../helpers/owner.ts';

const EVERYTHING: Scope = {
  all: true,
  slice: 0,
  verified: {},
  upto: { audit: 0, ledger: 0 },
  since: '2026-01-01T00:00:00Z',
};
const root = mkdtempSync(join(tmpdir(), 'checkpoints-'));
afterAll(() => rmSync(root, { recursive: true }));

const event = (services: Services, subject: string) =>
  audit(services.db, services, { subject, kind: 'clock.moved', actor: 'test', data: {} });
const written = (services: Services) => makeCheckpoint(services, { verified: {} });
const textOf = (place: string, number: number) => join(place, `checkpoint-00000${number}.jsonl`);

interface Stage {
  services: Services;
  place: string;
  sql(...texts: string[]): Promise<void>;
}

/** A database with money, chains of one to three events, and three checkpoints. */
function staged(work: (stage: Stage) => Promise<void>) {
  return inDatabase(async ({ url }) => {
    const place = mkdtempSync(join(root, 'one-'));
    const env = { CHECKPOINTS: place, CHECKPOINT_KEY: join(root, 'checkpoint.key') };
    const services = await openTestServices(url, { env });
    try {
      await fund(services, 'saver', 5_000, { caused: true });
      for (const subjects of [['short', 'short', 'whole'], ['short', 'gone'], ['whole']]) {
        for (const subject of subjects) await event(services, subject);
        expect(await written(services)).toMatchObject({ heads: expect.any(Number) as number });
      }
      const sql = async (...texts: string[]) => {
        for (const text of texts) await ownerSql(services, text);
      };
      await work({ services, place, sql });
    } finally {
      await services.close();
    }
  });
}

async function faultsOf(services: Services): Promise<string[]> {
  const { parts } = await verify(services, { all: true });
  return [...new Set(parts.flatMap(({ part, faults }) => faults.map(({ what }) => `${part}: ${what}`)))];
}

const OFF = ['audit_events', 'audit_heads'].map((table) => `alter table ${table} disable trigger user`);
const ON = OFF.map((text) => text.replace('disable', 'enable'));
const REWRITE = [
  `update audit_events e set data = '{"amount": 1}' where subject = 'whole' and subject_seq = 1`,
  `update audit_events e set hash = audit_hash(e) where subject = 'whole' and subject_seq = 1`,
  `update audit_events e set previous_hash = (select hash from audit_events p where p.subject = 'whole' and p.subject_seq = 1)
    where subject = 'whole' and subject_seq = 2`,
  `update audit_events e set hash = audit_hash(e) where subject = 'whole' and subject_seq = 2`,
  `update audit_heads h set hash = (select hash from audit_events e where e.subject = 'whole' and subject_seq = 2) where subject = 'whole'`,
];
const SHORTER = [
  `delete from audit_events where subject = 'short' and subject_seq = 3`,
  `update audit_heads h set subject_seq = 2, hash = (select hash from audit_events e where e.subject = 'short' and subject_seq = 2)
    where subject = 'short'`,
];
const GONE = [`delete from audit_events where subject = 'gone'`, `delete from audit_heads where subject = 'gone'`];
const SWAPPED = `create or replace function ledger_balance_only_by_entry() returns trigger language plpgsql as $$
begin
  return null;
end $$`;

const checkpoint = {
  shorter: 'checkpoints: chain is shorter than its checkpoint, or is gone',
  other: 'checkpoints: chain was rewritten after its checkpoint',
};
const AS_OWNER: readonly [what: string, by: string[], found: string[]][] = [
  ['a shortened chain', [...OFF, ...SHORTER, ...ON], [checkpoint.shorter]],
  ['a dropped subject', [...OFF, ...GONE, ...ON], [checkpoint.shorter]],
  ['a chain rewritten with the same length', [...OFF, ...REWRITE, ...ON], [checkpoint.other]],
  [
    'a changed event',
    [...OFF, `update audit_events set actor = 'me' where subject = 'whole' and subject_seq = 1`, ...ON],
    ['audit: its content does not match its hash'],
  ],
  [
    'an event whose number no checkpoint covers',
    [
      ...OFF,
      `insert into audit_events (event_id, seq, subject, subject_seq, kind, actor, data, previous_hash, hash, created_at)
         values ('evt_f', -1, 'forged', 1, 'clock.moved', 'me', '{}', '', 'x', now())`,
      `insert into audit_heads values ('forged', 1, 'x')`,
      ...ON,
    ],
    ['audit: its number was never given out'],
  ],
  [
    'an event without its successor',
    [...OFF, SHORTER[0]!, ...ON],
    ['audit: an event after it is missing', 'audit: the last event of a chain is missing', checkpoint.shorter],
  ],
  [
    'a changed balance',
    [
      'alter table ledger_accounts disable trigger user',
      `update ledger_accounts set balance = balance + 1 where kind = 'vault'`,
    ],
    [
      'ledger: balance is not the sum of its entries',
      'ledger: vault is not the sum of its lots',
      'ledger: owner does not add up to nothing',
      'schema: trigger is switched off',
    ],
  ],
];

const IN_SCHEMA: readonly [what: string, by: string[], found: string[]][] = [
  ['a swapped function', [SWAPPED], ['function differs from its file']],
  [
    'a definer function that trusts its caller’s path',
    ['alter function audit_append reset search_path'],
    ['function differs from its file'],
  ],
  [
    'a function of the schema’s owner',
    ['alter function refuse_change security definer', 'revoke execute on function refuse_change from public'],
    ['function differs from its file'],
  ],
  [
    'another function',
    [`create function lever() returns int language sql as 'select 1'`],
    ['function that no file names'],
  ],
  [
    'a function with the name of another',
    [`create function document_notifies(p_x int) returns int language sql as 'select 1'`],
    ['function differs from its file', 'function exists twice'],
  ],
  ['a removed trigger', ['drop trigger payment_moves_forward on payments'], ['trigger is missing']],
  [
    'a trigger that fires for replicas only',
    ['alter table vaults enable replica trigger vault_stays'],
    ['trigger is switched off'],
  ],
  [
    'a trigger with another condition',
    [
      `create or replace trigger audit_head_starts before insert on audit_heads
         for each row when (new.subject_seq <> 2) execute function audit_head_stays()`,
    ],
    ['trigger differs from its file'],
  ],
  [
    'another trigger',
    ['create trigger lever before insert on payments for each row execute function payment_notifies()'],
    ['trigger that no file names'],
  ],
  [
    'a removed constraint',
    ['alter table ledger_entries drop constraint ledger_entries_not_nothing'],
    ['constraint is missing'],
  ],
  [
    'a constraint with another condition',
    [
      'alter table payments drop constraint payments_amount',
      'alter table payments add constraint payments_amount check (amount <> 0)',
    ],
    ['constraint differs from its file'],
  ],
  ['a unique index that is gone', ['drop index restores_open'], ['constraint is missing']],
  ['rights on a guarded table', ['grant insert on ledger_entries to public'], ['public may INSERT']],
  [
    'a definer function for everybody',
    ['grant execute on function ledger_move to public'],
    ['function of its owner that others may call'],
  ],
  ['a rule', ['create rule lever as on insert to mail_messages do also nothing'], ['rule on a table']],
];

test('verify finds nothing in a sound database, and says what it checked', () =>
  staged(async ({ services }) => {
    const { ok, parts } = await verify(services, { all: true });
    expect(parts.flatMap(({ faults }) => faults)).toEqual([]);
    const checked = parts.filter((one) => one.checked > 0).map(({ part }) => part);
    expect([ok, checked]).toEqual([true, expect.arrayContaining(['ledger', 'audit', 'schema', 'checkpoints'])]);
  }));

test.each(AS_OWNER)('verify finds %s, made by the owner of the schema', (_what, by, found) =>
  staged(async ({ services, sql }) => {
    await sql(...by);
    expect((await faultsOf(services)).toSorted()).toEqual(found.toSorted());
  }),
);

describe('verify finds, in the schema,', () => {
  const services = withDatabase();
  const found = async () => (await SCHEMA.find(services, EVERYTHING)).faults.map(({ what, id }) => `${what} (${id})`);
  let known: readonly string[] = [];
  beforeAll(async () => expect((known = await found())).toEqual([]));

  // Each row adds to what the rows before it changed.
  test.each(IN_SCHEMA)('%s', async (_what, by, whats) => {
    for (const text of by) await ownerSql(services, text);
    const all = await found();
    const added = all.filter((fault) => !known.includes(fault)).map((fault) => fault.replace(/ \(.*/, ''));
    known = all;
    expect(added.toSorted()).toEqual(whats.toSorted());
  });
});

const changeText = (place: string, number: number, change: (text: string) => string) =>
  writeFileSync(textOf(place, number), change(readFileSync(textOf(place, number), 'utf8')));
const CHANGED = 'checkpoints: checkpoint was changed';
const BROKEN = 'checkpoints: checkpoint does not follow the one before it';
const IN_FOLDER: readonly [what: string, by: (place: string) => unknown, found: string[]][] = [
  [
    'a forged line',
    (place) => changeText(place, 2, (text) => text.replace('"length":3', '"length":4')),
    [CHANGED, checkpoint.other],
  ],
  ['a removed line', (place) => changeText(place, 2, (text) => text.slice(text.indexOf('\n') + 1)), [CHANGED]],
  ['a line that is none', (place) => changeText(place, 1, (text) => text.replace('{', '[')), [CHANGED]],
  [
    'a checkpoint removed in the middle',
    (place) => unlinkSync(textOf(place, 2)),
    ['checkpoints: checkpoint is missing', BROKEN],
  ],
  [
    'a checkpoint under another number',
    (place) => renameSync(textOf(place, 3), textOf(place, 4)),
    ['checkpoints: checkpoint is missing', 'checkpoints: checkpoint has another number than its file'],
  ],
  [
    'a checkpoint without its signed line',
    (place) => changeText(place, 2, (text) => text.replace(/ey.*\n$/, '')),
    ['checkpoints: checkpoint has no signed line', BROKEN],
  ],
  [
    'a checkpoint signed by another key',
    async (place) => {
      await createCheckpointKey(join(place, 'other.key'));
      const folder = openFolder(place);
      const { line: _line, name: _name, heads: _heads, sha256: _sha256, ...newest } = (await newestSigned(folder))!;
      await writeCheckpoint(
        folder,
        await readCheckpointKey(join(place, 'other.key')),
        newest,
        (async function* () {})(),
      );
    },
    ['checkpoints: checkpoint is not signed by this service'],
  ],
];

test.each(IN_FOLDER)('verify finds %s', (_what, by, found) =>
  staged(async ({ services, place }) => {
    await by(place);
    expect((await faultsOf(services)).toSorted()).toEqual(found.toSorted());
  }),
);

describe('a checkpoint', () => {
  test('names the chains that changed since the one before, without their subjects', () =>
    staged(async ({ services, place }) => {
      const lines = readFileSync(textOf(place, 2), 'utf8').trimEnd().split('\n');
      const heads = lines.slice(0, -1).map((line) => JSON.parse(line) as { subject: string; length: number });
      const hashOf = (subject: string) => services.keys.blindIndex('audit subject', subject);
      expect(heads.map(({ subject, length }) => [subject, length])).toEqual([
        [hashOf('short'), 3],
        [hashOf('gone'), 1],
      ]);
      expect(await written(services)).toMatchObject({ number: 4, heads: 0 });
      expect(await makeCheckpoint(services, { onlyChanges: true })).toEqual({ not: 'unchanged' });
    }));

  test('waits for events of transactions that have not committed', () =>
    staged(async ({ services }) => {
      let made: ReturnType<typeof written> | undefined;
      await services.db.transaction(async (tx) => {
        await audit(tx, services, { subject: 'late', kind: 'clock.moved', actor: 'test', data: {} });
        await event(services, 'early');
        made = written(services);
        await new Promise((resolve) => setTimeout(resolve, 300));
      });
      expect(await made).toMatchObject({ number: 4, heads: 2 });
    }));

  test('that a crash left half written does not count, and the next replaces it', () =>
    staged(async ({ services, place }) => {
      writeFileSync(`${textOf(place, 4)}.draft`, '{"seq":1,"subj');
      await event(services, 'short');
      expect(await faultsOf(services)).toEqual([]);
      expect(await written(services)).toMatchObject({ number: 4, heads: 1 });
      expect(await faultsOf(services)).toEqual([]);
    }));

  test('is written by one process at a time', () =>
    staged(async ({ services }) => {
      const made = await Promise.all(Array.from({ length: 6 }, () => written(services)));
      const numbers = made.flatMap((one) => ('number' in one ? [one.number] : []));
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(made).toContainEqual({ not: 'busy' });
      expect(await faultsOf(services)).toEqual([]);
    }));

  test('is due each hour, and at the end if a chain has changed', () =>
    staged(async ({ services, place }) => {
      await event(services, 'short');
      await checkpointIfDue(services, openFolder(place));
      expect((await newestSigned(openFolder(place)))!.number).toBe(3);
      await startCheckpoints(services)!.stop();
      await startCheckpoints(services)!.stop();
      expect((await newestSigned(openFolder(place)))!.number).toBe(4);
    }));

  test('is not written over chains that are behind it, until an operator has finished the restore', () =>
    staged(async ({ services, place, sql }) => {
      const backupAt = new Date().toISOString();
      await new Promise((resolve) => setTimeout(resolve, 5));
      await event(services, 'lost');
      await written(services);
      await sql(
        ...OFF,
        ...['audit_events', 'audit_heads'].map((table) => `delete from ${table} where subject = 'lost'`),
        ...ON,
      );
      expect(await chainsBehind(services)).toMatchObject([
        { what: 'chain is shorter than its checkpoint, or is gone' },
      ]);
      services.restoring.alsoBy(compareChains(services));
      expect(await services.restoring.look()).toMatchObject({
        state: 'noticed',
        found: expect.stringMatching(/^1 chains of the audit log are behind the newest checkpoint/) as string,
      });
      await dismissRestore({ ...services, operator: 'ada' }, { reason: 'a test', folder: openFolder(place) });
      expect(await services.restoring.look()).toBeUndefined();
      await sql('delete from restores');
      expect(await written(services)).toEqual({ not: 'behind' });
      const states = `insert into restores (restore_id, state, noticed_at, backup_at, begun_at) values ('rst_1', 'begun', now(), '${backupAt}', now())`;
      await sql(states);
      expect(await written(services)).toEqual({ not: 'restoring' });
      await sql(`update restores set state = 'finished', ended_at = now()`);
      await event(services, 'short');
      expect(await written(services)).toMatchObject({ number: 5 });
      expect([await chainsBehind(services), await faultsOf(services)]).toEqual([[], []]);
    }));
});

test('a folder of another database is refused, although the same key signed its checkpoints', () =>
  staged(async ({ services, sql }) => {
    await sql(`update deployment set identity = 'another'`);
    expect(await faultsOf(services)).toEqual(['checkpoints: checkpoint is of another database']);
    await expect(written(services)).rejects.toThrow('is of another database: its checkpoint-000003.jsonl');
    const compared = compareChains(services)({ settledAt: null, server: undefined });
    await expect(compared).rejects.toThrow('is of another database');
  }));

test('a checkpoint that was damaged is noticed once, so that an operator can dismiss it', () =>
  staged(async ({ services, place }) => {
    const { name } = (await newestSigned(openFolder(place)))!;
    writeFileSync(join(place, name), 'damaged\n');
    services.restoring.alsoBy(compareChains(services));
    expect(await services.restoring.look()).toMatchObject({ found: expect.stringContaining(name) as string });
    await dismissRestore({ ...services, operator: 'ada' }, { reason: 'a disk', folder: openFolder(place) });
    expect(await services.restoring.look()).toBeUndefined();
  }));

test('what was made while verify ran is new to the next run', () =>
  staged(async ({ services, place }) => {
    const done = await verify(services, { all: false });
    const meanwhile = (await services.clock.real(services.db)).toISOString();
    await recordVerified(services, done);
    const { verified_at } = (await newestSigned(openFolder(place)))!;
    expect(verified_at! < meanwhile).toBe(true);
  }));

test('a restore in the table, which the owner of the schema can make up, hides no chains in silence', () =>
  staged(async ({ services, sql }) => {
    await sql(...OFF, ...REWRITE, ...ON);
    await sql(`insert into restores (restore_id, state, noticed_at, backup_at, begun_at, ended_at)
      values ('rst_forged', 'finished', now(), '1970-01-01', now(), now())`);
    expect(await written(services)).toMatchObject({ number: 4 });
    const { parts } = await verify(services, { all: true });
    expect(parts.at(-1)).toMatchObject({
      part: 'checkpoints',
      skipped: expect.stringMatching(/3 .*rst_forged/) as string,
    });
  }));

test('a nightly run counts and logs faults, and the next one starts where no fault was', () =>
  staged(async ({ services, place, sql }) => {
    await sql(...OFF, `update audit_events set actor = 'me' where subject = 'whole' and subject_seq = 1`, ...ON);
    const logged: object[] = [];
    const log = { ...services.log, error: (line: object) => logged.push(line) } as unknown as Services['log'];
    const { parts, checkpoint } = await verifyActivities({ ...services, log }).verifyByNight();
    expect(parts.filter(({ found }) => found > 0)).toMatchObject([{ part: 'audit', found: 1 }]);
    expect(logged).toMatchObject([{ part: 'audit', found: 1 }]);
    const counted = (await services.metrics.tampering.get()).values.filter(({ value }) => value > 0);
    expect(counted).toMatchObject([{ value: 1, labels: { what: 'audit' } }]);
    const { number, verified } = (await newestSigned(openFolder(place)))!;
    expect([number, Object.keys(verified).toSorted()]).toEqual([checkpoint, ['checkpoints', 'ledger']]);
  }));

test('a command prints what it checked, and fails with what it found', () =>
  staged(async ({ services, place, sql }) => {
    const { admin, reply } = adminOf(services, { CHECKPOINTS: place, CHECKPOINT_KEY: join(root, 'checkpoint.key') });
    expect(await reply('verify')).toMatchObject({ ok: true, checkpoint: 4, faults: [] });
    await sql(SWAPPED);
    const { stdout, stderr, exitCode } = await admin('verify', '--all');
    const faults = [{ part: 'schema', what: 'function differs from its file', id: 'ledger_balance_only_by_entry' }];
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([1, { ok: false, checkpoint: 5, faults }]);
    expect(stderr).toBe('Somebody changed the database, or it is damaged. Faults: 1 in schema.\n');
    expect(await adminOf(services).admin('verify')).toMatchObject({
      stdout: expect.stringContaining('CHECKPOINTS is not set') as string,
    });
  }));

test('a nightly run checks what is new, and in 28 nights each old event once', () =>
  staged(async ({ services }) => {
    const first = await verify(services, { all: false });
    await makeCheckpoint(services, { verified: first.verified });
    await event(services, 'whole');
    const { parts, verified } = await verify(services, { all: false });
    const events = verified.audit!;
    expect(parts.find(({ part }) => part === 'audit')!.checked).toBeLessThan(events + 4);
    let old = 0;
    const known = { audit: events };
    for (let slice = 0; slice < SLICES; slice += 1) {
      const scope = { ...EVERYTHING, all: false, slice, verified: known, upto: { audit: events, ledger: 0 } };
      old += (await AUDIT.find(services, scope)).checked;
    }
    const everything = await AUDIT.find(services, { ...EVERYTHING, upto: { audit: events, ledger: 0 } });
    expect(old).toBe(everything.checked);
  }));
