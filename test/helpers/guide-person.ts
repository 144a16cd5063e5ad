import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../client/src/index.ts';
import { tlsFetch } from '../../client/src/node.ts';
import { approveAtBank } from '../../programs/demo/browser.ts';
import type { GuideStack } from './guide.ts';

const PASSWORD = 'correct horse battery';
const LOOK_EVERY_MS = 200;

/** The people of the guide: while the code of a page runs, each approves a connection in a browser. */
export function approving({ variables }: GuideStack, names: readonly string[]) {
  const { RF: baseUrl = '', CA = '' } = variables;
  const fetch = tlsFetch({ ca: readFileSync(CA) });
  const approve = async (name: string) => {
    const who = { email: `${name}@example.org`, password: PASSWORD };
    const tokens = await createClient({ baseUrl, fetch }).login({ body: who });
    const person = createClient({ baseUrl, fetch, credential: { tokens } });
    for (;;) {
      const { items } = await person.listConnections({ query: { status: 'awaiting_authorisation' } });
      const [waiting] = items;
      if (waiting?.authorise_url)
        return approveAtBank(fetch, { ...who, customer: waiting.user_id, authoriseUrl: waiting.authorise_url });
      await sleep(LOOK_EVERY_MS);
    }
  };
  const all = Promise.all(names.map(approve));
  // The page fails first, and says more.
  all.catch(() => undefined);
  return { done: () => all };
}
