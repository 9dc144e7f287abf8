import { copyJson } from '@tiphys/controller';
import type { Client, KubeObject, PatchType } from '@tiphys/kubernetes';
import { withParameters } from '../parameters/parameters.ts';
import type { KubernetesTrigger } from '../spec/sensor.ts';
import { fetchManifest } from './artifact.ts';
import { mergeOverride } from './merge-override.ts';
import { createOnce, shown } from './once.ts';
import { resourcePolicy } from './resource-policy.ts';
import { type Act, type Action, ActionError, type TriggerContext } from './trigger.ts';

const patchTypes: ReadonlyMap<string, PatchType> = new Map([
  ['', 'merge'],
  ['application/merge-patch+json', 'merge'],
  ['application/json-patch+json', 'json'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);

/** Creates, updates, patches or deletes an object, and waits for its labels if the policy says so. */
export const act: Act = async (action, context) => {
  const trigger = action.template.k8s as KubernetesTrigger;
  const client = context.client.as({
    component: 'events',
    purpose: `trigger ${context.sensorName}/${action.template.name}`,
  });
  const source = await sourceObject(trigger, client, context);
  const object = withParameters(source, trigger.parameters, action.events);
  if (!object.apiVersion || !object.kind)
    throw new ActionError('the resource of the trigger has no apiVersion or no kind');
  await place(object, client, context.namespace);
  const operation = trigger.operation || 'create';
  const { done, result } = await perform({ operation, object, trigger, client, action, context });
  if (result) await resourcePolicy(result, action, { ...context, client });
  return done;
};

async function sourceObject(trigger: KubernetesTrigger, client: Client, context: TriggerContext): Promise<KubeObject> {
  const object = copyJson(await fetchManifest(trigger.source, context)) as KubeObject;
  object.metadata ??= {};
  if (!trigger.liveObject || trigger.operation !== 'update') return object;
  const { namespace, name } = object.metadata;
  if (!name) throw new ActionError('resource name must be specified for fetching live object');
  const resource = await client.discovery.find(object.apiVersion, object.kind);
  if (!namespace && resource?.namespaced !== false)
    throw new ActionError('resource namespace must be specified for fetching live object');
  const { apiVersion, kind } = object;
  return client.get({ apiVersion, kind, name, ...(namespace ? { namespace } : {}) });
}

/** Puts the object into its namespace, the sensor's if it names none; none for what is cluster-wide. */
async function place(object: KubeObject, client: Client, namespace: string): Promise<void> {
  const resource = await client.discovery.find(object.apiVersion, object.kind);
  if (resource?.namespaced === false) delete (object.metadata as { namespace?: string }).namespace;
  else object.metadata.namespace ||= namespace;
}

interface Work {
  readonly operation: string;
  readonly object: KubeObject;
  readonly trigger: KubernetesTrigger;
  readonly client: Client;
  readonly action: Action;
  readonly context: TriggerContext;
}

interface Outcome {
  readonly done: string;
  readonly result?: KubeObject;
}

async function perform(work: Work): Promise<Outcome> {
  const { operation, object, client, context } = work;
  if (operation === 'create') return create(work);
  const { apiVersion, kind, metadata } = object;
  const name = metadata.name ?? '';
  if (!name) throw new ActionError(`the resource of the trigger has no name, which ${operation} needs`);
  const ref = { apiVersion, kind, name, ...(metadata.namespace ? { namespace: metadata.namespace } : {}) };
  const live = await client.find(ref, { signal: work.action.signal });
  if (operation === 'delete') {
    context.log('info', live ? 'deleting the object...' : 'object not found, nothing to delete...');
    if (live) await client.delete(ref);
    return { done: live ? `deleted ${shown(object)}` : `${shown(object)} was not there` };
  }
  if (!live) {
    context.log('info', 'object not found, creating the object...');
    return { done: `created ${shown(object)}, which was not there`, result: await client.create(object) };
  }
  return operation === 'patch' ? patch(work, ref) : update(work, live);
}

async function create({ object, client, action, context }: Work): Promise<Outcome> {
  context.log('info', 'creating the object...');
  const { metadata } = object;
  metadata.labels = {
    ...metadata.labels,
    'events.argoproj.io/sensor': context.sensorName,
    'events.argoproj.io/trigger': action.template.name,
    'events.argoproj.io/action-timestamp': String(context.clock.now()),
  };
  return createOnce(object, action, { ...context, client });
}

async function update({ object, client, context }: Work, live: KubeObject): Promise<Outcome> {
  context.log('info', 'updating the object...');
  const merged = copyJson(live) as unknown as Record<string, unknown>;
  mergeOverride(merged, object as unknown as Record<string, unknown>);
  return { done: `updated ${shown(object)}`, result: await client.update(merged as unknown as KubeObject) };
}

async function patch(
  { object, client, trigger, context }: Work,
  ref: Parameters<Client['patch']>[0],
): Promise<Outcome> {
  context.log('info', 'patching the object...');
  const type = patchTypes.get(trigger.patchStrategy ?? '');
  if (!type)
    throw new ActionError(
      `patchStrategy ${trigger.patchStrategy} is none of ${[...patchTypes.keys()].filter(Boolean).join(', ')}`,
    );
  const options = type === 'apply' ? { fieldManager: 'tiphys-events', force: true } : {};
  return { done: `patched ${shown(object)}`, result: await client.patch(ref, type, object, options) };
}
