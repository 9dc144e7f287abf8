import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, keyOf } from '@tiphys/kubernetes';
import type { Template, WorkflowSpec } from '../model/types.ts';
import { lintSpec } from './lint-spec.ts';
import { pathText } from './path-text.ts';

const workflowMistaken = defineDiagnosis(
  'WorkflowMistaken',
  'A workflow, or a template of workflows, that is delivered cannot run as it is written',
);

type Holder = KubeObject & { readonly spec?: WorkflowSpec & { readonly workflowSpec?: WorkflowSpec } };

/** How many of an object's mistakes are told; the rest shows once these are mended. */
const told = 5;

/** What `lint` finds in an object that is delivered. Of templates that are not delivered with it nothing is said. */
function check(object: KubeObject, all: readonly KubeObject[]): Diagnosis[] {
  const { kind, spec: written = {} } = object as Holder;
  const isCron = kind === 'CronWorkflow';
  const spec = isCron ? (written.workflowSpec ?? {}) : written;
  // settings may give a workflow the entrypoint that it lacks
  const [first] = spec.templates ?? [];
  const named = spec.entrypoint || !first?.name ? spec : { ...spec, entrypoint: first.name };
  const templates = (name: string, isCluster: boolean): readonly Template[] | undefined =>
    (all as readonly Holder[]).find(
      (each) =>
        each.kind === (isCluster ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate') &&
        each.metadata.name === name &&
        (isCluster || each.metadata.namespace === object.metadata.namespace),
    )?.spec?.templates;
  const findings = lintSpec(named, { templates }, { isTemplate: kind.endsWith('WorkflowTemplate') });
  return findings.slice(0, told).map(({ path, message, remedy }) =>
    diagnose(workflowMistaken, {
      message: `${kind} ${object.metadata.name ?? object.metadata.generateName} cannot run as it is written: ${message}`,
      place: {
        object: describeKey(keyOf(object)),
        field: pathText(isCron ? ['spec', 'workflowSpec', ...path.slice(1)] : path),
      },
      remedies: [remedy],
    }),
  );
}

const kinds = ['Workflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate', 'CronWorkflow'];

/** By `group/Kind`: what is wrong in desired objects of workflows, told before anything runs them. */
export const workflowChecks: ReadonlyMap<string, typeof check> = new Map(
  kinds.map((kind) => [`argoproj.io/${kind}`, check]),
);
