import { api } from '../api/client.ts';

export type BulkVerb = 'sync' | 'refresh' | 'auto-on' | 'auto-off' | 'delete';

export interface BulkTarget {
  readonly namespace: string;
  readonly name: string;
}

/** How many requests go out at once. */
const atOnce = 4;

/** Does something to each, a few at a time; `done` hears of every one. One that fails does not stop the others. */
export async function forEachTarget(
  targets: readonly BulkTarget[],
  act: (target: BulkTarget) => Promise<unknown>,
  done: (target: BulkTarget, error: unknown) => void,
): Promise<void> {
  const queue = [...targets];
  const worker = async () => {
    for (let target = queue.shift(); target; target = queue.shift()) {
      try {
        await act(target);
        done(target, undefined);
      } catch (error) {
        done(target, error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

export interface BulkOptions {
  readonly prune: boolean;
  /** Of a deletion: whether the objects go too. */
  readonly cascade: boolean;
}

export function actOn(verb: BulkVerb, target: BulkTarget, { prune, cascade }: BulkOptions): Promise<unknown> {
  if (verb === 'refresh') return api.refresh(target, 'normal');
  if (verb === 'sync') return api.sync(target, { name: target.name, appNamespace: target.namespace, prune });
  if (verb === 'delete') return api.remove(target, cascade ? 'foreground' : undefined);
  return api.patch(target, { spec: { syncPolicy: { automated: { enabled: verb === 'auto-on' } } } });
}
