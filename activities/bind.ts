type Activity<Services> = (services: Services, ...given: never[]) => unknown;

type Bound<Activities> = {
  readonly [Name in keyof Activities]: Activities[Name] extends (services: never, ...given: infer Given) => infer Result
    ? (...given: Given) => Result
    : never;
};

/** The same functions without their first parameter. */
export function bind<Services, Activities extends Record<string, Activity<Services>>>(
  services: Services,
  activities: Activities,
): Bound<Activities> {
  const bound = Object.entries(activities).map(([name, activity]) => [name, activity.bind(undefined, services)]);
  return Object.fromEntries(bound) as Bound<Activities>;
}
