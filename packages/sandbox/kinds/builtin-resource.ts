import { type BuiltinResource, type Resource, roundTrip, type Strategy } from '@tiphys/apimachinery';
import { builtinType, deducedType, type KubeObject } from '@tiphys/kubernetes';
import { catalog } from './catalog.ts';
import { conversionOf } from './conversions.ts';
import { nullEmpty } from './read-back.ts';
import type { BuiltinKind } from './shared/built-in-kind.ts';
import { nameAndAge } from './shared/cells.ts';
import { withoutGatedFields } from './shared/gates.ts';

/** The served resource of a built-in kind. */
export function builtinResource(entry: BuiltinResource): Resource {
  const { group, version, resource: plural } = entry;
  const { kind } = entry.responseKind;
  const apiVersion = group ? `${group}/${version}` : version;
  const type = entry.goType ?? '';
  const conversion = conversionOf(group, version, plural);
  const collection = conversion?.collection ?? (group ? `${group}/${plural}` : plural);
  const { cells = nameAndAge, rowConditions, rowOrder } = kindAt(collection);
  const strategy = strategyOf(entry);
  return {
    group,
    version,
    apiVersion,
    plural,
    singular: entry.singularResource,
    kind,
    listKind: `${kind}List`,
    namespaced: entry.scope === 'Namespaced',
    verbs: entry.verbs,
    shortNames: entry.shortNames ?? [],
    categories: entry.categories ?? [],
    subresources: new Map(
      (entry.subresources ?? []).map((sub) => [
        sub.subresource,
        { name: sub.subresource, kind: { ...sub.responseKind }, verbs: sub.verbs },
      ]),
    ),
    collection,
    storageVersionHash: entry.hash,
    columns: entry.columns ?? [],
    cells: (object, now, stored) => cells(stored ?? conversion?.toStored(object) ?? object, now),
    ...(rowConditions ? { rowConditions } : {}),
    ...(rowOrder ? { rowOrder } : {}),
    strategy,
    decode: (value, issues) => {
      const decoded = roundTrip(type, value, issues) as KubeObject;
      const { kind: _, apiVersion: __, ...rest } = decoded;
      return { kind, apiVersion, ...rest } as KubeObject;
    },
    mergeType: () => builtinType({ group, version, kind }) ?? deducedType,
    emptyStatus: () => roundTrip(type, {}, { unknown: [] }).status,
    toStored: conversion ? (object) => canonical(conversion.storedType, conversion.toStored(object)) : same,
    fromStored: conversion ? (object) => canonical(type, conversion.fromStored(object)) : same,
    readBack(object) {
      if (!STORED_AS_JSON.has(group)) nullEmpty(type, object);
      strategy.defaults?.(object);
    },
    deprecation:
      group === '' && DEPRECATED[plural] ? `${version} ${kind} is deprecated in ${DEPRECATED[plural]}` : undefined,
    custom: undefined,
  };
}

/** The strategy of a kind; one without rules of its own counts generations and has a status if it has the subresource. */
function strategyOf({ group, resource, subresources }: BuiltinResource): Strategy {
  const { strategy, gated } = kindAt(`${group}/${resource}`);
  return withoutGatedFields(
    strategy ?? {
      generation: true,
      statusSubresource: subresources?.some(({ subresource }) => subresource === 'status') ?? false,
    },
    gated,
  );
}

/** What is said of the kind of a `group/resource`, or of a `resource` of the core group. */
function kindAt(name: string): BuiltinKind {
  return catalog.get(name.includes('/') ? name : `/${name}`) ?? {};
}

const STORED_AS_JSON = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

const DEPRECATED: Record<string, string> = {
  endpoints: 'v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  componentstatuses: 'v1.19+',
};

/** The object as its type writes it, kind first. */
function canonical(type: string, object: KubeObject): KubeObject {
  const { kind, apiVersion, ...rest } = object;
  return { kind, apiVersion, ...roundTrip(type, rest, { unknown: [] }) } as KubeObject;
}

const same = (object: KubeObject): KubeObject => object;
