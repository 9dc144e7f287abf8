import { strategicMerge } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import type { PodSpec } from '../model/types.ts';
import { substituteText } from '../text/substitute.ts';
import { merged, type Value } from '../text/variables.ts';
import { anyText } from '../model/go-text.ts';
import { type PodRequest, PodRequestError } from './pod-request.ts';

/** The pod's spec with `podSpecPatch` of workflow and template, YAML or JSON, merged strategically. */
export function patchPodSpec(request: PodRequest, spec: PodSpec): PodSpec {
  let result = spec;
  for (const patch of [request.spec.podSpecPatch, request.template.podSpecPatch]) {
    if (!patch) continue;
    const body = parsePatch(substituteText(patch, variables(request)));
    const { spec: next } = strategicMerge(
      { apiVersion: 'v1', kind: 'Pod', spec: result } as never,
      { spec: body } as never,
    ) as unknown as { spec: PodSpec };
    result = next;
  }
  return result;
}

function variables({ template, globals, podName }: PodRequest): Map<string, Value> {
  const own = new Map<string, Value>([['pod.name', podName]]);
  for (const { name, value } of template.inputs?.parameters ?? [])
    if (value !== undefined) own.set(`inputs.parameters.${name}`, anyText(value));
  return merged(own, globals);
}

function parsePatch(text: string): unknown {
  try {
    return parseDocuments(text, { file: 'podSpecPatch' }).documents[0]?.value ?? {};
  } catch (error) {
    throw new PodRequestError(`Error applying PodSpecPatch: ${(error as Error).message}`);
  }
}

export { variables as podVariables };
