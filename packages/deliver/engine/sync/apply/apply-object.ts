import {
  type Client,
  type Clock,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  type KubeObject,
  parseApiVersion,
} from '@tiphys/kubernetes';
import { predict } from '../../difference/compare-object.ts';
import { conditionOf } from '../../health/conditions.ts';
import { annotationNames, syncFieldManager } from '../../model/annotations.ts';
import { textAt } from '../../model/fields.ts';
import { refOf } from '../live-objects.ts';
import type { SyncTask } from '../model.ts';
import { upgradeManagedFields } from './apply-migration.ts';
import { mergePatch, sortedJson } from './merge-patch.ts';

export interface ApplyContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly dryRun: boolean;
  readonly migrateFrom: string | undefined;
  readonly propagationPolicy: 'Foreground' | 'Background' | 'Orphan';
  /** Called for every warning of the API server that answers the write. */
  readonly onWarning: (text: string) => void;
}

export interface Applied {
  /** As kubectl says it: `deployment.apps/web created`. */
  readonly message: string;
  /** The object after the write; absent if nothing was written. */
  readonly object?: KubeObject;
}

const attempts = 5;
const accountAttempts = 8;
const definitionTimeout = 3000;

/** Brings one object to its desired state, in the way that its task says. Throws the server's refusal. */
export async function applyObject(
  task: SyncTask,
  live: KubeObject | undefined,
  context: ApplyContext,
): Promise<Applied> {
  const applied = await write(task, live, context);
  if (task.key.kind === 'CustomResourceDefinition' && !context.dryRun) await awaitDefinition(task, context);
  return applied;
}

async function write(task: SyncTask, live: KubeObject | undefined, context: ApplyContext): Promise<Applied> {
  if (task.replace) return replace(task, live, context);
  if (task.serverSide) return serverSideApply(task, live, context);
  try {
    return await clientSideApply(task, live, context);
  } catch (error) {
    // as kubectl apply --force: only where the server cannot change the object as it is
    if (!task.force || context.dryRun || !(isInvalid(error) || isConflict(error))) throw error;
    return recreate(task, context, 'configured');
  }
}

async function clientSideApply(task: SyncTask, first: KubeObject | undefined, context: ApplyContext): Promise<Applied> {
  const desired = withLastApplied(task.desired as KubeObject);
  let live = first;
  for (let attempt = 1; ; attempt++) {
    try {
      if (!live)
        return say(task, 'created', context, await context.client.create(desired, writeOptions(task, context)));
      return await patchLive(task, desired, live, context);
    } catch (error) {
      if (isAccountMissing(error) && attempt < accountAttempts) {
        await context.clock.sleep(500, context.signal);
        continue;
      }
      const stale = isAlreadyExists(error) || isConflict(error) || (isNotFound(error) && live !== undefined);
      if (!stale || attempt >= attempts) throw error;
      live = await context.client.find(refOf(task), { signal: context.signal });
    }
  }
}

/** A namespace that was made a moment ago gets its service account from a controller. */
function isAccountMissing(error: unknown): boolean {
  return (
    isForbidden(error) && /serviceaccount "default" not found/.test(error.message + JSON.stringify(error.body ?? ''))
  );
}

/** A merge patch under the live resource version: lists in it hold what the three-way merge made of them. */
async function patchLive(
  task: SyncTask,
  desired: KubeObject,
  live: KubeObject,
  context: ApplyContext,
): Promise<Applied> {
  const patch = mergePatch(live, predict(desired, live, false));
  if (!patch) return { message: `${nameOf(task.desired as KubeObject)} unchanged${suffix(context)}`, object: live };
  const metadata = { ...(patch['metadata'] as object | undefined), resourceVersion: live.metadata.resourceVersion };
  const object = await context.client.patch(refOf(task), 'merge', { ...patch, metadata }, writeOptions(task, context));
  return say(task, 'configured', context, object);
}

async function serverSideApply(task: SyncTask, live: KubeObject | undefined, context: ApplyContext): Promise<Applied> {
  const { client, migrateFrom, dryRun, signal } = context;
  if (live && !dryRun && migrateFrom !== undefined) {
    const managers = [migrateFrom, syncFieldManager];
    for (let attempt = 1, current: KubeObject | undefined = live; current; attempt++) {
      const patch = upgradeManagedFields(current, managers, syncFieldManager);
      if (!patch) break;
      try {
        await client.patch(refOf(task), 'json', patch, { signal });
        break;
      } catch (error) {
        if (!(isConflict(error) || isInvalid(error)) || attempt >= attempts) throw error;
        current = await client.find(refOf(task), { signal });
      }
    }
  }
  try {
    const object = await client.apply(task.desired as KubeObject, {
      ...writeOptions(task, context),
      fieldManager: syncFieldManager,
      force: true,
    });
    return say(task, 'serverside-applied', context, object);
  } catch (error) {
    if (!task.force || dryRun || !isInvalid(error) || !live) throw error;
    return recreate(task, context, 'serverside-applied');
  }
}

async function replace(task: SyncTask, live: KubeObject | undefined, context: ApplyContext): Promise<Applied> {
  const desired = task.desired as KubeObject;
  const { client } = context;
  if (!live) return say(task, 'created', context, await client.create(desired, writeOptions(task, context)));
  const { group } = parseApiVersion(desired.apiVersion);
  const keepsContent =
    desired.kind === 'Namespace' || (group === 'apiextensions.k8s.io' && desired.kind === 'CustomResourceDefinition');
  if (task.force && !keepsContent && !context.dryRun) return recreate(task, context, 'replaced');
  const update = {
    ...desired,
    metadata: {
      ...desired.metadata,
      ...(live.metadata.resourceVersion ? { resourceVersion: live.metadata.resourceVersion } : {}),
    },
  };
  const object = await client.update(update, writeOptions(task, context));
  if (keepsContent) return { message: `${desired.kind}/${desired.metadata.name} updated${suffix(context)}`, object };
  return say(task, 'replaced', context, object);
}

async function recreate(task: SyncTask, context: ApplyContext, verb: string): Promise<Applied> {
  const { client, clock, signal } = context;
  try {
    await client.delete(refOf(task), { propagationPolicy: 'Background', signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const until = clock.now() + 30_000;
  while (clock.now() < until && (await client.find(refOf(task), { signal }))) await clock.sleep(200, signal);
  const desired =
    task.replace || task.serverSide ? (task.desired as KubeObject) : withLastApplied(task.desired as KubeObject);
  return say(task, verb, context, await client.create(desired, writeOptions(task, context)));
}

function writeOptions(task: SyncTask, { dryRun, signal, onWarning }: ApplyContext) {
  return {
    fieldManager: syncFieldManager,
    // what the server leaves out is reported, and refused only where the manifest wants that
    fieldValidation: task.validate ? ('Strict' as const) : ('Warn' as const),
    signal,
    onWarning,
    ...(dryRun ? { dryRun } : {}),
  };
}

function say(task: SyncTask, verb: string, context: ApplyContext, object: KubeObject): Applied {
  return { message: `${nameOf(task.desired as KubeObject)} ${verb}${suffix(context)}`, object };
}

const suffix = ({ dryRun }: ApplyContext): string => (dryRun ? ' (dry run)' : '');

/** `deployment.apps/web` */
export function nameOf(object: KubeObject): string {
  const { group } = parseApiVersion(object.apiVersion);
  return `${object.kind.toLowerCase()}${group ? `.${group}` : ''}/${object.metadata.name ?? ''}`;
}

/** The object with itself as the last applied configuration, as kubectl apply writes it. */
export function withLastApplied(desired: KubeObject): KubeObject {
  const { [annotationNames.lastApplied]: _, ...annotations } = desired.metadata.annotations ?? {};
  const plain = { ...desired, metadata: { ...desired.metadata, annotations } };
  return {
    ...plain,
    metadata: {
      ...plain.metadata,
      annotations: { ...annotations, [annotationNames.lastApplied]: `${sortedJson(plain)}\n` },
    },
  };
}

/**
 * Waits a little until a definition is served, so that objects of it can follow at once; servers take a moment from Established
 * to discovery. Not being served yet is no error: what needs it will say so.
 */
async function awaitDefinition(task: SyncTask, { client, clock, signal }: ApplyContext): Promise<void> {
  const until = clock.now() + definitionTimeout;
  const isServed = async (): Promise<boolean> => {
    const definition = await client.find(refOf(task), { signal });
    if (!definition || conditionOf(definition, 'Established')?.status !== 'True') return false;
    client.discovery.invalidate();
    const group = textAt(definition, 'spec', 'group');
    const kind = textAt(definition, 'spec', 'names', 'kind');
    return (await client.discovery.resources()).some((served) => served.group === group && served.kind === kind);
  };
  while (!(await isServed())) {
    if (clock.now() >= until) return;
    await clock.sleep(100, signal);
  }
}
