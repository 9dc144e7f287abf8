import { type KubeObject, type ObjectKey, parseApiVersion } from '@tiphys/kubernetes';
import { annotation, annotationNames } from './annotations.ts';
import { isHook } from './hooks.ts';
import type { Tracking, TrackingMethod } from './model.ts';

/** How a cluster's objects are told apart; `Tracking` without the instance. */
export interface TrackingRule {
  readonly method: TrackingMethod;
  readonly labelKey?: string;
  readonly installationId?: string;
}

const defaultLabelKey = 'app.kubernetes.io/instance';
const labelLimit = 63;

/** `instance:group/Kind:namespace/name` */
export function trackingId(instance: string, key: ObjectKey): string {
  return `${instance}:${key.group}/${key.kind}:${key.namespace}/${key.name}`;
}

export interface TrackingClaim {
  readonly instance: string;
  /** The object that the annotation names; absent for the label method. */
  readonly subject?: ObjectKey;
}

/** The parts of a tracking id; undefined if the text is none. */
export function parseTrackingId(text: string): TrackingClaim | undefined {
  const [instance, kind, name, ...rest] = splitFirst(text, ':', 3);
  const kinds = kind?.split('/');
  const names = name?.split('/');
  if (!instance || rest.length > 0 || kinds?.length !== 2 || names?.length !== 2) return undefined;
  return {
    instance,
    subject: { group: kinds[0] ?? '', kind: kinds[1] ?? '', namespace: names[0] ?? '', name: names[1] ?? '' },
  };
}

function splitFirst(text: string, separator: string, parts: number): string[] {
  const all = text.split(separator);
  return all.length <= parts ? all : [...all.slice(0, parts - 1), all.slice(parts - 1).join(separator)];
}

/** What the object says about whose it is, whether or not it speaks of itself. */
export function trackingClaim(object: KubeObject, rule: TrackingRule): TrackingClaim | undefined {
  if (rule.method === 'label') {
    const instance = object.metadata.labels?.[rule.labelKey ?? defaultLabelKey];
    return instance ? { instance } : undefined;
  }
  if (rule.installationId && annotation(object, annotationNames.installationId) !== rule.installationId)
    return undefined;
  const text = annotation(object, annotationNames.trackingId);
  return text ? parseTrackingId(text) : undefined;
}

/**
 * The instance that owns a live object. A claim that names another object is a copy made by some controller and counts
 * for nothing (upstream's self-reference rule); the namespace is not compared for cluster-scoped objects, since ids of
 * those carry the application's namespace. Hooks that came without a name got theirs after their id.
 */
export function owningInstance(object: KubeObject, rule: TrackingRule): string {
  const claim = trackingClaim(object, rule);
  if (!claim) return '';
  const { subject } = claim;
  if (!subject) return claim.instance;
  const { metadata } = object;
  const own =
    (subject.name === metadata.name || (subject.name === '' && isHook(object))) &&
    subject.kind === object.kind &&
    subject.group === parseApiVersion(object.apiVersion).group &&
    (!metadata.namespace || subject.namespace === metadata.namespace);
  return own ? claim.instance : '';
}

/**
 * Marks an object, which is changed, as the application's. `destinationNamespace` stands in ids of cluster-scoped objects.
 * Definitions of custom resources are never marked, as upstream: what others have made of them must not go with an application.
 */
export function setTracking(object: KubeObject, tracking: Tracking, destinationNamespace: string): void {
  if (object.kind === 'CustomResourceDefinition' && object.apiVersion.startsWith('apiextensions.k8s.io/')) return;
  const { metadata } = object;
  if (tracking.method !== 'label') {
    const { group } = parseApiVersion(object.apiVersion);
    const namespace = metadata.namespace || destinationNamespace;
    const annotations = { ...metadata.annotations };
    annotations[annotationNames.trackingId] = trackingId(tracking.instance, {
      group,
      kind: object.kind,
      namespace,
      name: metadata.name ?? '',
    });
    if (tracking.installationId) annotations[annotationNames.installationId] = tracking.installationId;
    else delete annotations[annotationNames.installationId];
    metadata.annotations = annotations;
  }
  if (tracking.method !== 'annotation') {
    const key = tracking.labelKey ?? defaultLabelKey;
    // a label that identifies alone must not be cut: the server then refuses it, which is better than a wrong owner
    const value = tracking.method === 'label' ? tracking.instance : truncateLabel(tracking.instance);
    metadata.labels = { ...metadata.labels, [key]: value };
  }
}

/** The text cut to what a label may hold, ending in a letter or digit. */
function truncateLabel(text: string): string {
  return text.length <= labelLimit ? text : text.slice(0, labelLimit).replace(/(?<![^A-Za-z0-9])[^A-Za-z0-9]+$/, '');
}
