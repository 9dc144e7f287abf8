import { goQuote } from '@tiphys/go';
import { compileRegex, GoUrlError, RegexError, resolveUrl, type Value, type ValueMap } from '@tiphys/template';
import { type Draft, latestDraft, standardDocument } from './drafts.ts';
import { evaluate } from './evaluate.ts';
import { formats } from './formats.ts';
import { decimalOf, isInteger, kindOf, numberText, objectOf } from './json.ts';
import type { Bound, Schema, TypeName } from './schema.ts';
import { chooseDraft, join, SchemaDocument, SchemaFault, splitFragment } from './schema-document.ts';
import { formatErrors } from './schema-error.ts';

/** Gives the document at an address outside of the chart. Throws `SchemaFault`. */
export type LoadDocument = (url: string) => Value;

/** Compiles the schema of a chart with all that it refers to. Throws `SchemaFault` in the words of Helm's library. */
export function compileSchema(url: string, root: Value, load: LoadDocument): Schema {
  const compiler = new SchemaCompiler(load, false);
  compiler.add(url, root);
  return compiler.compile(url);
}

const metaschemas = new Map<string, Schema>();

function metaschemaOf(draft: Draft): Schema {
  let schema = metaschemas.get(draft.url);
  if (!schema) {
    schema = new SchemaCompiler(noDocument, true).compile(draft.url);
    metaschemas.set(draft.url, schema);
  }
  return schema;
}

function noDocument(url: string): never {
  throw new SchemaFault(`failing loading ${goQuote(url)}: it is not a document of the standard`);
}

const typeNames: readonly TypeName[] = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'];

/** Far more than any chart has; a chain of as many references can still be followed. */
const maxSchemas = 20_000;

class SchemaCompiler {
  readonly #load: LoadDocument;
  /** Formats are asserted from draft 2019-09 on for metaschemas only. */
  readonly #assertsFormats: boolean;
  readonly #documents = new Map<string, SchemaDocument>();
  readonly #loaded = new Map<string, Value>();
  readonly #compiled = new Map<string, Schema>();
  readonly #queue: { readonly schema: Schema; readonly document: SchemaDocument; readonly pointer: string }[] = [];

  constructor(load: LoadDocument, assertsFormats: boolean) {
    this.#load = load;
    this.#assertsFormats = assertsFormats;
  }

  add(url: string, root: Value): void {
    this.#loaded.set(url, root);
  }

  compile(reference: string): Schema {
    const schema = this.#refer(reference);
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      this.#fill(next.schema, next.document, next.pointer);
    }
    return schema;
  }

  #document(url: string): SchemaDocument {
    const known = this.#documents.get(url);
    if (known) return known;
    const document = new SchemaDocument(
      url,
      this.#source(url),
      latestDraft,
      chooseDraft((at) => this.#source(at)),
    );
    if (!/^https?:\/\/json-schema\.org\//.test(url)) this.#checkMeta(document, '');
    this.#documents.set(url, document);
    return document;
  }

  #source(url: string): Value {
    let root = this.#loaded.get(url) ?? standardDocument(url);
    if (root === undefined) root = this.#load(url);
    this.#loaded.set(url, root);
    return root;
  }

  #checkMeta(document: SchemaDocument, pointer: string): void {
    const metaschema = metaschemaOf(document.resourceOf(pointer).draft);
    const choose = (path: string): Schema | undefined => {
      const draft = document.resources.get(path)?.draft;
      return draft && metaschemaOf(draft);
    };
    const errors = evaluate(metaschema, document.lookup(pointer), { metaschema, choose });
    if (errors.length === 0) return;
    throw new SchemaFault(
      `${goQuote(document.place(pointer))} is not valid against metaschema: jsonschema validation failed with '${metaschema.location}'\n${formatErrors(errors)}`,
    );
  }

  #refer(reference: string): Schema {
    const [url, fragment] = splitFragment(reference);
    const document = this.#document(url);
    return this.#at(document, document.resolve(fragment, document.resourceOf('')));
  }

  #at(document: SchemaDocument, pointer: string): Schema {
    const location = document.place(pointer);
    const known = this.#compiled.get(location);
    if (known) return known;
    if (this.#compiled.size >= maxSchemas)
      throw new SchemaFault(`more than ${maxSchemas} schemas refer to one another`);
    if (!document.knows(pointer)) {
      document.adopt(pointer);
      if (!/^https?:\/\/json-schema\.org\//.test(document.url)) this.#checkMeta(document, pointer);
    }
    const schema: Schema = { location, draft: document.resourceOf(pointer).draft } as Schema;
    this.#compiled.set(location, schema);
    this.#queue.push({ schema, document, pointer });
    return schema;
  }

  #reference(text: string, document: SchemaDocument, base: string): Schema {
    const [reference, fragment] = splitFragment(text);
    let url: string;
    try {
      url = resolveUrl(base, reference);
    } catch (error) {
      if (!(error instanceof GoUrlError)) throw error;
      throw new SchemaFault(`error in parsing ${goQuote(reference)}: ${error.message}`);
    }
    const resource =
      url === document.url
        ? document.resourceOf('')
        : [...document.resources.values()].find((candidate) => candidate.id === url);
    if (resource) return this.#at(document, document.resolve(fragment, resource));
    const other = this.#document(url);
    return this.#at(other, other.resolve(fragment, other.resourceOf('')));
  }

  #fill(schema: Schema, document: SchemaDocument, pointer: string): void {
    const value = document.lookup(pointer);
    const resource = document.resourceOf(pointer);
    schema.resource = this.#at(document, resource.pointer);
    if (schema.resource === schema && schema.draft.version >= 2020) {
      schema.dynamicAnchors = new Map(
        [...resource.dynamicAnchors].map((anchor) => [
          anchor,
          this.#at(document, resource.anchors.get(anchor) as string),
        ]),
      );
    }
    if (typeof value === 'boolean') schema.always = value;
    const object = objectOf(value);
    if (object?.size === 0) schema.always = true;
    else if (object) {
      const at = (...steps: string[]): Schema => this.#at(document, join(pointer, ...steps));
      const reader = new KeywordReader(object, at, document.place(pointer));
      const refer = (text: string): Schema => this.#reference(text, document, resource.id);
      fillReferences(schema, reader, refer);
      if (schema.ref && schema.draft.version < 2019) return;
      fillApplicators(schema, reader);
      fillChecks(schema, reader);
      const format = reader.text('format');
      const asserts = this.#assertsFormats || schema.draft.version < 2019;
      if (asserts && format !== undefined && formats.has(format)) schema.format = format;
    }
  }
}

function set<K extends keyof Schema>(schema: Schema, name: K, value: Schema[K] | undefined): void {
  if (value !== undefined) schema[name] = value;
}

function fillReferences(schema: Schema, reader: KeywordReader, refer: (text: string) => Schema): void {
  const { version } = schema.draft;
  const read = (name: string): Schema | undefined => {
    const text = reader.text(name);
    return text === undefined ? undefined : refer(text);
  };
  set(schema, 'ref', read('$ref'));
  if (version >= 2019) {
    set(schema, 'recursiveRef', read('$recursiveRef'));
    schema.recursiveAnchor = reader.flag('$recursiveAnchor');
  }
  if (version < 2020) return;
  const target = read('$dynamicRef');
  if (target) {
    const [, fragment] = splitFragment(reader.text('$dynamicRef') as string);
    schema.dynamicRef = { target, anchor: fragment.startsWith('/') ? '' : fragment };
  }
  set(schema, 'dynamicAnchor', reader.text('$dynamicAnchor'));
}

function fillApplicators(schema: Schema, reader: KeywordReader): void {
  const { version } = schema.draft;
  set(schema, 'allOf', reader.schemas('allOf'));
  set(schema, 'anyOf', reader.schemas('anyOf'));
  set(schema, 'oneOf', reader.schemas('oneOf'));
  set(schema, 'not', reader.schema('not'));
  set(schema, 'properties', reader.schemaMap('properties'));
  set(schema, 'patterns', reader.patterns());
  set(schema, 'additionalProperties', reader.boolean('additionalProperties') ?? reader.schema('additionalProperties'));
  set(schema, 'dependencies', reader.dependencies());
  fillItems(schema, reader);
  if (version >= 6) {
    set(schema, 'contains', reader.schema('contains'));
    set(schema, 'propertyNames', reader.schema('propertyNames'));
  }
  if (version >= 7) {
    set(schema, 'if', reader.schema('if'));
    if (schema.if) {
      if (reader.boolean('if') !== false) set(schema, 'then', reader.schema('then'));
      if (reader.boolean('if') !== true) set(schema, 'else', reader.schema('else'));
    }
  }
  if (version < 2019) return;
  set(schema, 'dependentSchemas', reader.schemaMap('dependentSchemas'));
  set(schema, 'unevaluatedProperties', reader.schema('unevaluatedProperties'));
  set(schema, 'unevaluatedItems', reader.schema('unevaluatedItems'));
}

function fillItems(schema: Schema, reader: KeywordReader): void {
  if (schema.draft.version >= 2020) {
    set(schema, 'firstItems', reader.schemas('prefixItems'));
    set(schema, 'restItems', reader.schema('items'));
    return;
  }
  const first = reader.schemas('items');
  if (!first) {
    set(schema, 'restItems', reader.schema('items'));
    return;
  }
  schema.firstItems = first;
  set(schema, 'moreItems', reader.boolean('additionalItems'));
  if (schema.moreItems === undefined) set(schema, 'restItems', reader.schema('additionalItems'));
}

function fillChecks(schema: Schema, reader: KeywordReader): void {
  const { version } = schema.draft;
  set(schema, 'types', reader.types());
  set(schema, 'values', reader.list('enum'));
  set(schema, 'multipleOf', reader.number('multipleOf'));
  for (const [inclusive, exclusive] of [
    ['maximum', 'exclusiveMaximum'],
    ['minimum', 'exclusiveMinimum'],
  ] as const) {
    const isExclusive = reader.boolean(exclusive) === true;
    set(schema, isExclusive ? exclusive : inclusive, reader.number(inclusive));
    if (!isExclusive) set(schema, exclusive, reader.number(exclusive));
  }
  for (const name of sizes) set(schema, name, reader.count(name));
  const pattern = reader.text('pattern');
  if (pattern !== undefined) schema.pattern = { text: pattern, regex: reader.regex('pattern', pattern) };
  schema.uniqueItems = reader.flag('uniqueItems');
  set(schema, 'required', reader.texts('required'));
  if (version >= 6 && reader.has('const')) {
    schema.hasConstant = true;
    schema.constant = reader.value('const');
  }
  if (version < 2019) return;
  if (schema.contains) {
    set(schema, 'minContains', reader.count('minContains'));
    set(schema, 'maxContains', reader.count('maxContains'));
  }
  set(schema, 'dependentRequired', reader.dependentRequired());
}

const sizes = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;

/** Reads the keywords of one schema; what has the wrong type counts as absent. */
class KeywordReader {
  readonly #object: ValueMap;
  readonly #at: (...steps: string[]) => Schema;
  readonly #place: string;

  constructor(object: ValueMap, at: (...steps: string[]) => Schema, place: string) {
    this.#object = object;
    this.#at = at;
    this.#place = place;
  }

  has(name: string): boolean {
    return this.#object.has(name);
  }

  value(name: string): Value {
    return this.#object.get(name);
  }

  text(name: string): string | undefined {
    const value = this.#object.get(name);
    return typeof value === 'string' ? value : undefined;
  }

  boolean(name: string): boolean | undefined {
    const value = this.#object.get(name);
    return typeof value === 'boolean' ? value : undefined;
  }

  flag(name: string): boolean {
    return this.boolean(name) === true;
  }

  list(name: string): readonly Value[] | undefined {
    const value = this.#object.get(name);
    return Array.isArray(value) ? value : undefined;
  }

  texts(name: string): readonly string[] | undefined {
    return this.list(name)?.filter((item) => typeof item === 'string');
  }

  number(name: string): Bound | undefined {
    const value = this.#object.get(name);
    const decimal = decimalOf(value);
    return decimal && { decimal, text: numberText(value) };
  }

  count(name: string): number | undefined {
    const number = this.number(name);
    return number && isInteger(number.decimal) ? Number(number.text) : undefined;
  }

  types(): readonly TypeName[] | undefined {
    const value = this.#object.get('type');
    if (value === undefined) return undefined;
    const given = Array.isArray(value) ? value : [value];
    const types = typeNames.filter((name) => given.includes(name));
    return types.length > 0 ? types : undefined;
  }

  schema(name: string): Schema | undefined {
    return this.#object.has(name) ? this.#at(name) : undefined;
  }

  schemas(name: string): readonly Schema[] | undefined {
    return this.list(name)?.map((_item, i) => this.#at(name, String(i)));
  }

  schemaMap(name: string): Map<string, Schema> | undefined {
    const map = objectOf(this.#object.get(name));
    return map && new Map([...map.keys()].map((key) => [key, this.#at(name, key)]));
  }

  patterns(): Schema['patterns'] {
    const map = this.schemaMap('patternProperties');
    return map && [...map].map(([text, schema]) => ({ pattern: this.regex('patternProperties', text), schema }));
  }

  regex(keyword: string, text: string): ReturnType<typeof compileRegex> {
    try {
      return compileRegex(text);
    } catch (error) {
      if (!(error instanceof RegexError)) throw error;
      throw new SchemaFault(
        `invalid regex ${goQuote(text)} at ${goQuote(`${this.#place}/${keyword}`)}: ${error.message}`,
      );
    }
  }

  dependencies(): Schema['dependencies'] {
    const map = objectOf(this.#object.get('dependencies'));
    return (
      map &&
      new Map(
        [...map].map(([key, value]) => [
          key,
          Array.isArray(value) ? value.filter((item) => typeof item === 'string') : this.#at('dependencies', key),
        ]),
      )
    );
  }

  dependentRequired(): Schema['dependentRequired'] {
    const map = objectOf(this.#object.get('dependentRequired'));
    if (!map) return undefined;
    return new Map(
      [...map]
        .filter(([, value]) => kindOf(value) === 'array')
        .map(([key, value]) => [key, (value as Value[]).filter((item) => typeof item === 'string')]),
    );
  }
}
