import type { Resource } from '@tiphys/apimachinery';

/** Name of a kind's schema in OpenAPI: the group backwards, `com.example.v1.Thing`. */
export function definitionName({ group, version, kind }: Pick<Resource, 'group' | 'version' | 'kind'>): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}
