import type { Step } from './run-case.ts';

export const core = '/api/v1/namespaces/{ns}';
export const apps = '/apis/apps/v1/namespaces/{ns}';
export const batch = '/apis/batch/v1/namespaces/{ns}';
export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
export const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
export const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

/** GET of a path; `query` is appended to it, values encoded. */
export const get = (path: string, query: Readonly<Record<string, string>> = {}, more: Partial<Step> = {}): Step => {
  const text = Object.entries(query)
    .map(([key, value]) => `${key}=${encodeURIComponent(value).replace(/%7B(\w+)%7D/g, '{$1}')}`)
    .join('&');
  return { method: 'GET', path: text ? `${path}?${text}` : path, ...more };
};
export const post = (path: string, body: unknown, more: Partial<Step> = {}): Step => ({
  method: 'POST',
  path,
  body,
  ...more,
});
export const put = (path: string, body: unknown, more: Partial<Step> = {}): Step => ({
  method: 'PUT',
  path,
  body,
  ...more,
});
export const del = (path: string, more: Partial<Step> = {}): Step => ({ method: 'DELETE', path, ...more });
export const merge = (path: string, body: unknown, more: Partial<Step> = {}): Step => ({
  method: 'PATCH',
  path,
  body,
  contentType: 'application/merge-patch+json',
  ...more,
});
/** Steps that are sent at once: none may depend on another. */
export const together = (...steps: Step[]): Step => ({ method: '', path: '', together: steps });
export const quiet = (...steps: Step[]): Step[] => steps.map((step) => ({ ...step, quiet: true }));
