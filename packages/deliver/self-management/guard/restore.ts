import { type Client, isConflict, isForbidden, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { asBefore, type GuardRecord, type ObjectPlace, placeOf } from './record.ts';

/** What keeps others from writing goes first, also from writing what is restored. */
const hindering = [
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicyBinding',
  'ResourceQuota',
  'LimitRange',
  'NetworkPolicy',
];

/** In this order: what processes need before them. */
const order = [
  'CustomResourceDefinition',
  'ServiceAccount',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
];

/**
 * Writes what was before a version and removes of what it added that which keeps others from working. Safe to repeat; false if
 * something has to be tried again.
 */
export async function restore(
  client: Client,
  { before, added }: Pick<GuardRecord, 'before' | 'added'>,
): Promise<boolean> {
  for (const place of added.filter(({ kind }) => hindering.includes(kind))) await remove(client, place);
  return await restoreObjects(client, before);
}

/** Writes objects as they were recorded, in an order that processes can live with; false if something has to be tried again. */
export async function restoreObjects(client: Client, before: readonly KubeObject[]): Promise<boolean> {
  const done: boolean[] = [];
  const first = before.filter(({ kind }) => hindering.includes(kind));
  const rank = ({ kind }: KubeObject) => (order.indexOf(kind) + order.length + 1) % (order.length + 1);
  const rest = before.filter(({ kind }) => !hindering.includes(kind)).sort((a, b) => rank(a) - rank(b));
  for (const object of [...first, ...rest]) done.push(await write(client, object));
  return done.every(Boolean);
}

async function remove(client: Client, place: ObjectPlace): Promise<void> {
  try {
    await client.delete(place);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function write(client: Client, object: KubeObject): Promise<boolean> {
  try {
    const live = await client.find(placeOf(object));
    if (!live) await client.create(object, { fieldManager: 'argocd-controller' });
    else if (!isSame(asBefore(live), object)) {
      const { resourceVersion } = live.metadata;
      const metadata = { ...object.metadata, ...(resourceVersion ? { resourceVersion } : {}) };
      await client.update({ ...object, metadata }, { fieldManager: 'argocd-controller' });
    }
    return true;
  } catch (error) {
    // the rights that allow it may only just have been restored, and admission forgets a webhook a moment after it is gone
    if (isConflict(error) || isForbidden(error)) return false;
    throw error;
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
