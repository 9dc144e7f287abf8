import type { Value } from '@tiphys/template';
import type { RE2JS } from 're2js';
import type { Draft } from './drafts.ts';
import type { Decimal, JsonKind } from './json.ts';

export type TypeName = JsonKind | 'integer';

/** A compiled schema. Keywords that it does not have are absent. */
export interface Schema {
  /** `file:///values.schema.json#/properties/a`. */
  readonly location: string;
  readonly draft: Draft;
  /** The schema that names this one: itself, or one around it. */
  resource: Schema;
  dynamicAnchors?: Map<string, Schema>;
  always?: boolean;
  ref?: Schema;
  recursiveRef?: Schema;
  recursiveAnchor?: boolean;
  dynamicRef?: { readonly target: Schema; readonly anchor: string };
  dynamicAnchor?: string;
  types?: readonly TypeName[];
  constant?: Value;
  hasConstant?: boolean;
  values?: readonly Value[];
  format?: string;
  minProperties?: number;
  maxProperties?: number;
  required?: readonly string[];
  dependencies?: Map<string, readonly string[] | Schema>;
  properties?: Map<string, Schema>;
  patterns?: readonly { readonly pattern: RE2JS; readonly schema: Schema }[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  dependentSchemas?: Map<string, Schema>;
  dependentRequired?: Map<string, readonly string[]>;
  unevaluatedProperties?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  /** Schemas of the first elements: `prefixItems`, or `items` as a list. */
  firstItems?: readonly Schema[];
  /** Schema of the elements after those: `items`, or `additionalItems`. */
  restItems?: Schema;
  /** `additionalItems` as true or false. */
  moreItems?: boolean;
  unevaluatedItems?: Schema;
  contains?: Schema;
  minContains?: number;
  maxContains?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: { readonly text: string; readonly regex: RE2JS };
  minimum?: Bound;
  maximum?: Bound;
  exclusiveMinimum?: Bound;
  exclusiveMaximum?: Bound;
  multipleOf?: Bound;
  not?: Schema;
  allOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  if?: Schema;
  then?: Schema;
  else?: Schema;
}

export interface Bound {
  readonly decimal: Decimal;
  readonly text: string;
}
