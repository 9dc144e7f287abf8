import { workflowNames } from '@tiphys/api';
import { copyJson } from '@tiphys/controller';
import { mergeOver } from '../model/merge.ts';
import type { Artifact, ArtifactLocation, Workflow, WorkflowSpec } from '../model/types.ts';
import { OperationError } from './halt.ts';
import type { Operation } from './operation.ts';

/** Fields that users may set on a workflow of a template although `templateReferencing` restricts them to templates. */
const allowedOverrides = new Set([
  'arguments',
  'entrypoint',
  'shutdown',
  'suspend',
  'activeDeadlineSeconds',
  'priority',
  'ttlStrategy',
  'podGC',
  'volumeClaimGC',
  'archiveLogs',
  'workflowMetadata',
  'workflowTemplateRef',
  'metrics',
  'artifactGC',
]);

/**
 * Decides what runs: the workflow's spec with the installation's defaults, or the spec of its WorkflowTemplate below its own, kept
 * in the status when the workflow begins. Throws an `OperationError`.
 */
export function setExecutableSpec(op: Operation): void {
  const { workflow, facts } = op;
  const restricted = facts.settings.templateReferencing !== undefined;
  if (!workflow.spec.workflowTemplateRef) {
    if (restricted)
      throw new OperationError(
        'workflows must use workflowTemplateRef to be executed when the controller is in reference mode',
      );
    applyDefaults(op);
    op.spec = copyJson(workflow.spec);
    return;
  }
  if (restricted) refuseOverrides(op, workflow.spec);
  op.spec = copyJson(storedSpec(op));
  const { name, clusterScope } = workflow.spec.workflowTemplateRef;
  const { labels } = workflowNames;
  workflow.metadata.labels ??= {};
  workflow.metadata.labels[clusterScope ? labels.clusterWorkflowTemplate : labels.workflowTemplate] = name;
}

function applyDefaults({ workflow, facts }: Operation): void {
  const defaults = facts.settings.workflowDefaults;
  if (!defaults || workflow.status?.phase) return;
  workflow.spec = joinSpecs(workflow.spec, defaults.spec);
  joinMetadata(workflow, defaults.metadata);
}

function joinMetadata({ metadata }: Workflow, defaults: Workflow['metadata'] | undefined): void {
  if (defaults?.labels) metadata.labels = { ...defaults.labels, ...metadata.labels };
  if (defaults?.annotations) metadata.annotations = { ...defaults.annotations, ...metadata.annotations };
}

function storedSpec(op: Operation): WorkflowSpec {
  const { workflow, status } = op;
  const own = workflow.spec;
  const stored = status.storedWorkflowTemplateSpec;
  const { settings } = op.facts;
  if (stored && !isStale(own, stored)) {
    if (settings.templateReferencing === 'Secure') requireUnchanged(op, stored);
    return stored;
  }
  const base = stored ?? templateSpec(op);
  if (!stored) joinMetadata(workflow, settings.workflowDefaults?.metadata);
  const joined = joinSpecs(allowedPart(op, own), base, settings.workflowDefaults?.spec);
  if (own.suspend) joined.suspend = true;
  else delete joined.suspend;
  status.storedWorkflowTemplateSpec = joined;
  return joined;
}

/** True if what people change on a running workflow is not in the stored spec yet. */
function isStale(own: WorkflowSpec, stored: WorkflowSpec): boolean {
  return (
    (Boolean(own.entrypoint) && !stored.entrypoint) ||
    Boolean(own.suspend) !== Boolean(stored.suspend) ||
    (own.shutdown ?? '') !== (stored.shutdown ?? '')
  );
}

function templateSpec({ workflow, facts }: Operation): WorkflowSpec {
  const { name = '', clusterScope } = workflow.spec.workflowTemplateRef ?? {};
  const template = facts.template(clusterScope ? 'cluster' : 'namespaced', name);
  if (template) return template.spec;
  const kind = clusterScope ? 'clusterworkflowtemplates' : 'workflowtemplates';
  throw new OperationError(`${kind}.argoproj.io "${name}" not found`);
}

function allowedPart({ facts }: Operation, spec: WorkflowSpec): WorkflowSpec {
  if (!facts.settings.templateReferencing) return spec;
  const { artifactGC, ...kept } = Object.fromEntries(
    Object.entries(spec).filter(([field]) => mayOverride(facts, field)),
  ) as WorkflowSpec;
  if (!artifactGC) return kept;
  const { podSpecPatch, serviceAccountName, podMetadata, ...harmless } = artifactGC;
  return { ...kept, artifactGC: harmless };
}

function mayOverride({ settings }: Operation['facts'], field: string): boolean {
  return allowedOverrides.has(field) || settings.userOverrides?.includes(field) === true;
}

function refuseOverrides({ facts }: Operation, spec: WorkflowSpec): void {
  const { artifactGC } = spec;
  const refused = Object.entries(spec).flatMap(([field, value]) =>
    mayOverride(facts, field) || value === undefined || value === null || value === '' ? [] : field,
  );
  for (const field of ['podSpecPatch', 'serviceAccountName', 'podMetadata'] as const)
    if (artifactGC?.[field]) refused.push(`artifactGC.${field}`);
  if (refused.length === 0) return;
  throw new OperationError(
    `fields [${refused.sort().join(' ')}] are not permitted when using workflowTemplateRef with templateReferencing restriction`,
  );
}

function requireUnchanged(op: Operation, stored: WorkflowSpec): void {
  const now = joinSpecs(allowedPart(op, op.workflow.spec), templateSpec(op), op.facts.settings.workflowDefaults?.spec);
  if (canonical(now) === canonical(stored)) return;
  throw new OperationError(
    'WorkflowSpec may not change during execution when the controller is set `templateReferencing: Secure`',
  );
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, field) =>
    field !== null && typeof field === 'object' && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}

/** The first spec with what the later ones say where it says nothing. Hooks and arguments are taken whole, by name. */
export function joinSpecs(own: WorkflowSpec, ...below: readonly (WorkflowSpec | undefined)[]): WorkflowSpec {
  let joined = structuredClone(own);
  for (const base of below) {
    if (!base) continue;
    const { hooks, workflowMetadata, ...rest } = structuredClone(base);
    const { labelsFrom, ...metadata } = workflowMetadata ?? {};
    const merged = mergeOver(
      { ...rest, ...(workflowMetadata ? { workflowMetadata: metadata } : {}) } as Record<string, unknown>,
      joined as Record<string, unknown>,
    ) as WorkflowSpec;
    if (hooks) merged.hooks = { ...hooks, ...merged.hooks };
    if (labelsFrom && merged.workflowMetadata)
      merged.workflowMetadata.labelsFrom = { ...labelsFrom, ...merged.workflowMetadata.labelsFrom };
    joined = merged;
  }
  joinArguments(joined, [own, below[0]]);
  return joined;
}

function joinArguments(joined: WorkflowSpec, sources: readonly (WorkflowSpec | undefined)[]): void {
  const { parameters, artifacts } = joined.arguments ?? {};
  for (const [index, parameter] of (parameters ?? []).entries()) {
    if (parameter.value === undefined && !parameter.valueFrom) continue;
    const source = sources
      .map((spec) => spec?.arguments?.parameters?.find(({ name }) => name === parameter.name))
      .find((found) => found && (found.value !== undefined || found.valueFrom));
    if (source && parameters) parameters[index] = structuredClone(source);
  }
  for (const [index, artifact] of (artifacts ?? []).entries()) {
    const source = sources
      .map((spec) => spec?.arguments?.artifacts?.find(({ name }) => name === artifact.name))
      .find((found) => found !== undefined);
    if (source && artifacts) artifacts[index] = overridden(artifact, source);
  }
}

const drivers = ['s3', 'git', 'http', 'artifactory', 'hdfs', 'raw', 'oss', 'gcs', 'azure', 'plugin'] as const;

/** An artifact of the same driver keeps what only the other one says of its place, such as the bucket. */
function overridden(base: Artifact, over: Artifact): Artifact {
  const driver = drivers.find((name) => over[name]);
  if (!driver || !base[driver]) return structuredClone(over);
  const location: ArtifactLocation = { [driver]: mergeOver(base[driver] as never, over[driver] as never) };
  return { ...structuredClone(over), ...location };
}
