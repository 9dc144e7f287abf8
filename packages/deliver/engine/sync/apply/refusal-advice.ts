import { type Diagnosis, type Evidence, type Remedy, shownLines } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { predict } from '../../difference/compare-object.ts';
import { isObject, textAt } from '../../model/fields.ts';
import { isSecret } from '../../model/secret-mask.ts';
import type { SyncTask } from '../model.ts';
import { mergePatch, sortedJson } from './merge-patch.ts';
import { withWriter } from './written-fields.ts';

/** What etcd and the API server take of one object, in bytes. */
const objectLimit = 1_048_576;
const shownChanges = 10;
const shownValue = 200;
/** What the server lets change of the spec of an existing StatefulSet. */
const changeableOfSets = new Set([
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]);

/** What the engine knows of a refusal beyond the server's words: what it would have changed, and what it can do in another way. */
export function withAdvice(diagnosis: Diagnosis, task: SyncTask, live: KubeObject | undefined): Diagnosis {
  return withWriter(advised(diagnosis, task, live), task);
}

function advised(diagnosis: Diagnosis, task: SyncTask, live: KubeObject | undefined): Diagnosis {
  if (diagnosis.code === 'NamespaceMissing') return withRemedy(diagnosis, 'last', createNamespace);
  if (diagnosis.code === 'ObjectInvalid' && task.key.kind === 'Namespace' && isDestination(task))
    return ofDestination(diagnosis);
  if (diagnosis.code === 'ImmutableField') return keepingData(immutable(diagnosis, task, live), task, live);
  if (/provided port is already allocated/.test(diagnosis.message)) return portTaken(diagnosis);
  if (/Too long: may not be more than|Request entity too large/i.test(diagnosis.message))
    return tooLong(diagnosis, task);
  return diagnosis;
}

/** Whether the object is made of the Application itself, and of no manifest. */
const isDestination = ({ reason }: SyncTask): boolean =>
  reason === 'managedNamespaceMetadata' || reason === 'CreateNamespace=true';

/** The namespace of the destination is in no manifest: its name and its labels are fields of the Application. */
function ofDestination(diagnosis: Diagnosis): Diagnosis {
  const [, kind] = /metadata\.(labels|annotations)/.exec(diagnosis.message) ?? [];
  const field = kind ? `spec.syncPolicy.managedNamespaceMetadata.${kind}` : 'spec.destination.namespace';
  return {
    ...diagnosis,
    place: { ...diagnosis.place, field },
    remedies: [{ text: `Correct ${field} of the Application` }],
  };
}

const createNamespace: Remedy = {
  text: 'Or, if it is the namespace of the destination, let the sync create it',
  paste: 'spec:\n  syncPolicy:\n    syncOptions: [CreateNamespace=true]',
};

function withRemedy(diagnosis: Diagnosis, at: 'first' | 'last', remedy: Remedy): Diagnosis {
  const { remedies } = diagnosis;
  return { ...diagnosis, remedies: at === 'first' ? [remedy, ...remedies] : [...remedies, remedy] };
}

/** Client-side apply keeps the whole manifest in an annotation, which has a limit of its own; the object has another. */
function tooLong(diagnosis: Diagnosis, { desired }: SyncTask): Diagnosis {
  const size = desired ? Buffer.byteLength(JSON.stringify(desired)) : 0;
  if (size >= objectLimit)
    return {
      ...diagnosis,
      evidence: [...diagnosis.evidence, { name: 'size of the manifest', value: `${size} bytes` }],
      remedies: [
        {
          text: `Split the object, or keep the data elsewhere (a volume, an image, an object store): one object may hold ${objectLimit} bytes`,
        },
      ],
    };
  if (!/metadata\.annotations: Too long/.test(diagnosis.message)) return diagnosis;
  return withRemedy(diagnosis, 'first', {
    text: 'Apply the object by server-side apply, which needs no annotation',
    paste: 'metadata:\n  annotations:\n    argocd.argoproj.io/sync-options: ServerSideApply=true',
  });
}

function portTaken(diagnosis: Diagnosis): Diagnosis {
  const port = /Invalid value: (\d+): provided port is already allocated/.exec(diagnosis.message)?.[1];
  return {
    ...diagnosis,
    remedies: [
      { text: 'Leave nodePort out, so that the cluster gives a free one, or take another number' },
      ...(port ? [{ text: 'See which Service has it', paste: `kubectl get services -A | grep ':${port}/'` }] : []),
    ],
  };
}

/** Which fields would have changed, from what to what; and for a StatefulSet the way that keeps its pods. */
function immutable(diagnosis: Diagnosis, task: SyncTask, live: KubeObject | undefined): Diagnosis {
  const { desired } = task;
  if (!desired || !live) return diagnosis;
  const field = diagnosis.place?.field ?? '';
  const all = changesOf(live, predict(desired, live, task.serverSide));
  const isSet = task.key.group === 'apps' && task.key.kind === 'StatefulSet' && field === 'spec';
  const fixed = isSet
    ? all.filter(({ path }) => path[0] === 'spec' && !changeableOfSets.has(path[1] ?? ''))
    : all.filter(({ path }) => isBelow(path, field));
  if (fixed.length === 0) return diagnosis;
  const secret = isSecret(desired) || task.key.kind === 'ConfigMap';
  const evidence = fixed.slice(0, shownChanges).map(
    ({ path, from, to }): Evidence => ({
      name: path.join('.'),
      value: secret ? 'differs' : `${shown(from)} → ${shown(to)}`,
    }),
  );
  const names = [...new Set(fixed.map(({ path }) => path.slice(0, isSet ? 2 : undefined).join('.')))];
  return {
    ...diagnosis,
    ...(isSet
      ? {
          message: diagnosis.message.replace(/^spec cannot/, `${names.join(', ')} cannot`),
          place: { ...diagnosis.place, field: names[0] ?? field },
          remedies: [keepPods(task), ...diagnosis.remedies],
        }
      : {}),
    evidence: [...evidence, ...diagnosis.evidence],
  };
}

const storagePath = ['spec', 'resources', 'requests', 'storage'] as const;

/** A claim that is replaced loses its volume, and so does not belong among the first remedies; what it holds is kept. */
function keepingData(diagnosis: Diagnosis, { key, desired }: SyncTask, live: KubeObject | undefined): Diagnosis {
  if (key.group !== '' || key.kind !== 'PersistentVolumeClaim') return diagnosis;
  const [before, wanted] = [live, desired].map((object) => textAt(object, ...storagePath));
  const [replace] = diagnosis.remedies;
  const smaller =
    before && wanted && before !== wanted && diagnosis.evidence.some(({ name }) => name === storagePath.join('.'));
  return {
    ...diagnosis,
    remedies: [
      {
        text: smaller
          ? `Write ${before} again: a claim can only grow, and only once it is bound`
          : 'Restore the field: a claim keeps it for its life',
      },
      {
        text: 'Or make a claim of another name, copy the data with a pod that mounts both, and point the workload to it',
      },
      ...(replace ? [{ ...replace, loses: 'the claim and, unless its volume is retained, all data in it' }] : []),
    ],
  };
}

const keepPods = ({ key }: SyncTask): Remedy => ({
  text: 'Delete the StatefulSet without its pods and sync again: the new one takes them over; claims that exist keep their size',
  paste: `kubectl delete statefulset -n ${key.namespace} ${key.name} --cascade=orphan`,
});

interface Change {
  readonly path: readonly string[];
  readonly from: unknown;
  readonly to: unknown;
}

/** Leaves of the merge patch that makes `to` of `from`; lists are leaves. */
function changesOf(from: KubeObject, to: KubeObject): Change[] {
  const walk = (patch: unknown, before: unknown, path: readonly string[]): Change[] => {
    if (!isObject(patch)) return [{ path, from: before, to: patch ?? undefined }];
    return Object.entries(patch).flatMap(([name, value]) =>
      walk(value, isObject(before) ? before[name] : undefined, [...path, name]),
    );
  };
  const patch = mergePatch(from, to);
  return patch ? walk(patch, from, []) : [];
}

function isBelow(path: readonly string[], field: string): boolean {
  const text = path.join('.');
  const plain = field.replace(/\[.*$/, '');
  return text === plain || text.startsWith(`${plain}.`) || plain.startsWith(`${text}.`);
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'absent';
  const text = typeof value === 'string' ? value : sortedJson(value);
  const safe = shownLines(text, text);
  return safe.length > shownValue ? `${safe.slice(0, shownValue)}…` : safe;
}
