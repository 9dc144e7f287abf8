import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { compileGlob } from '@tiphys/glob';
import { describeKey, gvkOf, type KubeObject, keyOf, keyString, type ObjectKey } from '@tiphys/kubernetes';
import type { Comparison } from '../../difference/comparison.ts';
import { nameMissing } from '../../difference/desired-state.ts';
import { compileIgnoreRules } from '../../difference/ignore-rules.ts';
import { respectIgnored } from '../../difference/respect-ignored.ts';
import {
  annotation,
  annotationNames,
  hasSyncOption,
  hookFinalizer,
  optionValue,
  syncOptionValue,
} from '../../model/annotations.ts';
import { deletePoliciesOf, hookTypesOf } from '../../model/hooks.ts';
import type { ComparedResource, HookType } from '../../model/model.ts';
import type { SyncAction, SyncOptions, SyncPhase, SyncPlan, SyncTask } from '../model.ts';
import { arrange } from '../task-order.ts';
import { definedKind } from './kind-order.ts';
import { isOwnPart } from './own-parts.ts';
import { refuseUnknownOptions } from './sync-options.ts';

const sharedRefusal = defineDiagnosis(
  'SyncOfSharedResource',
  'FailOnSharedResource is set and an object belongs to another application',
  'C20',
);

const policies = { foreground: 'Foreground', background: 'Background', orphan: 'Orphan' } as const;
const syncPhases: readonly string[] = ['PreSync', 'Sync', 'PostSync', 'SyncFail'];

/**
 * What a sync will do, as data, in the order in which it will do it: by phase, wave, kind and name, with namespaces and
 * definitions before what needs them, and prunes in the reverse order of waves. Nothing is asked of the cluster.
 */
export function planSync(comparison: Comparison, options: SyncOptions): SyncPlan {
  const syncOptions = options.syncOptions ?? [];
  const has = (option: string) => syncOptions.includes(option);
  const selective = (options.resources?.length ?? 0) > 0;
  const settings = planSettings(options, has);
  const skipHooks = options.skipHooks === true || selective;
  const rules = has('RespectIgnoreDifferences=true') ? compileIgnoreRules(comparison.ignoreDifferences) : undefined;
  const definitions = new Set(
    [...comparison.resources, ...comparison.hooks].flatMap(({ desired }) => definedKind(desired) ?? []),
  );
  const tasks: SyncTask[] = [];
  for (const resource of comparison.resources) {
    if (resource.hook || (selective && !isSelected(resource.key, options))) continue;
    const ignore = rules && resource.live && resource.desired ? rules.for(resource.key) : undefined;
    const wanted = options.keepGenerated ? (resource.keeping ?? resource.desired) : resource.desired;
    const desired = ignore && wanted && resource.live ? respectIgnored(wanted, resource.live, ignore) : wanted;
    tasks.push(
      resource.desired
        ? applyTask(resource, desired as KubeObject, settings, definitions)
        : pruneTask(resource, settings),
    );
  }
  if (!skipHooks) for (const hook of comparison.hooks) tasks.push(...hookTasks(hook, options, settings, definitions));
  const namespace = has('CreateNamespace=true') ? namespaceTask(comparison, options, settings) : undefined;
  if (namespace) tasks.push(namespace);
  return {
    tasks: arrange(tasks, settings.pruneLast),
    refusals: refusals(comparison, options, has),
    options,
    applyOutOfSyncOnly: has('ApplyOutOfSyncOnly=true'),
    propagationPolicy:
      policies[(optionValue(syncOptions, 'PrunePropagationPolicy') ?? 'foreground') as keyof typeof policies] ??
      'Foreground',
    migrateFrom: has('ClientSideApplyMigration=false')
      ? undefined
      : options.migrationManager || 'kubectl-client-side-apply',
    destinationNamespace: comparison.destinationNamespace,
  };
}

interface PlanSettings {
  readonly prune: boolean;
  readonly force: boolean;
  readonly replace: boolean;
  readonly serverSide: boolean;
  readonly validate: boolean;
  readonly skipDryRun: boolean;
  readonly pruneLast: boolean;
  readonly defaultPrune: string | undefined;
  readonly controlNamespace: string | undefined;
}

function planSettings(options: SyncOptions, has: (option: string) => boolean): PlanSettings {
  return {
    prune: options.prune === true,
    force: options.force === true || has('Force=true'),
    replace: has('Replace=true'),
    serverSide: has('ServerSideApply=true'),
    validate: !has('Validate=false'),
    skipDryRun: has('SkipDryRunOnMissingResource=true'),
    pruneLast: has('PruneLast=true'),
    defaultPrune: optionValue(options.syncOptions ?? [], 'Prune'),
    controlNamespace: options.controlNamespace,
  };
}

function refusals(comparison: Comparison, options: SyncOptions, has: (option: string) => boolean): Diagnosis[] {
  const found = refuseUnknownOptions(options.syncOptions ?? [], 'spec.syncPolicy.syncOptions');
  found.push(
    ...comparison.findings
      .filter(({ type }) => type === 'ComparisonError' || type === 'InvalidSpecError')
      // of an object without a name the dry run tells, as upstream
      .filter(({ diagnosis }) => diagnosis.code !== nameMissing.code)
      .map(({ diagnosis }) => diagnosis),
  );
  const shared = comparison.findings
    .filter(({ type }) => type === 'SharedResourceWarning')
    .map(({ diagnosis }) => diagnosis);
  if (has('FailOnSharedResource=true') && shared.length > 0) {
    found.push(
      diagnose(sharedRefusal, {
        message: `Shared resource found: ${shared.map(({ message }) => message).join(', ')}`,
        causes: shared,
        remedies: ['Keep each object in one application, or remove FailOnSharedResource=true'],
      }),
    );
  }
  return found;
}

function isSelected(key: ObjectKey, { resources = [] }: SyncOptions): boolean {
  const matches = resources.filter(
    ({ group = '', kind, name, namespace }) =>
      compileGlob(group)(key.group) &&
      compileGlob(kind)(key.kind) &&
      compileGlob(name)(key.name) &&
      (!namespace || compileGlob(namespace)(key.namespace)),
  );
  if (matches.some(({ exclude }) => exclude)) return false;
  return matches.length > 0 || resources.every(({ exclude }) => exclude);
}

const taskId = (phase: SyncPhase, key: ObjectKey): string => `${phase}/${keyString(key)}`;

function applyTask(
  resource: ComparedResource,
  desired: KubeObject,
  settings: PlanSettings,
  definitions: ReadonlySet<string>,
): SyncTask {
  const { key, version, live, origin, wave } = resource;
  return {
    id: taskId('Sync', key),
    key,
    version,
    phase: 'Sync',
    wave,
    ...howToApply(desired, live, settings, definitions),
    reason: reasonOf(resource),
    hook: false,
    deletePolicies: [],
    desired,
    ...(live ? { live } : {}),
    ...(origin ? { origin } : {}),
    needsConfirmation: false,
    inSync: resource.status === 'Synced' && live !== undefined,
  };
}

function howToApply(
  desired: KubeObject,
  live: KubeObject | undefined,
  settings: PlanSettings,
  definitions: ReadonlySet<string>,
) {
  const option = (name: string) => hasSyncOption(desired, name) || hasSyncOption(live, name);
  const { group } = gvkOf(desired);
  const replace = (settings.replace && !hasSyncOption(desired, 'Replace=false')) || option('Replace=true');
  const serverSide =
    !hasSyncOption(desired, 'ServerSideApply=false') &&
    (settings.serverSide || hasSyncOption(desired, 'ServerSideApply=true'));
  const action: SyncAction = replace
    ? live
      ? 'replace'
      : 'create'
    : serverSide
      ? 'server-side-apply'
      : live
        ? 'apply'
        : 'create';
  return {
    action,
    replace,
    serverSide: serverSide && !replace,
    force: settings.force || option('Force=true'),
    validate: settings.validate && !hasSyncOption(desired, 'Validate=false'),
    skipDryRun:
      settings.skipDryRun ||
      hasSyncOption(desired, 'SkipDryRunOnMissingResource=true') ||
      definitions.has(`${group}/${desired.kind}`),
  };
}

function reasonOf({ live, differences, status }: ComparedResource): string {
  if (!live) return 'missing';
  if (status === 'Synced') return 'in sync';
  const [first] = differences;
  if (!first) return 'differs';
  return differences.length > 1 ? `${first.path} and ${differences.length - 1} more differ` : `${first.path} differs`;
}

function pruneTask({ key, version, live, wave }: ComparedResource, settings: PlanSettings): SyncTask {
  const option = syncOptionValue(live, 'Prune') ?? settings.defaultPrune;
  const keep = annotation(live, annotationNames.helmResourcePolicy) === 'keep' && option === undefined;
  const own =
    live !== undefined && settings.controlNamespace !== undefined && isOwnPart(live, settings.controlNamespace);
  const skipped = !settings.prune || option === 'false' || keep || own;
  return {
    id: taskId('Sync', key),
    key,
    version,
    phase: 'Sync',
    wave,
    action: skipped ? 'skip-prune' : 'prune',
    reason: settings.prune ? pruneReason({ skipped, keep, own }) : 'requires pruning',
    hook: false,
    deletePolicies: [],
    ...(live ? { live } : {}),
    force: false,
    validate: true,
    serverSide: false,
    replace: false,
    skipDryRun: false,
    needsConfirmation: !skipped && option === 'confirm',
    inSync: false,
  };
}

function pruneReason({ skipped, keep, own }: { skipped: boolean; keep: boolean; own: boolean }): string {
  if (!skipped) return 'not in the source any more';
  if (own) return 'a part of Tiphys itself';
  return keep ? 'helm.sh/resource-policy: keep' : 'Prune=false';
}

function hookTasks(
  hook: ComparedResource,
  options: SyncOptions,
  settings: PlanSettings,
  definitions: ReadonlySet<string>,
): SyncTask[] {
  const source = hook.desired as KubeObject;
  return hookTypesOf(source)
    .filter((type) => syncPhases.includes(type))
    .map((type): SyncTask => {
      const desired = structuredClone(source);
      const { metadata } = desired;
      if (!metadata.name) metadata.name = generatedName(metadata.generateName ?? '', type, options);
      metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), hookFinalizer])];
      const key = keyOf(desired);
      return {
        id: taskId(type as SyncPhase, key),
        key,
        version: hook.version,
        phase: type as SyncPhase,
        wave: hook.wave,
        ...howToApply(desired, undefined, settings, definitions),
        action: 'hook',
        reason: `${type} hook`,
        hook: true,
        hookType: type,
        deletePolicies: deletePoliciesOf(desired),
        desired,
        ...(hook.origin ? { origin: hook.origin } : {}),
        needsConfirmation: false,
        inSync: false,
      };
    });
}

/** The same in every plan of one operation, so that a resumed one finds what it made. Upstream's form. */
function generatedName(prefix: string, type: HookType, { revision, startedAt }: SyncOptions): string {
  const short = revision.length >= 8 ? revision.slice(0, 7) : revision;
  return `${prefix}${`${short}-${type}-${Math.floor(Date.parse(startedAt) / 1000)}`.toLowerCase()}`;
}

/** The destination namespace, where it is to be made or its metadata to be kept; it is not tracked and never pruned. */
function namespaceTask(comparison: Comparison, options: SyncOptions, settings: PlanSettings): SyncTask | undefined {
  const name = comparison.destinationNamespace;
  const isIt = ({ key }: ComparedResource) => key.group === '' && key.kind === 'Namespace' && key.name === name;
  if (
    !name ||
    comparison.resources.some((resource) => isIt(resource) && resource.desired) ||
    comparison.hooks.some(isIt)
  )
    return undefined;
  const key: ObjectKey = { group: '', kind: 'Namespace', namespace: '', name };
  const { labels, annotations } = options.managedNamespaceMetadata ?? {};
  const managed = labels !== undefined || annotations !== undefined;
  const serverSide = managed || settings.serverSide;
  const desired: KubeObject = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      ...(labels ? { labels: { ...labels } } : {}),
      // written by server-side apply, so that nobody else's labels are touched and removed ones go away
      ...(managed ? { annotations: { ...annotations, [annotationNames.syncOptions]: 'ServerSideApply=true' } } : {}),
    },
  };
  return {
    id: taskId('PreSync', key),
    key,
    version: 'v1',
    phase: 'PreSync',
    wave: Number.MIN_SAFE_INTEGER,
    action: serverSide ? 'server-side-apply' : 'create',
    reason: managed ? 'managedNamespaceMetadata' : 'CreateNamespace=true',
    hook: false,
    deletePolicies: [],
    desired,
    force: false,
    validate: settings.validate,
    serverSide,
    replace: false,
    skipDryRun: true,
    needsConfirmation: false,
    inSync: false,
  };
}

/** One line a task, as `tiphys app sync --dry-run` prints it. */
export function describePlan(plan: SyncPlan): string[] {
  return plan.tasks.map(({ phase, wave, action, key, reason }) => {
    const where = wave === Number.MIN_SAFE_INTEGER ? phase : `${phase} wave ${wave}`;
    return `${where}: ${action} ${describeKey(key)} (${reason})`;
  });
}
