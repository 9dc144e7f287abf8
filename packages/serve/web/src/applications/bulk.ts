import { api } from '../api/client.ts';
import { defaultChoices, type SwitchOption, type SyncFlag, syncBody } from './sync-request.ts';

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

/** What a sync of many is asked for beside what each application says itself. */
export interface BulkSync {
  readonly flags: ReadonlySet<SyncFlag>;
  readonly switches: ReadonlySet<SwitchOption>;
}

export interface BulkOptions {
  readonly sync: BulkSync;
  /** Of a deletion: whether the objects go too. */
  readonly cascade: boolean;
}

/** The body of the sync of one of many; options that are asked for come on top of the application's own. */
export async function bulkSyncBody(
  target: BulkTarget,
  { flags, switches }: BulkSync,
): Promise<Record<string, unknown>> {
  const chosen = {
    prune: flags.has('prune'),
    dryRun: flags.has('dryRun'),
    applyOnly: flags.has('applyOnly'),
    force: flags.has('force'),
  };
  const application = await api.application(target);
  const own = defaultChoices(application);
  return syncBody(application, { ...own, ...chosen, switches: own.switches.union(switches) });
}

export async function actOn(verb: BulkVerb, target: BulkTarget, { sync, cascade }: BulkOptions): Promise<unknown> {
  if (verb === 'refresh') return api.refresh(target, 'normal');
  if (verb === 'sync') return api.sync(target, await bulkSyncBody(target, sync));
  if (verb === 'delete') return api.remove(target, cascade ? 'foreground' : undefined);
  return api.patch(target, { spec: { syncPolicy: { automated: { enabled: verb === 'auto-on' } } } });
}
