import { badRequest, demandedValue, type FieldTerm, type Resource, storeKey } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Item } from '@tiphys/store';
import type { ListOptions } from './list-options.ts';
import type { RequestInfo } from './request-info.ts';

export type ItemFilter = (item: Pick<Item, 'key' | 'object'>) => boolean;

/** What a list or watch is about, by namespace, name, labels and fields; undefined for everything. BadRequest for fields that the kind does not offer. */
export function itemFilter(resource: Resource, info: RequestInfo, options: ListOptions): ItemFilter | undefined {
  const { labels } = options;
  const fields = supported(resource, options.fields);
  if (info.name && fields.length && demandedValue(fields, 'metadata.name') !== info.name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  const prefix = resource.namespaced && info.namespace ? `${info.namespace}/` : undefined;
  const name = info.name ? storeKey(resource, info.namespace, info.name) : undefined;
  if (!labels && !fields.length && !prefix && !name) return undefined;
  return (item) =>
    (prefix === undefined || item.key.startsWith(prefix)) &&
    (name === undefined || item.key === name) &&
    (!labels || labels(item.object.metadata.labels ?? {})) &&
    (!fields.length || matches(fields, fieldsOf(resource, item.object)));
}

function matches(fields: readonly FieldTerm[], values: Readonly<Record<string, string>>): boolean {
  return fields.every(({ field, negative, value }) => ((values[field] ?? '') === value) !== negative);
}

function supported(resource: Resource, terms: readonly FieldTerm[]): readonly FieldTerm[] {
  const { strategy } = resource;
  const own = strategy.fields?.({ apiVersion: '', kind: '', metadata: {} });
  return terms.map((term) => {
    const field = strategy.fieldAliases?.[term.field] ?? term.field;
    const known =
      field === 'metadata.name' ||
      (field === 'metadata.namespace' && (resource.namespaced || !own)) ||
      (own !== undefined && Object.hasOwn(own, field));
    if (!known) throw badRequest(unsupported(resource, field, own !== undefined));
    return { ...term, field };
  });
}

function unsupported(resource: Resource, field: string, own: boolean): string {
  if (resource.collection === 'batch/jobs') return `field label ${JSON.stringify(field)} not supported for Job`;
  if (own || resource.custom !== undefined) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function fieldsOf(resource: Resource, object: KubeObject): Record<string, string> {
  return {
    ...resource.strategy.fields?.(object),
    'metadata.name': object.metadata.name ?? '',
    'metadata.namespace': object.metadata.namespace ?? '',
  };
}
