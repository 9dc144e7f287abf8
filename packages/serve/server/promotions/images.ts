import type { KubeObject } from '@tiphys/kubernetes';

/** What of an image is promoted; one of both, or both. */
export interface ImageVersion {
  readonly tag?: string;
  /** `sha256:…` */
  readonly digest?: string;
}

/** The name of an image with its registry, and its version. */
export function splitImage(image: string): { name: string; version: ImageVersion } {
  const [place = '', digest] = image.split('@');
  const colon = place.lastIndexOf(':');
  // a colon before the last slash is that of a port
  const tagged = colon > place.lastIndexOf('/');
  return {
    name: tagged ? place.slice(0, colon) : place,
    version: { ...(tagged ? { tag: place.slice(colon + 1) } : {}), ...(digest ? { digest } : {}) },
  };
}

export function joinImage(name: string, { tag, digest }: ImageVersion): string {
  return `${name}${tag ? `:${tag}` : ''}${digest ? `@${digest}` : ''}`;
}

/** `1.2`, `1.2@sha256:…`; `latest` where the image names none. */
export function versionText(version: ImageVersion): string {
  return joinImage('', version).replace(/^:/, '') || 'latest';
}

const lists = new Set(['containers', 'initContainers', 'ephemeralContainers']);
const deepest = 40;

/** The images of containers in objects of whatever kind, by name, with the versions that are used of each. */
export function imagesOf(objects: readonly KubeObject[]): Map<string, Map<string, ImageVersion>> {
  const found = new Map<string, Map<string, ImageVersion>>();
  const add = (image: unknown) => {
    if (typeof image !== 'string' || image === '') return;
    const { name, version } = splitImage(image);
    found.set(name, (found.get(name) ?? new Map<string, ImageVersion>()).set(versionText(version), version));
  };
  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > deepest) return;
    for (const [key, item] of Object.entries(value)) {
      if (lists.has(key) && Array.isArray(item))
        for (const container of item) add((container as { image?: unknown } | null)?.image);
      walk(item, depth + 1);
    }
  };
  for (const object of objects) walk(object, 0);
  return found;
}
