import { createHash } from 'node:crypto';
import { ApiError, type Client, type KubeObject, keyOf } from '@tiphys/kubernetes';
import {
  comparePredicted,
  type ObjectCompareOptions,
  type ObjectComparison,
  predict,
  storedForm,
} from '../difference/compare-object.ts';
import { annotation, annotationNames, syncFieldManager } from '../model/annotations.ts';
import { isSecret } from '../model/secret-mask.ts';
import { withLastApplied } from '../sync/apply/apply-object.ts';
import { mergePatch } from '../sync/apply/merge-patch.ts';

const maxRemembered = 20_000;
/** What dry runs said, by the objects that were compared; true where applying would change something that counts. */
const verdicts = new Map<string, boolean>();

/**
 * Whether a difference that was found without the server may be none: what was applied last is what is desired now, so either
 * somebody changed the live object, or the server stores what was applied in another form.
 */
export function isDoubtful(desired: KubeObject, live: KubeObject, { serverSide }: ObjectCompareOptions): boolean {
  const text = annotation(live, annotationNames.lastApplied);
  if (serverSide || text === undefined)
    return live.metadata.managedFields?.some(({ manager }) => manager === syncFieldManager) ?? false;
  return text === annotation(withLastApplied(desired), annotationNames.lastApplied);
}

/**
 * The comparison that stands after a dry run of what a sync would do: without differences if the server would change nothing
 * that counts. One dry run for each pair of a desired object and live fields, bookkeeping and status left aside. A dry run
 * that is refused confirms the difference. Undefined where the server could not be asked: the difference stands until it can.
 */
export async function confirmDifference(
  desired: KubeObject,
  live: KubeObject,
  found: ObjectComparison,
  context: {
    readonly client: Client;
    readonly options: ObjectCompareOptions;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<ObjectComparison | undefined> {
  const { options, signal } = context;
  const { normalized } = found;
  // Of Secrets the values are hidden in what was compared.
  const version = isSecret(live) ? live.metadata.resourceVersion : '';
  const id = digestOf([live.metadata.uid, version, normalized, desired, options.serverSide]);
  const known = verdicts.get(id);
  if (known !== undefined) return known ? found : withoutDifferences(found);
  try {
    const predicted = await dryRun(desired, live, context);
    const differs = comparePredicted(predicted, live, options).differences.length > 0;
    remember(id, differs);
    return differs ? found : withoutDifferences(found);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof ApiError) || error.status < 400 || error.status >= 500 || error.status === 429)
      return undefined;
    remember(id, true);
    return found;
  }
}

async function dryRun(
  desired: KubeObject,
  live: KubeObject,
  { client, options, signal }: Parameters<typeof confirmDifference>[3],
): Promise<KubeObject> {
  const write = { dryRun: true, fieldManager: syncFieldManager, ...(signal ? { signal } : {}) };
  if (options.serverSide) return client.apply(storedForm(desired), { ...write, force: true });
  const patch = mergePatch(live, predict(withLastApplied(desired), live, false));
  if (!patch) return live;
  const { group: _, ...key } = keyOf(live);
  const ref = {
    apiVersion: live.apiVersion,
    kind: key.kind,
    name: key.name,
    ...(key.namespace ? { namespace: key.namespace } : {}),
  };
  return client.patch(ref, 'merge', patch, write);
}

function remember(id: string, differs: boolean): void {
  const [oldest] = verdicts.keys();
  if (verdicts.size >= maxRemembered && oldest !== undefined) verdicts.delete(oldest);
  verdicts.set(id, differs);
}

function withoutDifferences({ normalized: { live } }: ObjectComparison): ObjectComparison {
  return { differences: [], normalized: { live, predicted: live } };
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64');
}
