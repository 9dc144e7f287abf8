import { type AnalysisTemplate, type Argument, mergeArguments } from '@tiphys/analysis';
import { rolloutNames } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { notCreatable } from './refusals.ts';

export interface RunOfTemplate {
  readonly namespace: string;
  readonly args: readonly Argument[];
  readonly name?: string | undefined;
  readonly generateName?: string | undefined;
  readonly instanceId?: string | undefined;
}

/** The AnalysisRun of one template, nested templates left out, as `kubectl argo rollouts create analysisrun` makes it. */
export function runOfTemplate(template: KubeObject, wanted: RunOfTemplate): KubeObject {
  const { metadata, spec = {} } = template as AnalysisTemplate;
  const { namespace, name, instanceId } = wanted;
  const generateName = wanted.generateName || `${metadata?.name ?? ''}-`;
  if (!name && generateName === '-')
    throw failure(notCreatable, {
      message: 'name is invalid',
      remedies: ['give --name or --generate-name: the template has no name'],
    });
  const args = spec.args ? mergeArguments(wanted.args, spec.args) : wanted.args;
  const labels = instanceId ? { [rolloutNames.labels.instanceId]: instanceId } : metadata?.labels;
  return {
    apiVersion: rolloutNames.apiVersion,
    kind: 'AnalysisRun',
    metadata: {
      ...(name ? { name } : { generateName }),
      namespace,
      ...(labels ? { labels } : {}),
      ...(metadata?.annotations ? { annotations: metadata.annotations } : {}),
    },
    spec: { ...spec, ...(args.length > 0 ? { args } : {}) },
  } as KubeObject;
}
