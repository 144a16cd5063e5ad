import { openServices } from '../../infra/services.ts';
import { inOwnProcess, loadAccepted } from './load.ts';
import type { AloneJob } from './load-alone.ts';
import type { RouteJob } from './load-routes.ts';
import type { RouteLoad } from './statistics.ts';
import { middle, progress, told, type Part, type Row } from './report.ts';
import { seedUsers } from './seed.ts';
import { residentMb, withStack, type BenchStack } from './stack.ts';
import { median } from './statistics.ts';

const ACCOUNTS = 100;
const AT_ONCE = 16;
const ROUNDS = 3;
const SECONDS = 6;
const WARM_UP_SECONDS = 2;
const OTHERS_PER_SECOND = 40;
const OTHERS_SECONDS = 12;
/** While all cores hash passwords, other requests may be at most this many times slower. */
const MOST_SLOWER = 10;
// All sign-ins come from one IP address.
const UNLIMITED = '1000000';

interface Bench {
  signIn: (seconds: number, atOnce: number) => Promise<RouteLoad>;
  hash: (seconds: number, atOnce: number) => Promise<RouteLoad>;
  others: () => Promise<RouteLoad>;
  memoryMb: () => number;
}

/** Also measures other requests while sign-ins use all cores. */
export async function benchSignIn(profileDir?: string): Promise<Part> {
  return withStack({ temporal: false, profileDir }, async (stack) => measure(await prepare(stack)));
}

async function prepare(stack: BenchStack): Promise<Bench> {
  const { config } = stack;
  const services = await openServices({ ...config, logLevel: 'silent' }, 'bench');
  const cast = await seedUsers(services, ACCOUNTS).finally(() => services.close());
  const api = await stack.start('api', { LIMIT_CREDENTIALS_PER_MINUTE: UNLIMITED });
  const { publicUrl: url, tls } = config.api;
  const job: Omit<RouteJob, 'route' | 'seconds'> = {
    kind: 'route',
    url,
    ca: tls.ca,
    client: { cert: '', key: '' },
    cast,
  };
  const hash: Omit<AloneJob, 'atOnce' | 'seconds'> = {
    kind: 'alone',
    what: 'password hash',
    passwords: config.passwords,
  };
  return {
    signIn: (seconds, connections) => loadAccepted({ ...job, route: 'sign-in', seconds, connections }),
    hash: (seconds, atOnce) => inOwnProcess({ ...hash, atOnce, seconds }),
    others: () =>
      loadAccepted({ ...job, route: 'auth/me of a user', seconds: OTHERS_SECONDS, rate: OTHERS_PER_SECOND }),
    memoryMb: () => residentMb(api),
  };
}

async function measure({ signIn, hash, others, memoryMb }: Bench): Promise<Part> {
  await signIn(WARM_UP_SECONDS, AT_ONCE);
  const rows: Row[] = [];
  for (const atOnce of [AT_ONCE, 1]) {
    const [hashes, signIns]: [RouteLoad[], RouteLoad[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      hashes.push(await hash(SECONDS, atOnce));
      signIns.push(await signIn(SECONDS, atOnce));
      progress(`${atOnce} at once, round ${round + 1} of ${ROUNDS}`);
    }
    rows.push(...rowsOf(atOnce, { hashes, signIns, memoryMb: memoryMb() }));
  }
  await others();
  const idle = await others();
  const signingIn = signIn(OTHERS_SECONDS + 2, AT_ONCE);
  const busy = await others();
  const { perSecond } = await signingIn;
  const slower = busy.p99Ms / idle.p99Ms;
  rows.push({ what: 'auth/me, with nothing else to do', ...told(idle) });
  rows.push({
    what: `auth/me, while ${AT_ONCE} sign in over and over`,
    ...told(busy),
    value: `beside ${perSecond.toFixed(1)} sign-ins a second`,
    ratio: slower,
    against: 'its idle p99',
    target: `p99 <= ${MOST_SLOWER} of idle`,
    met: slower <= MOST_SLOWER,
  });
  return {
    name: 'sign-in',
    setting: `${ACCOUNTS} accounts, median of ${ROUNDS} rounds of ${SECONDS} s that take turns; the hash alone with the cost and the queue of the service; then ${OTHERS_PER_SECOND} requests a second of others for ${OTHERS_SECONDS} s. The limit per address is set high: all come from one.`,
    rows,
  };
}

interface Loads {
  hashes: readonly RouteLoad[];
  signIns: readonly RouteLoad[];
  memoryMb: number;
}

function rowsOf(atOnce: number, { hashes, signIns, memoryMb }: Loads): Row[] {
  // The machine's speed varies between rounds, so the speeds of each round are compared.
  const ratio = median(signIns.map(({ perSecond }, round) => perSecond / hashes[round]!.perSecond));
  return [
    { what: `password hash alone, ${atOnce} at once`, ...told(middle(hashes)) },
    {
      what: `sign-in, ${atOnce} at once`,
      ...told(middle(signIns)),
      value: `API ${memoryMb.toFixed(0)} MB`,
      ratio,
      against: 'the hash alone',
    },
  ];
}
