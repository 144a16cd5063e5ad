/** Payments that are the same in everything, and the bookings that each of them could be. */
export interface Alike {
  /** The same for payments that differ only in their days. */
  kind: string;
  /** Ids of payments and bookings, each in a fixed order. */
  payments: readonly string[];
  bookings: readonly string[];
}

export interface Assigned {
  /** The booking of each payment that has one. */
  taken: ReadonlyMap<string, string>;
  /** The bookings that a payment without one could still be. */
  left: ReadonlyMap<string, readonly string[]>;
}

/**
 * Gives a booking to each payment for which only one is possible, until nothing changes. Nothing is guessed: as many payments as
 * bookings share them, unless other payments need the same ones.
 */
export function assign(sets: readonly Alike[]): Assigned {
  const taken = new Map<string, string>();
  let open = sets.filter(({ payments, bookings }) => payments.length > 0 && bookings.length > 0);
  for (;;) {
    const pools = poolsOf(open);
    const claims = claimsOn(pools);
    const certain = apart(
      pools.filter((pool) => isCertain(pool, claims)),
      claims,
    );
    if (certain.length === 0) return { taken, left: leftOf(open) };
    for (const { payments, bookings } of certain) {
      for (const [index, booking] of bookings.entries()) taken.set(payments[index]!, booking);
    }
    const gone = new Set(taken.values());
    open = open
      .map(({ kind, payments, bookings }) => ({
        kind,
        payments: payments.filter((payment) => !taken.has(payment)),
        bookings: bookings.filter((booking) => !gone.has(booking)),
      }))
      .filter(({ payments, bookings }) => payments.length > 0 && bookings.length > 0);
  }
}

/** Payments of one kind that could be the same bookings. */
interface Pool extends Alike {
  /** Whether they have the same days too. */
  isOneSet: boolean;
}

type Claims = ReadonlyMap<string, readonly Pool[]>;

function poolsOf(open: readonly Alike[]): Pool[] {
  const grouped = Map.groupBy(open, ({ kind, bookings }) => JSON.stringify([kind, bookings]));
  return [...grouped.values()].map((sets) => ({
    kind: sets[0]!.kind,
    payments: sets.flatMap(({ payments }) => payments),
    bookings: sets[0]!.bookings,
    isOneSet: sets.length === 1,
  }));
}

function claimsOn(pools: readonly Pool[]): Claims {
  const claims = new Map<string, Pool[]>();
  for (const pool of pools) {
    for (const booking of pool.bookings) {
      const claiming = claims.get(booking);
      if (claiming) claiming.push(pool);
      else claims.set(booking, [pool]);
    }
  }
  return claims;
}

function rivalsOf(pool: Pool, claims: Claims): Set<Pool> {
  const rivals = new Set(pool.bookings.flatMap((booking) => claims.get(booking)!));
  rivals.delete(pool);
  return rivals;
}

/** If two would take the same booking, there are fewer bookings than payments, and neither takes any. */
function apart(pools: readonly Pool[], claims: Claims): Pool[] {
  const all = new Set(pools);
  return pools.filter((pool) => ![...rivalsOf(pool, claims)].some((rival) => all.has(rival)));
}

function isCertain(pool: Pool, claims: Claims): boolean {
  const { payments, bookings, isOneSet } = pool;
  if (bookings.length > payments.length) return false;
  const rivals = rivalsOf(pool, claims);
  // Which of the same payments waits for its booking makes no difference.
  if (bookings.length < payments.length) return isOneSet && rivals.size === 0;
  const mine = new Set(bookings);
  return ![...rivals].some((rival) => rival.bookings.every((booking) => mine.has(booking)));
}

function leftOf(open: readonly Alike[]): Map<string, readonly string[]> {
  return new Map(open.flatMap(({ payments, bookings }) => payments.map((payment) => [payment, bookings] as const)));
}
