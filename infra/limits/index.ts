import ipaddr from 'ipaddr.js';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '../../domain/errors.ts';
import type { LimitsConfig } from '../config.ts';
import type { Queries } from '../db/connection.ts';
import type { Query } from '../db/query.ts';
import type { Tx } from '../db/transaction.ts';
import type { Keys } from '../keys/index.ts';

export type LimitName =
  | AddressLimit
  | `${AddressLimit} of a site`
  | 'failed-logins'
  | 'failed-logins-everywhere'
  | 'vault-answers'
  | 'reset-mails'
  | 'change-mails'
  | 'proof-mails';

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

interface Quota {
  points: number;
  /** Seconds. */
  duration: number;
}

const MINUTE_S = 60;
const HOUR_S = 3_600;

/** A provider may assign a customer a whole /48, which counts as this many /64 networks. */
const SITE_SHARE = 8;

export function openLimits(
  config: LimitsConfig,
  { db, keys }: { db: Pick<Queries, 'many'>; keys: Pick<Keys, 'blindIndex'> },
): Limits {
  const quotas: Readonly<Record<LimitName, Quota>> = {
    credentials: { points: config.credentialsPerMinute, duration: MINUTE_S },
    'credentials of a site': { points: SITE_SHARE * config.credentialsPerMinute, duration: MINUTE_S },
    tokens: { points: config.tokensPerMinute, duration: MINUTE_S },
    'tokens of a site': { points: SITE_SHARE * config.tokensPerMinute, duration: MINUTE_S },
    'failed-logins': { points: config.failedLogins, duration: config.failedLoginWindowS },
    'failed-logins-everywhere': { points: config.failedLoginsEverywhere, duration: config.failedLoginWindowS },
    'vault-refusals': { points: config.tokensPerMinute, duration: MINUTE_S },
    'vault-refusals of a site': { points: SITE_SHARE * config.tokensPerMinute, duration: MINUTE_S },
    'vault-answers': { points: config.vaultWrongAnswers, duration: HOUR_S },
    'reset-mails': { points: config.resetMailsPerHour, duration: HOUR_S },
    'change-mails': { points: config.resetMailsPerHour, duration: HOUR_S },
    'proof-mails': { points: config.resetMailsPerHour, duration: HOUR_S },
  };
  const keyOf = (who: string) => keys.blindIndex('rate limit', who);
  const countedIn = (queries: Pick<Queries, 'many'>): LimitsWithin => {
    const limiterOf = limitersOn(queries, quotas);
    return {
      async take(name, who) {
        try {
          await limiterOf(name).consume(keyOf(who));
        } catch (refused) {
          throw refused instanceof RateLimiterRes ? tooMany(name, quotas[name], refused) : refused;
        }
      },
      async check(name, who) {
        const found = await limiterOf(name).get(keyOf(who));
        if (found && found.consumedPoints >= quotas[name].points) throw tooMany(name, quotas[name], found);
      },
    };
  };
  const { take, check } = countedIn(db);
  return {
    take,
    check,
    async takeFrom(name, address, operation) {
      const group = addressGroup(address);
      await take(name, `${operation} ${group}`);
      // Only IPv6 networks contain colons. The first three of the four parts are the /48 network.
      if (group.includes(':')) await take(`${name} of a site`, `${operation} ${group.replace(/:\w+$/, '')}`);
    },
    within: countedIn,
  };
}

/** Makes each limiter when it is first used. */
function limitersOn(db: Pick<Queries, 'many'>, quotas: Readonly<Record<LimitName, Quota>>) {
  const storeClient = {
    async query({ name, text, values }: { name: string; text: string; values: unknown[] }) {
      const query: Query = { name, preparedAs: name, text, values };
      const rows = await db.many(query);
      return { rows, rowCount: rows.length };
    },
  };
  const made = new Map<LimitName, RateLimiterPostgres>();
  return (name: LimitName): RateLimiterPostgres => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const fresh = new RateLimiterPostgres({
      ...quotas[name],
      keyPrefix: name,
      storeClient,
      storeType: 'client',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
    });
    made.set(name, fresh);
    return fresh;
  };
}

const MESSAGES: Readonly<Record<LimitName, string>> = {
  credentials: 'Too many requests came from this IP address',
  'credentials of a site': 'Too many requests came from this network',
  tokens: 'Too many requests came from this IP address',
  'tokens of a site': 'Too many requests came from this network',
  'failed-logins': 'Too many sign-ins to this account from this network have failed',
  'failed-logins-everywhere': 'Too many sign-ins to this account have failed',
  'vault-refusals': 'Too many requests without a valid certificate and API key came from this IP address',
  'vault-refusals of a site': 'Too many requests without a valid certificate and API key came from this network',
  'vault-answers': 'Too many wrong values were tried for this reference',
  'reset-mails': 'Too many emails were requested',
  'change-mails': 'Too many emails were requested',
  'proof-mails': 'Too many emails were requested',
};

function tooMany(name: LimitName, { points, duration }: Quota, left: RateLimiterRes) {
  const seconds = Math.max(1, Math.ceil(left.msBeforeNext / 1_000));
  return new DomainError(
    'rate-limited',
    `${MESSAGES[name]}. Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
    {
      retry_after: seconds,
      limit: points,
      window: duration,
    },
  );
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
