import { builtinType, PatchError, strategicMerge } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import { anyText } from '../model/go-text.ts';
import type { PodSpec } from '../model/types.ts';
import { substituteText } from '../text/substitute.ts';
import { merged, type Value } from '../text/variables.ts';
import { type PodRequest, PodRequestError } from './pod-request.ts';

/** The pod's spec with `podSpecPatch` of workflow and template, YAML or JSON, merged strategically. */
export function patchPodSpec(request: PodRequest, spec: PodSpec): PodSpec {
  let result = spec;
  for (const patch of [request.spec.podSpecPatch, request.template.podSpecPatch]) {
    if (!patch) continue;
    result = mergePodSpec(result, substituteText(patch, podVariables(request)));
  }
  return result;
}

/** A pod's spec with a patch in YAML or JSON, merged strategically. Throws a `PodRequestError`. */
export function mergePodSpec(spec: PodSpec, text: string): PodSpec {
  const patch = parsePatch(text);
  const type = builtinType({ group: '', version: 'v1', kind: 'Pod' });
  if (!type) throw new Error('The type of Pod is not known');
  try {
    return strategicMerge({ apiVersion: 'v1', kind: 'Pod', spec }, { spec: patch }, type).spec;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw new PodRequestError(`Error applying PodSpecPatch: ${error.message}`);
  }
}

/** Variables that a pod's own texts may use. */
export function podVariables({ template, globals, podName }: PodRequest): Map<string, Value> {
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
