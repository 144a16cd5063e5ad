import { randomUUID } from 'node:crypto';
import type { BankClock } from './clock.ts';
import type { Database } from './database.ts';

export type EventType =
  | 'resource-update'
  | 'consent-authorization-revoked'
  | 'account-access-consent-linked-account-update'
  | 'domestic-vrp-consent-linked-account-update';

export interface StoredEvent {
  eventId: string;
  type: EventType;
  resource: 'domestic-vrp' | 'account-access-consent' | 'domestic-vrp-consent';
  resourceId: string;
  at: string;
}

export type EventStore = ReturnType<typeof openEventStore>;

export function openEventStore(db: Database, clock: BankClock) {
  const add = db.sql.prepare('INSERT INTO events (id, type, resource, resource_id, at) VALUES (?, ?, ?, ?, ?)');
  const open = db.sql.prepare(`SELECT id AS eventId, type, resource, resource_id AS resourceId, at FROM events
    WHERE done = 0 ORDER BY seq LIMIT ?`);
  const acknowledge = db.sql.prepare('UPDATE events SET done = 1 WHERE id = ?');
  return {
    add(type: EventType, resource: StoredEvent['resource'], resourceId: string): void {
      add.run(randomUUID(), type, resource, resourceId, clock.now().toISOString());
    },
    /** Oldest first. */
    open: (limit: number) => open.all(limit) as unknown as StoredEvent[],
    acknowledge(eventIds: readonly string[]): void {
      if (eventIds.length > 0) db.atomically(() => eventIds.forEach((id) => acknowledge.run(id)));
    },
  };
}
