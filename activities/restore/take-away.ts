import {
  GIVEN_BACK_KINDS,
  forgetPasswords,
  givenBack,
  type GivenBackKind,
} from '../../infra/db/queries/restore-steps.ts';
import { payeeOfRecord } from '../../infra/db/queries/payees.ts';
import type { TakenAwayKind } from '../../infra/db/entities/restore.ts';
import type { Services } from '../../infra/services.ts';
import { takenAwaySubject } from '../../infra/witness/taken-away.ts';
import { disableUser } from '../auth/accounts.ts';
import { revokeApiKey } from '../auth/api-keys.ts';
import { actorOf, type Operated } from '../auth/applications.ts';
import { removeClient } from '../auth/clients.ts';
import { endConnection, lockConnection } from '../bank/record.ts';
import { revokeFor } from '../credential/generate.ts';
import { eraseAgain } from '../legacy/erase.ts';
import { removeAgain } from '../payments/payee-changes.ts';
import type { ChangeServices } from '../payments/record.ts';
import { erasePii } from '../vault/own.ts';

const PAGE = 1_000;

export type TakenAwayCounts = Record<GivenBackKind, number>;
export type AgainServices = ChangeServices & Pick<Services, 'clock' | 'config' | 'db' | 'keys'> & Operated;

interface Line {
  kind: TakenAwayKind;
  subject: string;
}

/** Grants are left out, because all have ended. @returns how much was taken away again. */
export async function takeAwayAgain(
  services: AgainServices,
  lines: AsyncIterable<Line> | Iterable<Line>,
): Promise<TakenAwayCounts> {
  const listed = new Map<TakenAwayKind, Set<string>>();
  for await (const { kind, subject } of lines)
    if (kind !== 'grant') listed.set(kind, (listed.get(kind) ?? new Set()).add(subject));
  const counts = Object.fromEntries(GIVEN_BACK_KINDS.map((kind) => [kind, 0])) as TakenAwayCounts;
  for (const kind of GIVEN_BACK_KINDS) {
    // The list has documents among the personal data.
    const subjects = listed.get(kind === 'document' ? 'pii' : kind);
    if (subjects === undefined) continue;
    for await (const id of idsOf(services, kind)) {
      if (!subjects.has(takenAwaySubject(services.keys, id))) continue;
      await AGAIN[kind](services, id);
      counts[kind] += 1;
    }
  }
  return counts;
}

async function* idsOf({ db }: Pick<Services, 'db'>, kind: GivenBackKind): AsyncGenerator<string> {
  for (let after = ''; ;) {
    const page = await db.many(givenBack(kind, after, PAGE));
    for (const { id } of page) yield id;
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}

const REASON = 'restored';

/** Each as when it was taken away first, with its audit events. */
const AGAIN: Readonly<Record<GivenBackKind, (services: AgainServices, id: string) => Promise<unknown>>> = {
  key: (services, key_id) => revokeApiKey(services, { key_id }),
  client: (services, client_id) => removeClient(services, { client_id }),
  password: ({ db }, userId) => db.run(forgetPasswords([userId])),
  user: (services, user_id) => disableUser(services, { user_id, reason: REASON }),
  payee: (services, provider_id) => removeAgain(services, { provider_id, actor: actorOf(services) }),
  connection: (services, connectionId) =>
    services.db.transaction(async (tx) =>
      endConnection(await lockConnection(tx, connectionId), services, { reason: REASON, actor: actorOf(services) }),
    ),
  pii: async (services, vaultRef) => {
    const actor = actorOf(services);
    // It had been renamed since. Nobody could pay it, or see it, without its details.
    const payee = await services.db.maybe(payeeOfRecord(vaultRef));
    if (payee) await removeAgain(services, { ...payee, actor });
    else await services.db.transaction((tx) => erasePii(tx, services, vaultRef, { purpose: REASON, actor }));
  },
  credential: (services, credential_id) =>
    services.db.transaction((tx) => revokeFor(tx, services, { credential_id, actor: actorOf(services) })),
  document: (services, doc_id) => eraseAgain(services, { doc_id, actor: actorOf(services) }),
};
