import { type Diagnosis, defineDiagnosis, diagnose, formatDiagnosis, nearestName } from '@tiphys/diagnosis';
import { parseApiVersion } from '@tiphys/kubernetes';
import { isNameless, placeOf, withoutName } from '../difference/desired-state.ts';
import { type SchemaProblem, schemaProblems } from './apply/schema-check.ts';
import type { SyncTask } from './model.ts';
import type { StepRequest } from './step-request.ts';
import type { Progress, TaskRun } from './task-run.ts';
import { unavailableGroup } from './unavailable-group.ts';

const kindMissing = defineDiagnosis(
  'SyncKindMissing',
  'The cluster does not serve a kind that is to be applied',
  'M11',
);
const kindUnknown = defineDiagnosis('SyncKindUnknown', 'Kubernetes itself has no kind of that name', 'M11');
const encrypted = defineDiagnosis('ManifestEncrypted', 'A manifest is encrypted, and nothing decrypts it', 'M12');
const versionMissing = defineDiagnosis(
  'ApiVersionMissing',
  'The cluster serves the kind, but not in the version of the manifest',
  'C14',
);
const manifestInvalid = defineDiagnosis(
  'ManifestFieldInvalid',
  'A manifest does not fit the schema of its kind',
  'M12',
);

/**
 * The dry run before anything is applied: every kind must be served, and every manifest of a built-in kind fit its
 * schema. Nothing is written. Gives the operation's message if something is wrong; the results tell what.
 */
export async function validateTasks(
  runs: readonly TaskRun[],
  progress: Progress,
  request: Pick<StepRequest, 'client' | 'cache' | 'signal'>,
): Promise<string | undefined> {
  let unknown = false;
  let invalid = false;
  const serverMinor = Number(/^v?1\.(\d+)/.exec(request.cache.serverVersion())?.[1] ?? 0);
  for (const run of runs) {
    const { task } = run;
    const served = await findKind(task, request);
    if (!served) {
      if (task.skipDryRun) continue;
      const diagnosis = (await unavailableGroup(task, request)) ?? missing(task, request);
      progress.set(run, 'SyncFailed', 'Failed', diagnosis.message, diagnosis);
      unknown = true;
      continue;
    }
    if (task.desired && isNameless(task.desired)) {
      const diagnosis = withoutName(task);
      progress.set(run, 'SyncFailed', 'Failed', formatDiagnosis(diagnosis), diagnosis);
      invalid = true;
      continue;
    }
    if (!task.desired || !task.validate) continue;
    const problems = schemaProblems(task.desired, serverMinor);
    const [first] = problems;
    if (!first) continue;
    if (problems.some(({ text }) => text === 'unknown field "sops"')) {
      const diagnosis = notDecrypted(task);
      progress.set(run, 'SyncFailed', 'Failed', formatDiagnosis(diagnosis), diagnosis);
      invalid = true;
      continue;
    }
    const diagnosis = diagnose(manifestInvalid, {
      message: `error validating data: ${task.key.kind} ${task.key.name} is not valid: ${problems.map(({ text }) => text).join('; ')}`,
      place: { ...placeOf(task), field: first.field },
      evidence: Object.fromEntries(
        problems.flatMap(({ field, nearest }) => (nearest ? [[field, `did you mean ${nearest}?`]] : [])),
      ),
      remedies: [
        ...correctionsOf(problems),
        ...(problems.some(({ text }) => text.startsWith('unknown field'))
          ? [
              {
                text: 'Or let the server drop what it does not know',
                paste: 'metadata:\n  annotations:\n    argocd.argoproj.io/sync-options: Validate=false',
                loses: 'the unknown fields',
              },
            ]
          : []),
      ],
    });
    progress.set(run, 'SyncFailed', 'Failed', formatDiagnosis(diagnosis), diagnosis);
    invalid = true;
  }
  if (!unknown && !invalid) return undefined;
  const reasons = [
    ...new Set(runs.filter(({ status }) => status === 'SyncFailed').map(({ message }) => message)),
  ].sort();
  return `${unknown ? 'one or more synchronization tasks are not valid' : 'one or more objects failed to apply (dry run)'}: ${reasons.join('; ')}`;
}

function notDecrypted(task: SyncTask): Diagnosis {
  return diagnose(encrypted, {
    message: `The ${task.key.kind} is encrypted with SOPS, and nothing has decrypted it before the sync`,
    place: { ...placeOf(task), field: 'sops' },
    remedies: [
      'Render the folder with a plugin that decrypts it (spec.source.plugin; docs/plugins.md)',
      'Or keep the secret outside of Git: with an operator for external secrets, or as a sealed secret',
    ],
  });
}

/** What to write in place, for each field where that can be told. */
function correctionsOf(problems: readonly SchemaProblem[]): { text: string }[] {
  const told = problems.flatMap(({ field, nearest, write }) => {
    if (nearest) return [{ text: `Write ${nearest} in place of ${field}` }];
    return write ? [{ text: `Write ${field}: ${write}` }] : [];
  });
  const fields = problems.map(({ field }) => field || 'the object').join(', ');
  return told.length > 0 ? told : [{ text: `Correct ${fields} in the manifest` }];
}

async function findKind(task: SyncTask, { client, cache }: Pick<StepRequest, 'client' | 'cache'>): Promise<boolean> {
  const object = task.desired ?? task.live;
  if (!object) return true;
  if (cache.find(object.apiVersion, object.kind)) return true;
  return (await client.discovery.find(object.apiVersion, object.kind)) !== undefined;
}

function missing(task: SyncTask, { cache }: Pick<StepRequest, 'cache'>): Diagnosis {
  const { group, kind, namespace, name } = task.key;
  const served = cache.versionsOf(group, kind);
  const elsewhere = cache.apiResources().find((resource) => resource.kind === kind && resource.group !== group);
  if (served.length > 0 || elsewhere) {
    const version = served[0] ?? elsewhere?.version ?? '';
    const inGroup = served.length > 0 ? group : (elsewhere?.group ?? '');
    const wanted = `${inGroup ? `${inGroup}/` : ''}${version}`;
    return diagnose(versionMissing, {
      message: `The Kubernetes API could not find version "${task.version}" of ${group}/${kind} for requested resource ${namespace}/${name}. Version "${version}" of ${inGroup}/${kind} is installed on the destination cluster.`,
      place: { ...placeOf(task), field: 'apiVersion' },
      evidence: {
        found: task.desired?.apiVersion ?? parseApiVersion(task.version).version,
        served: served.join(', ') || wanted,
        cluster: cache.serverVersion(),
      },
      remedies: [
        {
          text: 'Use a version that the cluster serves; check what else changed between the two',
          paste: `apiVersion: ${wanted}`,
        },
      ],
    });
  }
  const apiVersion = task.desired?.apiVersion ?? '';
  const kinds = cache.apiResources().flatMap((resource) => (resource.group === group ? [resource.kind] : []));
  const nearest = nearestName(kind, kinds);
  // the groups of definitions have a dot: none can bring a kind of these
  if (!group.includes('.') && kinds.length > 0)
    return diagnose(kindUnknown, {
      message: `${apiVersion || 'v1'} has no kind ${kind}${nearest ? `, but ${nearest}` : ''}`,
      place: { ...placeOf(task), field: 'kind' },
      evidence: { found: `${apiVersion} ${kind}`, cluster: cache.serverVersion() },
      remedies: [nearest ? `Write ${nearest} in place of ${kind}` : 'Correct kind or apiVersion'],
    });
  return diagnose(kindMissing, {
    message: `The Kubernetes API could not find ${group}/${kind} for requested resource ${namespace}/${name}. Make sure the "${kind}" CRD is installed on the destination cluster (${kind}.${group} "" not found).`,
    place: placeOf(task),
    evidence: { cluster: cache.serverVersion(), 'nearest kind of the group': nearest },
    remedies: [
      ...(nearest ? [`Write ${nearest} in place of ${kind}, if that is meant`] : []),
      'Install the CustomResourceDefinition first, in this application or in one that syncs before',
      {
        text: 'If it is made during the sync by something else',
        paste: 'metadata:\n  annotations:\n    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true',
      },
    ],
  });
}
