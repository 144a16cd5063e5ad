import { DEFAULT_LIMIT } from '../activities/page.ts';
import { listPaydays } from '../activities/payday/list.ts';
import { standingSplitActivities } from '../activities/payday/standing-split.ts';
import type { Services } from '../infra/services.ts';
import type { StandingSplit } from '../openapi/types.ts';
import type { Module } from './http/handlers.ts';
import { json } from './http/reply/json.ts';
import { revisionsOf, revisionTag } from './http/request/preconditions.ts';

export const paydayHandlers = (services: Services) => {
  const splits = standingSplitActivities(services);
  const withTag = (body: StandingSplit) =>
    ({ status: 200, body, headers: { ETag: revisionTag(body.version) } }) as const;
  return {
    readStandingSplit: async ({ params }) => withTag(await splits.readStandingSplit(params)),
    async setStandingSplit({ params, body, headers, principal, newOwner }) {
      const versions = versionsOf(headers['if-match']);
      return withTag(await splits.setStandingSplit({ ...body, ...params, principal, newOwner, versions }));
    },
    async deleteStandingSplit({ params, headers, principal }) {
      const versions = versionsOf(headers['if-match']);
      await splits.deleteStandingSplit({ ...params, principal, versions });
      return { status: 204 };
    },
    listPaydays: ({ query, principal }) =>
      json(200, listPaydays(services, { limit: DEFAULT_LIMIT, ...query, principal })),
  } satisfies Module;
};

function versionsOf(ifMatch: string | string[] | undefined) {
  return ifMatch === undefined ? undefined : (revisionsOf(ifMatch) ?? 'any');
}
