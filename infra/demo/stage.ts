import type { Config } from '../config.ts';
import type { Caller } from './caller.ts';
import type { Teller } from './print.ts';

/** What every step works with. */
export interface Stage {
  config: Config;
  caller: Caller;
  teller: Teller;
  /** The application of the story, once there is one. */
  appId?: string;
}

/** The page of a workflow in Temporal's Web UI. */
export function workflowPage({ temporal }: Config, workflowId: string): string {
  return `${namespacePage(temporal)}/workflows/${encodeURIComponent(workflowId)}`;
}

/** The page of all workflows of an owner. */
export function workflowsOf({ temporal }: Config, ownerId: string): string {
  return `${namespacePage(temporal)}/workflows?query=${encodeURIComponent(`RingfenceOwner="${ownerId}"`)}`;
}

function namespacePage({ uiUrl, namespace }: Config['temporal']): string {
  return `${uiUrl.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}`;
}
