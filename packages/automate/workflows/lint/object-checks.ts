import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, keyOf } from '@tiphys/kubernetes';
import type { Template } from '../model/types.ts';
import { lintSpec } from './lint-spec.ts';
import { lintedKinds, pathInObject, templatesOf, workflowSpecOf } from './linted.ts';
import { pathText } from './path-text.ts';

const workflowMistaken = defineDiagnosis(
  'WorkflowMistaken',
  'A workflow, or a template of workflows, that is delivered cannot run as it is written',
);

/** How many of an object's mistakes are told; the rest shows once these are mended. */
const told = 5;

/** What `lint` finds in an object that is delivered. Of templates that are not delivered with it nothing is said. */
function check(object: KubeObject, all: readonly KubeObject[]): Diagnosis[] {
  const { kind } = object;
  const spec = workflowSpecOf(object);
  const [first] = templatesOf({ spec });
  // settings may give a workflow the entrypoint that it lacks
  const named = spec.entrypoint || !first?.name ? spec : { ...spec, entrypoint: first.name };
  const templates = (name: string, isCluster: boolean): readonly Template[] | undefined => {
    const holder = all.find(
      (each) =>
        each.kind === (isCluster ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate') &&
        each.metadata.name === name &&
        (isCluster || each.metadata.namespace === object.metadata.namespace),
    );
    return holder && templatesOf(holder);
  };
  const findings = lintSpec(named, { templates }, { isTemplate: kind.endsWith('WorkflowTemplate') });
  return findings.slice(0, told).map(({ path, message, remedy }) =>
    diagnose(workflowMistaken, {
      message: `${kind} ${object.metadata.name ?? object.metadata.generateName} cannot run as it is written: ${message}`,
      place: {
        object: describeKey(keyOf(object)),
        field: pathText(pathInObject(object, path)),
      },
      remedies: [remedy],
    }),
  );
}

/** By `group/Kind`: what is wrong in desired objects of workflows, told before anything runs them. */
export const workflowChecks: ReadonlyMap<string, typeof check> = new Map(
  lintedKinds.map((kind) => [`argoproj.io/${kind}`, check]),
);
