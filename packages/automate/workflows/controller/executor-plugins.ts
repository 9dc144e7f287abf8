import { workflowNames } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import { type ExecutorPlugin, plugin, pluginOfSpec } from '../model/executor-plugin.ts';
import type { Container, Workflow } from '../model/types.ts';
import type { Surroundings } from './surroundings.ts';

const pluginInvalid = defineDiagnosis(
  'ExecutorPluginInvalid',
  'A ConfigMap of an executor plugin cannot be used, so that agents run without it',
);

const suffix = '-executor-plugin';

/**
 * The plugins of a workflow's agent, as upstream: those of its own spec; else those of ConfigMaps labelled
 * `workflows.argoproj.io/configmap-type: ExecutorPlugin` in the controller's and the workflow's namespace, by name.
 */
export async function executorPluginsOf(
  { client, settings, namespace: control, report }: Surroundings,
  workflow: Workflow,
  signal: AbortSignal,
): Promise<ExecutorPlugin[]> {
  const spec = workflow.status?.storedWorkflowTemplateSpec ?? workflow.spec;
  // what is wrong with these was found before the workflow began
  if (spec.executorPlugins?.length)
    return spec.executorPlugins.map(pluginOfSpec).filter((found) => typeof found !== 'string');
  if (!settings().executorPlugins) return [];
  const plugins: ExecutorPlugin[] = [];
  for (const namespace of new Set([control, workflow.metadata.namespace ?? ''])) {
    const { items } = await client.list<KubeObject & { data?: Record<string, string> }>(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace },
      { labelSelector: `${workflowNames.labels.configMapType}=ExecutorPlugin`, signal },
    );
    for (const item of items.sort(byName)) {
      const found = pluginOfConfigMap(item);
      if ('code' in found) report(found);
      else plugins.push(found);
    }
  }
  return plugins;
}

/** The plugin of a ConfigMap, or what is wrong with it. */
export function pluginOfConfigMap({
  metadata,
  data = {},
}: KubeObject & { data?: Record<string, string> }): ExecutorPlugin | Diagnosis {
  const { name = '', namespace = '' } = metadata;
  const found = readPlugin(name, data);
  if (typeof found !== 'string') return found;
  return diagnose(pluginInvalid, {
    message: `The executor plugin ${namespace}/${name} cannot be used: ${found}`,
    place: { object: `ConfigMap ${namespace}/${name}`, field: 'data["sidecar.container"]' },
    remedies: ['Correct the container; `tiphys workflows executor-plugin build` makes such ConfigMaps'],
  });
}

function readPlugin(name: string, data: Readonly<Record<string, string>>): ExecutorPlugin | string {
  try {
    const file = 'sidecar.container';
    const container = parseDocuments(data[file] ?? '', { file }).documents[0]?.value as Container | null | undefined;
    const base = name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
    return plugin(base, container ?? undefined, data['sidecar.automountServiceAccountToken'] === 'true');
  } catch (error) {
    return (error as Error).message;
  }
}

function byName(a: KubeObject, b: KubeObject): number {
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
