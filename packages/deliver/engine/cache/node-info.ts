import { type KubeObject, type ObjectKey, parseApiVersion } from '@tiphys/kubernetes';
import { objectAt, objectsAt, textAt, valueAt } from '../model/fields.ts';
import type { TreeNode } from '../model/model.ts';
import { podInfo } from './pod-info.ts';

export type Info = { name: string; value: string };
export type Networking = NonNullable<TreeNode['networking']>;

export interface NodeFacts {
  info: readonly Info[];
  images: readonly string[];
  networking?: Networking;
}

const none: readonly never[] = [];

/** What the resource tree shows of an object beside its health, with the labels to show; upstream's names and rules. */
export function nodeFacts(object: KubeObject, customLabels: readonly string[] = none): NodeFacts {
  const { group } = parseApiVersion(object.apiVersion);
  const info: Info[] = [];
  const revision = revisionOf(object);
  if (revision) info.push({ name: 'Revision', value: `Rev:${revision}` });
  for (const name of customLabels) {
    const value = object.metadata.labels?.[name];
    if (value !== undefined) info.push({ name, value });
  }
  const manager = group === 'argoproj.io' && object.kind === 'Application' ? managerOf(object) : '';
  if (manager) info.push({ name: 'managed-by-url', value: manager });
  const links = externalLinks(object);
  let networking: Networking | undefined = links.length > 0 ? { externalURLs: links } : undefined;
  let images: readonly string[] = none;
  if (group === '' && object.kind === 'Pod') {
    const pod = podInfo(object);
    info.push(...pod.info);
    images = pod.images;
    networking = { ...networking, labels: object.metadata.labels ?? {} };
  } else if (group === '' && object.kind === 'Service') {
    const addresses = textAt(object, 'spec', 'type') === 'LoadBalancer' ? addressesOf(object) : [];
    networking = {
      ...networking,
      targetLabels: objectAt(object, 'spec', 'selector') as Record<string, string>,
      ingress: addresses,
    };
  } else if (object.kind === 'Ingress' && (group === 'networking.k8s.io' || group === 'extensions')) {
    networking = ingressNetworking(object, links);
  } else {
    images = templateImages(object);
  }
  return { info: info.length > 0 ? info : none, images, ...(networking ? { networking } : {}) };
}

function revisionOf({ metadata }: KubeObject): string {
  const text =
    metadata.annotations?.['deployment.kubernetes.io/revision'] ??
    metadata.annotations?.['rollout.argoproj.io/revision'];
  return text && /^[1-9]\d*$/.test(text) ? text : '';
}

/** Images that an object's pods will run: of its pod template, wherever kinds of the built-in workloads keep it. */
export function templateImages(object: KubeObject): readonly string[] {
  const spec =
    object.kind === 'Pod'
      ? objectAt(object, 'spec')
      : object.kind === 'CronJob'
        ? objectAt(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec')
        : objectAt(object, 'spec', 'template', 'spec');
  const images = [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')].map((container) =>
    textAt(container, 'image'),
  );
  return images.length === 0 ? none : [...new Set(images)].filter(Boolean);
}

/** The address of the control plane that is said to manage an Application. */
function managerOf({ metadata }: KubeObject): string {
  const address = metadata.annotations?.['argocd.argoproj.io/managed-by-url'] ?? '';
  return isWebAddress(address) ? address : '';
}

const linkPrefix = 'link.argocd.argoproj.io/';

/** Links of annotations, `url` or `title|url`; only addresses that a browser opens as a page. */
function externalLinks({ metadata }: KubeObject): string[] {
  if (!metadata.annotations) return [];
  return Object.entries(metadata.annotations)
    .filter(
      ([name, value]) =>
        name.startsWith(linkPrefix) && isWebAddress(value.includes('|') ? value.slice(value.indexOf('|') + 1) : value),
    )
    .map(([, value]) => value)
    .sort();
}

function isWebAddress(text: string): boolean {
  // control characters and leading spaces make browsers read another scheme than we do
  return /^https?:\/\/[^\s\u0000-\u001f]+$/i.test(text) && URL.canParse(text);
}

function addressesOf(object: KubeObject): { ip?: string; hostname?: string }[] {
  return objectsAt(object, 'status', 'loadBalancer', 'ingress').flatMap(
    (entry): { ip?: string; hostname?: string }[] => {
      const hostname = textAt(entry, 'hostname');
      const ip = textAt(entry, 'ip');
      return hostname ? [{ hostname }] : ip ? [{ ip }] : [];
    },
  );
}

function ingressNetworking(ingress: KubeObject, links: string[]): Networking {
  const addresses = addressesOf(ingress);
  const firstAddress = addresses.map(({ hostname, ip }) => hostname ?? ip ?? '').find(Boolean) ?? '';
  const services = new Set<string>();
  const urls = new Set<string>();
  const tls = objectsAt(ingress, 'spec', 'tls');
  const addBackend = (backend: unknown) => {
    const name = textAt(backend, 'service', 'name') || textAt(backend, 'serviceName');
    if (name) services.add(name);
  };
  addBackend(valueAt(ingress, 'spec', 'defaultBackend') ?? valueAt(ingress, 'spec', 'backend'));
  for (const rule of objectsAt(ingress, 'spec', 'rules')) {
    const host = textAt(rule, 'host') || firstAddress;
    for (const path of objectsAt(rule, 'http', 'paths')) {
      addBackend(path['backend']);
      if (!host) continue;
      const secure = tls.some(
        (entry) => textAt(entry, 'secretName') !== '' || (entry['hosts'] as unknown[] | undefined)?.includes?.(host),
      );
      urls.add(`${secure ? 'https' : 'http'}://${host}${textAt(path, 'path').replace(/\*$/, '')}`);
    }
  }
  const namespace = ingress.metadata.namespace ?? '';
  const targetRefs = [...services].sort().map((name): ObjectKey => ({ group: '', kind: 'Service', namespace, name }));
  const own = /^(1|t|T|true|TRUE|True)$/.test(
    ingress.metadata.annotations?.['argocd.argoproj.io/ignore-default-links'] ?? '',
  )
    ? []
    : [...urls].sort();
  return { targetRefs, ingress: addresses, externalURLs: [...links, ...own] };
}
