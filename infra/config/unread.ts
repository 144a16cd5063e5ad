import type { SettingGroup } from './process-settings.ts';

/** A stand-in for settings that a process must not read. Reading a setting throws, except those in `known`. */
export function unread<T extends object>(name: SettingGroup, known: Partial<T> = {}): T {
  return new Proxy(known, {
    get(target, property) {
      // `await` reads the property `then`, which must not throw.
      if (property in target || typeof property === 'symbol' || property === 'then')
        return Reflect.get(target, property) as unknown;
      throw new Error(`This process does not use the settings "${name}", so it has no ${property}.`);
    },
  }) as T;
}
