import type { ClusterConfig } from '../client.ts';

/** Headers that let the request act as somebody else. */
export function impersonationHeaders(identity: ClusterConfig['impersonate']): Record<string, string | string[]> {
  if (!identity) return {};
  const extra = Object.entries(identity.extra ?? {}).map(([key, values]) => [
    `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
    values,
  ]);
  return {
    'impersonate-user': identity.name,
    ...(identity.groups?.length ? { 'impersonate-group': identity.groups } : {}),
    ...(identity.uid ? { 'impersonate-uid': identity.uid } : {}),
    ...Object.fromEntries(extra),
  };
}

/** Texts of a Warning header: `299 - "text"`, several separated by commas, with `\"` inside. */
export function parseWarnings(header: string): string[] {
  return [...header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}
