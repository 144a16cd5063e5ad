import type { SettingGroup } from './process-settings.ts';

/**
 * Replaces settings that this process does not use: `known` can be read, everything else throws. So a process that uses
 * more than it declares fails in its tests, instead of using a default.
 */
export function unread<T extends object>(name: SettingGroup, known: Partial<T> = {}): T {
  return new Proxy(known, {
    get(target, property) {
      // Awaiting a value reads `then`, which no part has.
      if (property in target || typeof property === 'symbol' || property === 'then')
        return Reflect.get(target, property) as unknown;
      throw new Error(`This process does not use the settings "${name}", so it has no ${property}.`);
    },
  }) as T;
}
