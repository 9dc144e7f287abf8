import type { DuckTypeGenerator } from '@tiphys/api';
import { type Diagnosis, diagnose, failure } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { generatorFailed, generatorIncomplete, generatorInvalid } from '../diagnoses/diagnoses.ts';
import { goText } from '../params/flatten.ts';
import { type Element, isRecord, newParams } from '../params/params.ts';
import { selectsSome } from '../params/selector.ts';
import { inClusterName, inClusterServer, secretValue } from './clusters.ts';
import type { Generator } from './generator.ts';
import type { GeneratorSources } from './sources.ts';

/** The clusters that the status of another resource chooses, such as a PlacementDecision; a ConfigMap says how it is read. */
export const decisionGenerator: Generator<DuckTypeGenerator> = {
  async generate(spec, { dialect, sources }, field) {
    const place = { field: `${field}.clusterDecisionResource` };
    const settings = await readConfigMap(spec.configMapRef, sources, place.field);
    const byName = Boolean(spec.name);
    if (byName === selectsSome(spec.labelSelector))
      throw failure(generatorInvalid, {
        message: 'there is a problem with the definition of the ClusterDecisionResource generator',
        place,
        remedies: ['Set either name or labelSelector'],
      });
    const resources = await sources.decisions({
      ...settings.resource,
      ...(spec.name ? { name: spec.name } : { labelSelector: spec.labelSelector ?? {} }),
    });
    if (resources.length === 0)
      throw failure(generatorFailed, {
        message: 'no clusterDecisionResources found',
        place,
        evidence: { resource: `${settings.resource.plural}.${settings.resource.group}`, name: spec.name },
        remedies: ['Create the resource, or correct the name or the labels'],
      });
    const gaps: Diagnosis[] = [];
    const elements: Element[] = [];
    for (const resource of resources) {
      const decisions = decisionsOf(resource, settings.statusListKey);
      if (!decisions) {
        gaps.push(noStatus(resource, settings.statusListKey, place));
        continue;
      }
      for (const decision of decisions) {
        const cluster = clusterNamed(decision[settings.matchKey], sources);
        if (!cluster) continue;
        const params = newParams(cluster);
        for (const [key, value] of Object.entries(decision)) params[key] = goText(value);
        // upstream rule: these values are not templates
        const values = Object.entries(spec.values ?? {});
        if (dialect.goTemplate && values.length > 0) params.values = newParams(Object.fromEntries(values));
        if (!dialect.goTemplate) for (const [key, value] of values) params[`values.${key}`] = value;
        const element = `cluster ${cluster.name} of ${resource.metadata.name ?? ''}`;
        elements.push({ params, origin: { field: place.field, generator: 'clusterDecisionResource', element } });
      }
    }
    return { elements, gaps };
  },
  requeueAfter: ({ requeueAfterSeconds }, sources) =>
    requeueAfterSeconds === undefined ? sources.settings().requeueAfter : requeueAfterSeconds * 1000 || undefined,
};

async function readConfigMap(name: string, sources: GeneratorSources, field: string) {
  const configMap = await sources.configMap(sources.controlNamespace, name);
  const place = { object: `ConfigMap ${sources.controlNamespace}/${name}`, field };
  if (!configMap)
    throw failure(generatorInvalid, {
      message: `error reading configMapRef: configmaps "${name}" not found`,
      place,
      remedies: [
        'Create the ConfigMap in the namespace of the control plane, with apiVersion, kind, statusListKey and matchKey',
      ],
    });
  const { apiVersion = '', kind = '', statusListKey, matchKey = '' } = (configMap.data ?? {}) as Record<string, string>;
  const slash = apiVersion.indexOf('/');
  if (kind === '' || slash < 1)
    throw failure(generatorInvalid, {
      message: 'there is a problem with the apiVersion, kind or resourceName provided',
      place,
      evidence: { apiVersion, kind },
      remedies: [
        'Set apiVersion to GROUP/VERSION and kind to the plural name of the resource, such as placementdecisions',
      ],
    });
  if (matchKey === '')
    throw failure(generatorInvalid, {
      message: `matchKey not found in ${name}`,
      place,
      remedies: ['Set matchKey to the field of a decision that holds the name of the cluster, such as clusterName'],
    });
  const resource = { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), plural: kind };
  return { resource, statusListKey: statusListKey || 'clusters', matchKey };
}

/** Undefined where the controller of the resource has not said anything yet. */
function decisionsOf(resource: KubeObject, key: string): Record<string, unknown>[] | undefined {
  const list = isRecord(resource.status) ? resource.status[key] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : undefined;
}

function noStatus(resource: KubeObject, key: string, place: { field: string }): Diagnosis {
  const { namespace, name } = resource.metadata;
  return diagnose(generatorIncomplete, {
    message: `${resource.kind} ${name} has no status.${key} yet, so what it decides is not known`,
    place: { ...place, object: `${resource.kind} ${namespace}/${name}` },
    remedies: ['Wait for the controller of the resource, or correct statusListKey in the ConfigMap'],
  });
}

function clusterNamed(value: unknown, sources: GeneratorSources): { name: string; server: string } | undefined {
  if (value === undefined || value === null) return undefined;
  const wanted = goText(value);
  let registered = false;
  for (const secret of sources.clusterSecrets()) {
    const server = secretValue(secret, 'server') ?? '';
    if (server === inClusterServer) registered = true;
    if (secretValue(secret, 'name') === wanted) return { name: wanted, server };
  }
  return wanted === inClusterName && !registered ? { name: inClusterName, server: inClusterServer } : undefined;
}
