import type { KubeObject } from './object.ts';

/** For `sort`: who was created last comes first, and of those of one second who was written last. */
export function youngestFirst({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const time = (text: string | undefined) => (text ? Date.parse(text) : 0);
  return time(b.creationTimestamp) - time(a.creationTimestamp) || Number(b.resourceVersion) - Number(a.resourceVersion);
}
