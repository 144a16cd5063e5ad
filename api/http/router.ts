import type { Method, Operation } from './contract.ts';

/** What a path leads to: an operation with its path parameters, or the methods that it takes instead. */
export type Route =
  | { kind: 'operation'; operation: Operation; params: Record<string, string> }
  | { kind: 'other-method'; allow: readonly string[] }
  | { kind: 'nothing' }
  | { kind: 'malformed' };

interface Branch {
  named: Map<string, Branch>;
  parameter?: Branch;
  methods: Map<Method, { operation: Operation; names: readonly string[] }>;
}

/** A look-up of method and path, built once. Literal segments win over parameters. */
export function createRouter(operations: readonly Operation[]): (method: string, path: string) => Route {
  const root = newBranch();
  for (const operation of operations) plant(root, operation);

  return (method, path) => {
    const segments = decodedSegments(path);
    if (segments === undefined) return { kind: 'malformed' };
    const values: string[] = [];
    const branch = follow(root, segments, 0, values);
    if (branch === undefined) return { kind: 'nothing' };
    const found = branch.methods.get((method === 'HEAD' ? 'GET' : method) as Method);
    if (found === undefined) return { kind: 'other-method', allow: allowed(branch) };
    const params: Record<string, string> = {};
    found.names.forEach((name, index) => (params[name] = values[index]!));
    return { kind: 'operation', operation: found.operation, params };
  };
}

function newBranch(): Branch {
  return { named: new Map(), methods: new Map() };
}

function plant(root: Branch, operation: Operation): void {
  const names: string[] = [];
  let branch = root;
  for (const segment of operation.path.split('/').slice(1)) {
    const name = /^\{(.+)\}$/.exec(segment)?.[1];
    if (name === undefined) {
      const next = branch.named.get(segment) ?? newBranch();
      branch.named.set(segment, next);
      branch = next;
    } else {
      names.push(name);
      branch = branch.parameter ??= newBranch();
    }
  }
  branch.methods.set(operation.method, { operation, names });
}

function decodedSegments(path: string): string[] | undefined {
  const segments = path.split('/').slice(1);
  if (!path.includes('%')) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function follow(branch: Branch, segments: readonly string[], at: number, values: string[]): Branch | undefined {
  if (at === segments.length) return branch.methods.size > 0 ? branch : undefined;
  const segment = segments[at]!;
  const named = branch.named.get(segment);
  const byName = named && follow(named, segments, at + 1, values);
  if (byName !== undefined || branch.parameter === undefined || segment === '') return byName;
  values.push(segment);
  const byParameter = follow(branch.parameter, segments, at + 1, values);
  if (byParameter === undefined) values.pop();
  return byParameter;
}

function allowed(branch: Branch): string[] {
  const methods: string[] = [...branch.methods.keys()];
  return [...methods, ...(branch.methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'];
}
