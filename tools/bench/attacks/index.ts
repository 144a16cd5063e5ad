import { setTimeout as sleep } from 'node:timers/promises';
import { progress, type Part, type Row } from '../report.ts';
import { withStack } from '../stack.ts';
import { ATTACKS, uploadOf, type Attack } from './catalogue.ts';
import type { Outcomes, RawRequest } from './connections.ts';
import { sendSlowly, visit, type Waits } from './honest.ts';
import { prepareStage, type Stage, type StageOptions } from './stage.ts';

const IDLE_MS = 3_000;
const REST_MS = 2_000;
const ME_EVERY_MS = 50;
const OTHER_EVERY_MS = 500;
const PAGE_EVERY_MS = 1_000;
const PAGE_REQUESTS = 20;
const PHONE_FILE_BYTES = 5_000_000;
const PHONE_BYTES_PER_SECOND = 50_000;

/** What the attackers send, one attack after the other, while honest persons use the service. */
export async function benchAttacks(options: StageOptions): Promise<Part> {
  return withStack({ temporal: true }, async (stack) => {
    const stage = await prepareStage(stack, options);
    try {
      return await measure(stage, options);
    } finally {
      await stage.stop();
    }
  });
}

const me = ({ call }: Stage, token: string) => call(token, { method: 'GET', path: '/api/v1/auth/me' });

async function measure(stage: Stage, { memoryMb, front }: StageOptions): Promise<Part> {
  const { address, honest, tokens, ids, call } = stage;
  const idle = visit(address, { from: honest.visitor, call: me(stage, tokens.visitor), everyMs: ME_EVERY_MS });
  await sleep(IDLE_MS);
  const rows: Row[] = [{ what: 'auth/me, nothing else to do', ...shown(await idle.stop()) }];
  const file = Buffer.alloc(PHONE_FILE_BYTES, '%PDF-1.4\n');
  const phone = sendSlowly(address, {
    ...{
      from: honest.phone,
      call: call(tokens.phone, uploadOf(ids.phone, file)),
      bytesPerSecond: PHONE_BYTES_PER_SECOND,
    },
  }).catch((error: unknown) => ({ status: String(error), seconds: 0 }));
  const pages = household(stage);
  for (const attack of ATTACKS) {
    progress(attack.what);
    rows.push(...(await suffer(stage, attack)));
    if (!stage.isAlive()) await stage.restart();
    await sleep(REST_MS);
  }
  rows.push({
    what: 'a page of 20 requests of a household behind one address, each second',
    ...shown(await pages.stop()),
  });
  const { status, seconds } = await phone;
  rows.push({ what: 'a phone that sends 5 MB at 50 KB/s', value: `${status} after ${seconds.toFixed(0)} s` });
  return {
    name: 'attacks',
    setting: `production settings, the API ${front ? 'behind nginx, ' : ''}limited to ${memoryMb} MB, honest persons at other addresses meanwhile`,
    rows,
  };
}

async function suffer(stage: Stage, attack: Attack): Promise<Row[]> {
  const { address, honest, tokens } = stage;
  const visitor = visit(address, { from: honest.visitor, call: me(stage, tokens.visitor), everyMs: ME_EVERY_MS });
  const other =
    attack.other && visit(address, { from: honest.other, call: attack.other(stage), everyMs: OTHER_EVERY_MS });
  const outcomes = await attack.run(stage);
  const waits = await visitor.stop();
  const rows: Row[] = [
    {
      what: attack.what,
      ...shown(waits, `attackers: ${told(outcomes)}; ${stateOf(stage)}`),
    },
  ];
  if (other) rows.push({ what: '  the other', ...shown(await other.stop()) });
  return rows;
}

function stateOf(stage: Stage): string {
  return stage.isAlive() ? `most memory so far ${stage.mostMb().toFixed(0)} MB` : 'THE API WAS KILLED';
}

function household(stage: Stage) {
  const { address, honest, tokens } = stage;
  const page: RawRequest = me(stage, tokens.household);
  const visits = Array.from({ length: PAGE_REQUESTS }, () =>
    visit(address, { from: honest.household, call: page, everyMs: PAGE_EVERY_MS }),
  );
  return {
    async stop(): Promise<Waits> {
      const all = await Promise.all(visits.map((each) => each.stop()));
      const most = (figure: keyof Waits) => Math.max(...all.map((each) => each[figure]));
      return {
        count: all.reduce((sum, { count }) => sum + count, 0),
        failed: all.reduce((sum, { failed }) => sum + failed, 0),
        ...{ p50Ms: most('p50Ms'), p95Ms: most('p95Ms'), mostMs: most('mostMs') },
      };
    },
  };
}

function shown({ count, failed, p50Ms, p95Ms, mostMs }: Waits, more?: string): Omit<Row, 'what'> {
  const value = `longest ${mostMs.toFixed(0)} ms, ${failed} of ${count} failed${more === undefined ? '' : `; ${more}`}`;
  return { p50Ms, p95Ms, value };
}

function told(outcomes: Outcomes): string {
  return Object.entries(outcomes)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
}
