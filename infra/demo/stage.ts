import type { Client } from '../../client/src/index.ts';
import type { Config } from '../config.ts';
import type { Api } from './api.ts';
import type { Teller } from './print.ts';

export interface Stage {
  config: Config;
  api: Api;
  /** Sends requests without a credential at first, then as the person who logged in. */
  client: Client;
  /** Sends requests as `client` does, but does not print them. */
  quiet: Client;
  teller: Teller;
  appId?: string;
}

export function workflowPage({ temporal }: Config, workflowId: string): string {
  return `${namespacePage(temporal)}/workflows/${encodeURIComponent(workflowId)}`;
}

export function workflowsOf({ temporal }: Config, ownerId: string): string {
  return `${namespacePage(temporal)}/workflows?query=${encodeURIComponent(`RingfenceOwner="${ownerId}"`)}`;
}

function namespacePage({ uiUrl, namespace }: Config['temporal']): string {
  return `${uiUrl.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}`;
}
