import type { Value } from '@tiphys/template';
import applicator2019 from 'ajv/dist/refs/json-schema-2019-09/meta/applicator.json' with { type: 'json' };
import content2019 from 'ajv/dist/refs/json-schema-2019-09/meta/content.json' with { type: 'json' };
import core2019 from 'ajv/dist/refs/json-schema-2019-09/meta/core.json' with { type: 'json' };
import format2019 from 'ajv/dist/refs/json-schema-2019-09/meta/format.json' with { type: 'json' };
import metaData2019 from 'ajv/dist/refs/json-schema-2019-09/meta/meta-data.json' with { type: 'json' };
import validation2019 from 'ajv/dist/refs/json-schema-2019-09/meta/validation.json' with { type: 'json' };
import draft2019 from 'ajv/dist/refs/json-schema-2019-09/schema.json' with { type: 'json' };
import applicator2020 from 'ajv/dist/refs/json-schema-2020-12/meta/applicator.json' with { type: 'json' };
import content2020 from 'ajv/dist/refs/json-schema-2020-12/meta/content.json' with { type: 'json' };
import core2020 from 'ajv/dist/refs/json-schema-2020-12/meta/core.json' with { type: 'json' };
import format2020 from 'ajv/dist/refs/json-schema-2020-12/meta/format-annotation.json' with { type: 'json' };
import metaData2020 from 'ajv/dist/refs/json-schema-2020-12/meta/meta-data.json' with { type: 'json' };
import unevaluated2020 from 'ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json' with { type: 'json' };
import validation2020 from 'ajv/dist/refs/json-schema-2020-12/meta/validation.json' with { type: 'json' };
import draft2020 from 'ajv/dist/refs/json-schema-2020-12/schema.json' with { type: 'json' };
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import draft07 from 'ajv/dist/refs/json-schema-draft-07.json' with { type: 'json' };
import draft04 from 'ajv-draft-04/dist/refs/json-schema-draft-04.json' with { type: 'json' };
import { readJson } from './json.ts';

export interface Draft {
  readonly version: 4 | 6 | 7 | 2019 | 2020;
  readonly url: string;
  /** The keyword that names a schema. */
  readonly id: 'id' | '$id';
  /** Where schemas are inside of a schema: `properties/*`, `allOf/[]`. */
  readonly places: readonly string[];
}

const places4 =
  'definitions/* not allOf/[] anyOf/[] oneOf/[] properties/* additionalProperties patternProperties/* items items/[] additionalItems dependencies/*'.split(
    ' ',
  );
const places6 = [...places4, 'propertyNames', 'contains'];
const places7 = [...places6, 'if', 'then', 'else'];
const places2019 = [
  ...places7,
  '$defs/*',
  'dependentSchemas/*',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contentSchema',
];
const places2020 = [...places2019, 'prefixItems/[]'];

export const latestDraft: Draft = {
  version: 2020,
  url: 'https://json-schema.org/draft/2020-12/schema',
  id: '$id',
  places: places2020,
};

export const drafts: readonly Draft[] = [
  { version: 4, url: 'http://json-schema.org/draft-04/schema', id: 'id', places: places4 },
  { version: 6, url: 'http://json-schema.org/draft-06/schema', id: '$id', places: places6 },
  { version: 7, url: 'http://json-schema.org/draft-07/schema', id: '$id', places: places7 },
  { version: 2019, url: 'https://json-schema.org/draft/2019-09/schema', id: '$id', places: places2019 },
  latestDraft,
];

/** The draft that a `$schema` names, or undefined if it is none that the standard defines. */
export function draftOf(url: string): Draft | undefined {
  const [name = '', fragment = ''] = url.split('#', 2);
  if (fragment !== '') return undefined;
  const bare = name.replace(/^https?:\/\//, '');
  if (bare === 'json-schema.org/schema') return latestDraft;
  return drafts.find((draft) => draft.url.replace(/^https?:\/\//, '') === bare);
}

type Json = { readonly properties: Readonly<Record<string, unknown>> } & Readonly<Record<string, unknown>>;

function withProperties(schema: Json, properties: Readonly<Record<string, unknown>>): Json {
  return { ...schema, properties: { ...schema.properties, ...properties } };
}

/** Helm's library ships drafts 4, 6 and 7 in editions that differ by a property from those of the package here. */
function ownDraft04(): Json {
  const { id: _id, ...rest } = draft04 as Json;
  return withProperties(rest as Json, {
    $ref: { type: 'string' },
    $schema: { type: 'string', format: 'uri' },
    format: { type: 'string' },
    id: { format: 'uriref', type: 'string' },
  });
}

function ownDraft06(): Json {
  const { examples: _examples, ...properties } = (draft06 as Json).properties;
  return { ...draft06, properties };
}

const meta2019 = 'https://json-schema.org/draft/2019-09/meta/';
const meta2020 = 'https://json-schema.org/draft/2020-12/meta/';

const sources: Readonly<Record<string, () => unknown>> = {
  'http://json-schema.org/draft-04/schema': ownDraft04,
  'http://json-schema.org/draft-06/schema': ownDraft06,
  'http://json-schema.org/draft-07/schema': () =>
    withProperties(draft07 as Json, { writeOnly: { type: 'boolean', default: false } }),
  'https://json-schema.org/draft/2019-09/schema': () => draft2019,
  [`${meta2019}applicator`]: () => applicator2019,
  [`${meta2019}content`]: () => content2019,
  [`${meta2019}core`]: () => core2019,
  [`${meta2019}format`]: () => format2019,
  [`${meta2019}meta-data`]: () => metaData2019,
  [`${meta2019}validation`]: () => validation2019,
  'https://json-schema.org/draft/2020-12/schema': () => draft2020,
  [`${meta2020}applicator`]: () => applicator2020,
  [`${meta2020}content`]: () => content2020,
  [`${meta2020}core`]: () => core2020,
  [`${meta2020}format-annotation`]: () => format2020,
  [`${meta2020}meta-data`]: () => metaData2020,
  [`${meta2020}unevaluated`]: () => unevaluated2020,
  [`${meta2020}validation`]: () => validation2020,
};

/** The document that the standard publishes at an address, or undefined. */
export function standardDocument(url: string): Value | undefined {
  const path = /^https?:\/\/json-schema\.org\/(.*)$/.exec(url)?.[1];
  if (path === undefined) return undefined;
  const found = Object.keys(sources).find((name) => name.replace(/^https?:\/\/json-schema\.org\//, '') === path);
  const source = path === 'schema' ? latestDraft.url : found;
  return source === undefined ? undefined : readJson(JSON.stringify(sources[source]?.()));
}
