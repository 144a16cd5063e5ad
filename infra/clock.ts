/** Business time: pay, due and execution dates, accrual, timestamps of records. Security never uses it. */
export interface Clock {
  now(): Promise<Date>;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Promise.resolve(new Date()) };
