import type { SettingGroup } from './process-settings.ts';

/**
 * Stands for what this process does not have, because it does not use those settings: `known` can be read, everything else
 * throws. So a process that uses more than it says fails in its tests, and never goes on with a default.
 */
export function unread<T extends object>(name: SettingGroup, known: Partial<T> = {}): T {
  return new Proxy(known, {
    get(target, property) {
      // Awaiting a value asks for `then`, which no part has.
      if (property in target || typeof property === 'symbol' || property === 'then')
        return Reflect.get(target, property) as unknown;
      throw new Error(`This process does not use the settings "${name}", so it has no ${property}.`);
    },
  }) as T;
}
