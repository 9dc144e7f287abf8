import { type Diagnosis, defineDiagnosis, diagnose, nearestName, type Place } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { annotationList, annotationNames } from './model/annotations.ts';
import { numberAt } from './model/fields.ts';
import { hookDeletePolicies, hookTypeNames, isHook } from './model/hooks.ts';
import { syncOptionTable } from './sync/plan/sync-options.ts';

const annotationIgnored = defineDiagnosis(
  'AnnotationIgnored',
  'An annotation that steers a sync has no effect as it is written',
);

const nameGenerated = defineDiagnosis(
  'GeneratedNameNotCompared',
  'An object has metadata.generateName in place of a name, so that nothing live can be found for it',
);

const deletesItself = defineDiagnosis(
  'JobDeletesItself',
  'A Job that is no hook is deleted after its end, so that it is missing from then on',
);

const prefix = 'argocd.argoproj.io/';
const compareOptions = [
  'IgnoreExtraneous',
  'ServerSideDiff=true',
  'ServerSideDiff=false',
  'IncludeMutationWebhook=true',
];
const others = [
  'application-set-refresh',
  'client-side-apply-migration-manager',
  'deletion-approved',
  'ignore-default-links',
  'ignore-resource-updates',
  'installation-id',
  'managed-by',
  'manifest-generate-paths',
  'refresh',
  'secret-type',
  'skip-reconcile',
];
const known: ReadonlySet<string> = new Set([
  ...Object.values(annotationNames).filter((name) => name.startsWith(prefix)),
  ...others.map((name) => prefix + name),
]);
const syncOptions = syncOptionTable.flatMap(({ name, values }) => values.map((value) => `${name}=${value}`));

/** What upstream passes over in silence: annotations whose name or value means nothing, so that the object is synced otherwise than meant. */
export function annotationProblems(object: KubeObject, place: Place): Diagnosis[] {
  const annotations = object.metadata.annotations ?? {};
  const found: Diagnosis[] = [];
  const tell = (name: string, value: string, wanted: readonly string[], then: string) => {
    const nearest = nearestName(value, wanted);
    found.push(
      diagnose(annotationIgnored, {
        message: `${JSON.stringify(value)} of the annotation ${name} means nothing: ${then}`,
        place: { ...place, field: `metadata.annotations[${name}]` },
        evidence: { wanted: wanted.join(', ') },
        remedies: [nearest ? `Write ${nearest} in place of ${value}` : 'Correct or remove it'],
      }),
    );
  };
  for (const name of Object.keys(annotations)) {
    if (!name.startsWith(prefix) || known.has(name)) continue;
    const nearest = nearestName(name, known);
    if (nearest)
      found.push(
        diagnose(annotationIgnored, {
          message: `The annotation ${name} is not known and has no effect`,
          place: { ...place, field: `metadata.annotations[${name}]` },
          remedies: [`Write ${nearest} in place of ${name}`],
        }),
      );
  }
  const wave = annotations[annotationNames.syncWave];
  if (wave !== undefined && !/^[+-]?\d+$/.test(wave))
    tell(annotationNames.syncWave, wave, ['a whole number'], 'the object is synced in wave 0');
  const { helmHookWeight } = annotationNames;
  const weight = annotations[helmHookWeight];
  if (weight !== undefined && !/^[+-]?\d+$/.test(weight))
    tell(helmHookWeight, weight, ['a whole number'], 'the hook has the weight 0');
  const each = (name: string, wanted: readonly string[], then: string) => {
    for (const item of annotationList(object, name)) if (!wanted.includes(item)) tell(name, item, wanted, then);
  };
  each(annotationNames.hook, hookTypeNames, 'the hook does not run for it');
  each(annotationNames.hookDeletePolicy, hookDeletePolicies, 'the hook is deleted before the next one is made');
  each(annotationNames.syncOptions, syncOptions, 'the sync passes over it');
  each(annotationNames.compareOptions, compareOptions, 'the comparison passes over it');
  return found;
}

/** An object that gets another name at each sync, and so stays OutOfSync; hooks alone may have such a name. */
export function generatedNameProblem(object: KubeObject, place: Place): Diagnosis | undefined {
  const { name, generateName } = object.metadata;
  if (name || !generateName || isHook(object)) return undefined;
  return diagnose(nameGenerated, {
    message: `The ${object.kind} ${generateName}… has generateName in place of a name: each sync makes another object, and it is never Synced`,
    place: { ...place, field: 'metadata.generateName' },
    remedies: [
      'Give it metadata.name',
      {
        text: 'Or make it a hook, which runs anew at each sync',
        paste: 'metadata:\n  annotations:\n    argocd.argoproj.io/hook: Sync',
      },
    ],
  });
}

/** A Job that Kubernetes deletes some time after its end: what the manifests want is gone then, and is made and run again by automated sync. */
export function selfDeletingProblem(object: KubeObject, place: Place): Diagnosis | undefined {
  const seconds = numberAt(object, 'spec', 'ttlSecondsAfterFinished');
  if (object.kind !== 'Job' || seconds === undefined || isHook(object)) return undefined;
  return diagnose(deletesItself, {
    message: `Job ${object.metadata.name ?? ''} is deleted ${seconds} s after its end by its ttlSecondsAfterFinished: it is missing then, the application is OutOfSync, and automated sync runs it again and again`,
    place: { ...place, field: 'spec.ttlSecondsAfterFinished' },
    remedies: [
      {
        text: 'Make it a hook, which runs once at each sync and may vanish',
        paste: 'metadata:\n  annotations:\n    argocd.argoproj.io/hook: Sync',
      },
      'Or take ttlSecondsAfterFinished out: the Job that is done stays, and is Healthy',
    ],
  });
}
