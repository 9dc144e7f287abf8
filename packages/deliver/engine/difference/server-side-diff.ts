import type { Client, KubeObject } from '@tiphys/kubernetes';
import { syncFieldManager } from '../model/annotations.ts';
import { isObject } from '../model/fields.ts';
import { storedForm, typeOf } from './compare-object.ts';
import { extractOwned } from './field-path.ts';

/** What the server says the live object would become if the desired one were applied; webhooks' changes are left out unless asked for. */
export async function predictByServer(
  desired: KubeObject,
  live: KubeObject,
  client: Client,
  options: { webhooks: boolean; signal?: AbortSignal | undefined },
): Promise<KubeObject> {
  const predicted = await client.apply(storedForm(desired), {
    dryRun: true,
    fieldManager: syncFieldManager,
    force: true,
    ...(options.signal ? { signal: options.signal } : {}),
  });
  return options.webhooks ? predicted : ownChanges(predicted, live);
}

/** The live object with only those changes that lie in fields which the apply owns, or owned before. */
function ownChanges(predicted: KubeObject, live: KubeObject): KubeObject {
  const now = ownFields(predicted);
  if (!now) return predicted;
  const before = ownFields(live);
  const { type } = typeOf(live);
  const wanted = extractOwned(predicted, now, type);
  const removed = before ? extractOwned(live, before, type) : undefined;
  return overlay(live, wanted, removed, predicted) as KubeObject;
}

function ownFields(object: KubeObject) {
  return object.metadata.managedFields?.find(
    ({ manager, operation, subresource }) => manager === syncFieldManager && operation === 'Apply' && !subresource,
  )?.fieldsV1;
}

function overlay(live: unknown, wanted: unknown, removed: unknown, predicted: unknown): unknown {
  if (!isObject(wanted) || !isObject(live) || !isObject(predicted))
    return Array.isArray(wanted) ? predicted : (wanted ?? live);
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(live)) {
    if (Object.hasOwn(wanted, name))
      result[name] = overlay(value, wanted[name], isObject(removed) ? removed[name] : undefined, predicted[name]);
    else if (!(isObject(removed) && Object.hasOwn(removed, name)) || Object.hasOwn(predicted, name))
      result[name] = value;
  }
  for (const [name, value] of Object.entries(wanted))
    if (!Object.hasOwn(live, name)) result[name] = predicted[name] ?? value;
  return result;
}
