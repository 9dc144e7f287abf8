import type { Resource } from '@tiphys/apimachinery';
import { type KubeObject, type LabelSelector, selectorMatches } from '@tiphys/kubernetes';
import type { Attributes } from './attributes.ts';

/** Which requests are meant. */
export interface Rule {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
  resourceNames?: string[];
}

/** What webhooks and policies have to choose requests. */
export interface Matching {
  readonly rules?: readonly Rule[] | undefined;
  readonly matchPolicy?: string | undefined;
  readonly namespaceSelector?: LabelSelector | undefined;
  readonly objectSelector?: LabelSelector | undefined;
}

/** The resource in whose version a request is to be shown; undefined when the request is not meant. */
export function matchedResource(attributes: Attributes, matching: Matching): Resource | undefined {
  const { resource } = attributes;
  const { rules = [] } = matching;
  if (!namespaceMatches(attributes, matching.namespaceSelector)) return undefined;
  if (!objectMatches(attributes, matching.objectSelector)) return undefined;
  if (rules.some((rule) => ruleMatches(rule, attributes, resource))) return resource;
  if (matching.matchPolicy !== 'Equivalent') return undefined;
  const others = equivalents(attributes);
  for (const rule of rules) {
    const found = others.find((other) => ruleMatches(rule, attributes, other));
    if (found) return found;
  }
  return undefined;
}

/** The same objects in other versions and groups. */
function equivalents({ server, resource }: Attributes): Resource[] {
  return [...server.registry.all()].filter(
    (other) => other !== resource && other.collection === resource.collection && other.plural === resource.plural,
  );
}

function listed(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(value));
}

export function ruleMatches(rule: Rule, attributes: Attributes, resource: Resource): boolean {
  const { operation, subresource, namespace, name } = attributes;
  const clusterScoped = namespace === '' || resource.collection === 'namespaces';
  if (rule.scope === 'Cluster' && !clusterScoped) return false;
  if (rule.scope === 'Namespaced' && clusterScoped) return false;
  return (
    listed(rule.operations, operation) &&
    listed(rule.apiGroups, resource.group) &&
    listed(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((text) => {
      const [plural = '', sub = ''] = text.split('/');
      return (plural === '*' || plural === resource.plural) && (sub === '*' || sub === subresource);
    }) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(name))
  );
}

/** A namespace itself is chosen by its own labels; other cluster-scoped objects always are. */
function namespaceMatches(attributes: Attributes, selector: LabelSelector | undefined): boolean {
  const { server, resource, namespace, object, old, operation } = attributes;
  if (!selector || isEmpty(selector)) return true;
  if (resource.collection === 'namespaces') {
    const labels = (operation === 'DELETE' ? old : object)?.metadata?.labels ?? {};
    return selectorMatches(selector, labels);
  }
  if (!namespace) return true;
  const labels = server.store.collection('namespaces').get(namespace)?.object.metadata.labels ?? {};
  return selectorMatches(selector, labels);
}

function objectMatches({ object, old }: Attributes, selector: LabelSelector | undefined): boolean {
  if (!selector || isEmpty(selector)) return true;
  const matches = (candidate: KubeObject | undefined) =>
    candidate !== undefined && selectorMatches(selector, candidate.metadata?.labels ?? {});
  return matches(object) || matches(old);
}

function isEmpty({ matchLabels, matchExpressions }: LabelSelector): boolean {
  return !Object.keys(matchLabels ?? {}).length && !matchExpressions?.length;
}

/** Configurations of admission can't be kept from being corrected by themselves. */
const EXEMPT = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
]);

export function isExempt({ resource }: Attributes): boolean {
  return resource.group === 'admissionregistration.k8s.io' && EXEMPT.has(resource.plural);
}
