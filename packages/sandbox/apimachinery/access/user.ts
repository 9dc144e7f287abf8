/** Who makes a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Record<string, string[]>;
}

const NODE_PREFIX = 'system:node:';

/** The name of the node whose kubelet this is, empty if it names none; undefined for everybody else. */
export function nodeOfUser({ name, groups }: User): string | undefined {
  return name.startsWith(NODE_PREFIX) && groups.includes('system:nodes') ? name.slice(NODE_PREFIX.length) : undefined;
}
