import ipaddr from 'ipaddr.js';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '../../domain/errors.ts';
import type { LimitsConfig } from '../config/index.ts';
import type { Queries } from '../db/connection.ts';
import type { Query } from '../db/query.ts';
import type { Tx } from '../db/transaction.ts';
import type { Keys } from '../keys/index.ts';

export type LimitName = keyof ReturnType<typeof limitsOf>;

type AddressLimit = 'credentials' | 'tokens' | 'vault-refusals';

/** Each count is stored at once, so that no rollback undoes it. Stores only a keyed hash of `who`. */
export interface Limits {
  /** Counts an attempt. @throws DomainError `rate-limited` if the attempt exceeds the limit. */
  take(name: LimitName, who: string): Promise<void>;
  /** Counts an attempt from an IP address, for IPv6 from its /64 network and from its /48 network (`SITE_SHARE`). */
  takeFrom(name: AddressLimit, address: string, operation: string): Promise<void>;
  /** Does not count. @throws DomainError `rate-limited` if the next attempt would exceed the limit. */
  check(name: LimitName, who: string): Promise<void>;
  /** The same limits, counted in a transaction, which so needs no second connection. A rollback undoes the counts. */
  within(tx: Tx): LimitsWithin;
}

export type LimitsWithin = Pick<Limits, 'take' | 'check'>;

const MINUTE_S = 60;
const HOUR_S = 3_600;

/** A provider may assign a customer a whole /48, which counts as this many /64 networks. */
const SITE_SHARE = 8;

/** `points` is the number of attempts in `duration` seconds. */
function limitsOf(config: LimitsConfig) {
  const perMinute = (points: number, message: string) => ({ points, duration: MINUTE_S, message });
  const { credentialsPerMinute, tokensPerMinute, failedLoginWindowS: duration } = config;
  const [fromAddress, fromSite] = ['came from this IP address', 'came from this network'];
  const unproven = 'Too many requests without a valid certificate and API key';
  const mails = { points: config.resetMailsPerHour, duration: HOUR_S, message: 'Too many emails were requested' };
  return {
    credentials: perMinute(credentialsPerMinute, `Too many requests ${fromAddress}`),
    'credentials of a site': perMinute(SITE_SHARE * credentialsPerMinute, `Too many requests ${fromSite}`),
    tokens: perMinute(tokensPerMinute, `Too many requests ${fromAddress}`),
    'tokens of a site': perMinute(SITE_SHARE * tokensPerMinute, `Too many requests ${fromSite}`),
    'vault-refusals': perMinute(tokensPerMinute, `${unproven} ${fromAddress}`),
    'vault-refusals of a site': perMinute(SITE_SHARE * tokensPerMinute, `${unproven} ${fromSite}`),
    'failed-logins': {
      points: config.failedLogins,
      duration,
      message: 'Too many sign-ins to this account from this network have failed',
    },
    'failed-logins-everywhere': {
      points: config.failedLoginsEverywhere,
      duration,
      message: 'Too many sign-ins to this account have failed',
    },
    'vault-answers': {
      points: config.vaultWrongAnswers,
      duration: HOUR_S,
      message: 'Too many wrong values were tried for this reference',
    },
    'reset-mails': mails,
    'change-mails': mails,
    'proof-mails': mails,
  };
}

export function openLimits(
  config: LimitsConfig,
  { db, keys }: { db: Pick<Queries, 'many'>; keys: Pick<Keys, 'blindIndex'> },
): Limits {
  const limits = limitsOf(config);
  const keyOf = (who: string) => keys.blindIndex('rate limit', who);
  const countedIn = (queries: Pick<Queries, 'many'>): LimitsWithin => {
    const limiterOf = (name: LimitName) => limiterOn(queries, name, limits[name]);
    return {
      async take(name, who) {
        try {
          await limiterOf(name).consume(keyOf(who));
        } catch (refused) {
          throw refused instanceof RateLimiterRes ? tooMany(limits[name], refused) : refused;
        }
      },
      async check(name, who) {
        const found = await limiterOf(name).get(keyOf(who));
        if (found && found.consumedPoints >= limits[name].points) throw tooMany(limits[name], found);
      },
    };
  };
  const counted = countedIn(db);
  return {
    ...counted,
    async takeFrom(name, address, operation) {
      const group = addressGroup(address);
      await counted.take(name, `${operation} ${group}`);
      // Only IPv6 networks contain colons. The first three of the four parts are the /48 network.
      if (group.includes(':')) await counted.take(`${name} of a site`, `${operation} ${group.replace(/:\w+$/, '')}`);
    },
    within: countedIn,
  };
}

type Limit = ReturnType<typeof limitsOf>[LimitName];

function limiterOn(db: Pick<Queries, 'many'>, keyPrefix: LimitName, { points, duration }: Limit) {
  const storeClient = {
    async query({ name, text, values }: Omit<Query, 'preparedAs'>) {
      const rows = await db.many({ name, preparedAs: name, text, values });
      return { rows, rowCount: rows.length };
    },
  };
  return new RateLimiterPostgres({
    ...{ points, duration, keyPrefix, storeClient },
    storeType: 'client',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
  });
}

function tooMany({ message, points: limit, duration: window }: Limit, { msBeforeNext }: RateLimiterRes) {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  const detail = `${message}. Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`;
  return new DomainError('rate-limited', detail, { retry_after: seconds, limit, window });
}

/** For IPv6, returns the /64 network, because a provider assigns no smaller one. */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}
