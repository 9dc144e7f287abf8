import type { Value, ValueMap } from '@tiphys/template';
import { compareStrings } from '@tiphys/template';
import { formats } from './formats.ts';
import { canonical, compareDecimals, decimalOf, isInteger, isMultiple, kindOf, numberText, objectOf } from './json.ts';
import type { Bound, Schema } from './schema.ts';
import { SchemaFault } from './schema-document.ts';
import { quote, quoteAll, type SchemaError, show, showCount, showNumber, sortErrors } from './schema-error.ts';

/** For the check of a schema itself: parts of it may follow other drafts, by their place. */
export interface MetaContext {
  readonly metaschema: Schema;
  readonly choose: (pointer: string) => Schema | undefined;
}

/** More evaluations of schemas than this are refused: alternatives inside alternatives multiply. */
const maxEvaluations = 1_000_000;

/** What a schema finds wrong with a value, in the order and the shape of Helm's library; empty if nothing. */
export function evaluate(schema: Schema, value: Value, meta?: MetaContext): readonly SchemaError[] {
  const error = new Evaluation(meta).run(
    { schema, value, path: [], level: 0, parent: undefined, keyword: '' },
    allOf(value, schema, false),
    false,
  );
  if (!error) return [];
  return error.role === 'group' ? error.causes : [error];
}

/** A schema at work on a value, and those that led to it. */
interface Scope {
  readonly schema: Schema;
  readonly value: Value;
  readonly path: readonly string[];
  /** The same for all schemas that look at the same value. */
  readonly level: number;
  readonly parent: Scope | undefined;
  /** The keyword of the reference that led here, or empty. */
  readonly keyword: string;
}

/** Properties or elements that no schema has looked at yet; empty where nobody asks. */
type Unseen = Set<string | number>;

function allOf(value: Value, schema: Schema, isAsked: boolean): Unseen {
  const object = objectOf(value);
  if (object) {
    const wants = schema.additionalProperties === undefined && (isAsked || schema.unevaluatedProperties);
    return new Set(wants ? object.keys() : []);
  }
  if (!Array.isArray(value)) return new Set();
  const covers = schema.restItems !== undefined || schema.moreItems !== undefined;
  if (covers || !(isAsked || schema.unevaluatedItems)) return new Set();
  const first = schema.firstItems?.length ?? 0;
  return new Set(value.map((_item, i) => i).slice(first));
}

const nothing: SchemaError = { path: [], words: '', role: 'finding', causes: [] };

class Evaluation {
  #metaschema: Schema | undefined;
  readonly #choose: MetaContext['choose'] | undefined;
  #count = 0;

  constructor(meta: MetaContext | undefined) {
    this.#metaschema = meta?.metaschema;
    this.#choose = meta?.choose;
  }

  /** `isTest`: only whether there is an error matters. Takes what the schema has looked at out of `unseen`. */
  run(scope: Scope, unseen: Unseen, isTest: boolean): SchemaError | undefined {
    if (++this.#count > maxEvaluations) throw new SchemaFault('the schema takes too long to evaluate');
    const outer = this.#metaschema;
    const current = this.#switched(scope);
    const error = new Pass(this, current, unseen, isTest).result();
    this.#metaschema = outer;
    return error;
  }

  #switched(scope: Scope): Scope {
    if (!this.#choose || scope.schema !== this.#metaschema) return scope;
    const chosen = this.#choose(
      scope.path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    );
    if (!chosen) return scope;
    this.#metaschema = chosen;
    return { ...scope, schema: chosen };
  }
}

/** The evaluation of one schema on one value. */
class Pass {
  readonly #evaluation: Evaluation;
  readonly #scope: Scope;
  readonly #unseen: Unseen;
  readonly #isTest: boolean;
  #errors: SchemaError[] = [];

  constructor(evaluation: Evaluation, scope: Scope, unseen: Unseen, isTest: boolean) {
    this.#evaluation = evaluation;
    this.#scope = scope;
    this.#unseen = unseen;
    this.#isTest = isTest;
  }

  result(): SchemaError | undefined {
    const { schema } = this.#scope;
    if (schema.always !== undefined) return schema.always ? undefined : this.#error('false schema');
    const first = this.#cycle() ?? this.#basics();
    if (first) return first;
    if (schema.ref) {
      const error = this.#reference(schema.ref, '$ref');
      if (schema.draft.version < 2019) return error;
      this.#add(error);
    }
    this.#byType();
    if (this.#errors.length === 0 || !this.#isTest) {
      this.#dynamicReferences();
      this.#combinations();
      this.#unevaluated();
    }
    if (this.#errors.length <= 1) return this.#errors[0];
    return this.#error('validation failed', this.#errors, 'group');
  }

  #error(words: string, causes: readonly SchemaError[] = [], role: SchemaError['role'] = 'finding'): SchemaError {
    return this.#isTest ? nothing : { path: this.#scope.path, words, role, causes };
  }

  #add(error: SchemaError | undefined): void {
    if (error) this.#errors.push(error);
  }

  #fail(words: string, causes: readonly SchemaError[] = []): void {
    this.#errors.push(this.#error(words, causes));
  }

  /** Another schema on the same value. */
  #same(schema: Schema, isTest = false, keyword = ''): SchemaError | undefined {
    const { value, path, level } = this.#scope;
    const unseen = allOf(value, schema, this.#unseen.size > 0);
    const scope = { schema, value, path, level, parent: this.#scope, keyword };
    const error = this.#evaluation.run(scope, unseen, this.#isTest || isTest);
    if (!error) for (const name of this.#unseen) if (!unseen.has(name)) this.#unseen.delete(name);
    return error;
  }

  /** A schema on a part of the value. */
  #part(schema: Schema, value: Value, step: string): SchemaError | undefined {
    const { path, level } = this.#scope;
    const scope = { schema, value, path: [...path, step], level: level + 1, parent: this.#scope, keyword: '' };
    return this.#evaluation.run(scope, allOf(value, schema, false), this.#isTest);
  }

  #cycle(): SchemaError | undefined {
    const { schema, level } = this.#scope;
    for (let scope = this.#scope.parent; scope && scope.level === level; scope = scope.parent) {
      if (scope.schema !== schema) continue;
      const places = [keywordPath(this.#scope), keywordPath(scope)].join(' and ');
      return this.#error(`both ${places} resolve to "${schema.location}" causing reference cycle`);
    }
    return undefined;
  }

  /** What stops the evaluation at once. */
  #basics(): SchemaError | undefined {
    const { schema, value } = this.#scope;
    const kind = kindOf(value);
    const { types } = schema;
    if (types && !types.includes(kind)) {
      const decimal = kind === 'number' && types.includes('integer') ? decimalOf(value) : undefined;
      if (!decimal || !isInteger(decimal)) return this.#error(`got ${kind}, want ${types.join(' or ')}`);
    }
    if (schema.hasConstant && canonical(value) !== canonical(schema.constant)) {
      const isLarge = ['array', 'object'].includes(kindOf(schema.constant));
      return this.#error(isLarge ? "'const' failed" : `value must be ${show(schema.constant)}`);
    }
    if (schema.values && !schema.values.some((item) => canonical(item) === canonical(value)))
      return this.#error(enumWords(schema.values));
    if (schema.format !== undefined && typeof value === 'string') {
      const wrong = formats.get(schema.format)?.(value);
      if (wrong !== undefined) return this.#error(`${quote(value)} is not valid ${schema.format}: ${wrong}`);
    }
    return undefined;
  }

  #reference(target: Schema, keyword: string): SchemaError | undefined {
    const error = this.#same(target, false, keyword);
    if (!error || this.#isTest) return error;
    return this.#error('validation failed', error.role === 'group' ? error.causes : [error], 'reference');
  }

  #byType(): void {
    const { value } = this.#scope;
    const object = objectOf(value);
    if (object) this.#object(object);
    else if (Array.isArray(value)) this.#array(value);
    else if (typeof value === 'string') this.#text(value);
    else if (kindOf(value) === 'number') this.#number(value);
  }

  #object(object: ValueMap): void {
    const { schema } = this.#scope;
    this.#size('minProperties', object.size);
    this.#size('maxProperties', object.size);
    const missing = schema.required?.filter((name) => !object.has(name)) ?? [];
    if (missing.length > 0) this.#fail(missingWords(missing));
    if (this.#isTest && this.#errors.length > 0) return;
    const own = this.#errors;
    this.#errors = [];
    this.#dependencies(object);
    this.#properties(object);
    this.#errors = [...own, ...sortErrors(this.#errors)];
  }

  #dependencies(object: ValueMap): void {
    const { schema } = this.#scope;
    const demand = (name: string, names: readonly string[]): void => {
      const missing = names.filter((other) => !object.has(other));
      if (missing.length > 0) this.#fail(`properties ${quoteAll(missing)} required, if ${quote(name)} exists`);
    };
    for (const [name, dependency] of schema.dependencies ?? []) {
      if (!object.has(name)) continue;
      if (Array.isArray(dependency)) demand(name, dependency as readonly string[]);
      else this.#add(this.#same(dependency as Schema));
    }
    for (const [name, inner] of schema.dependentSchemas ?? []) if (object.has(name)) this.#add(this.#same(inner));
    for (const [name, names] of schema.dependentRequired ?? []) if (object.has(name)) demand(name, names);
  }

  #properties(object: ValueMap): void {
    const { schema } = this.#scope;
    const additional: string[] = [];
    for (const [name, value] of object) {
      if (this.#isTest && this.#errors.length > 0) return;
      let isSeen = false;
      const own = schema.properties?.get(name);
      if (own) {
        isSeen = true;
        this.#add(this.#part(own, value, name));
      }
      for (const { pattern, schema: inner } of schema.patterns ?? []) {
        if (!pattern.matcher(name).find()) continue;
        isSeen = true;
        this.#add(this.#part(inner, value, name));
      }
      const rest = schema.additionalProperties;
      if (!isSeen && rest !== undefined) {
        isSeen = true;
        if (rest === false) additional.push(name);
        else if (rest !== true) this.#add(this.#part(rest, value, name));
      }
      if (isSeen) this.#unseen.delete(name);
    }
    if (additional.length > 0)
      this.#fail(`additional properties ${quoteAll(additional.sort(compareStrings))} not allowed`);
    if (schema.propertyNames) for (const name of object.keys()) this.#propertyName(schema.propertyNames, name);
  }

  #propertyName(schema: Schema, name: string): void {
    const causes = evaluate(schema, name);
    if (causes.length > 0) this.#fail(`invalid propertyName ${quote(name)}`, causes);
  }

  #size(
    name: 'minProperties' | 'maxProperties' | 'minItems' | 'maxItems' | 'minLength' | 'maxLength',
    size: number,
  ): void {
    const limit = this.#scope.schema[name];
    if (limit === undefined || (name.startsWith('min') ? size >= limit : size <= limit)) return;
    this.#fail(`${name}: got ${showCount(size)}, want ${showCount(limit)}`);
  }

  #array(items: readonly Value[]): void {
    const { schema } = this.#scope;
    this.#size('minItems', items.length);
    this.#size('maxItems', items.length);
    if (schema.uniqueItems) this.#unique(items);
    const first = schema.firstItems ?? [];
    for (const [i, inner] of first.slice(0, items.length).entries()) this.#add(this.#part(inner, items[i], String(i)));
    const rest = items.slice(first.length);
    if (schema.moreItems === false && rest.length > 0)
      this.#fail(`last ${showCount(rest.length)} additionalItem(s) not allowed`);
    if (schema.restItems) {
      for (const [i, item] of rest.entries()) this.#add(this.#part(schema.restItems, item, String(first.length + i)));
    }
    if (schema.contains) this.#contains(schema.contains, items);
  }

  #unique(items: readonly Value[]): void {
    const seen = new Map<string, number>();
    for (const [i, item] of items.entries()) {
      const text = canonical(item);
      const before = seen.get(text);
      if (before !== undefined) {
        this.#fail(`items at ${showCount(before)} and ${showCount(i)} are equal`);
        return;
      }
      seen.set(text, i);
    }
  }

  #contains(schema: Schema, items: readonly Value[]): void {
    const { minContains, maxContains, draft } = this.#scope.schema;
    const errors: SchemaError[] = [];
    const matched: number[] = [];
    for (const [i, item] of items.entries()) {
      const error = this.#part(schema, item, String(i));
      if (error) errors.push(error);
      else {
        matched.push(i);
        if (draft.version >= 2020) this.#unseen.delete(i);
      }
    }
    const found = `matched ${showCount(matched.length)} items at ${matched.join(' ')}`;
    if (minContains === undefined) {
      if (matched.length === 0) this.#fail('no items match contains schema', errors);
    } else if (matched.length < minContains) {
      const words = matched.length === 0 ? 'none matched' : found;
      this.#fail(`min ${showCount(minContains)} items required to match contains schema, but ${words}`, errors);
    }
    if (maxContains !== undefined && matched.length > maxContains)
      this.#fail(`max ${showCount(maxContains)} items required to match contains schema, but ${found}`);
  }

  #text(text: string): void {
    const { minLength, maxLength, pattern } = this.#scope.schema;
    if (minLength !== undefined || maxLength !== undefined) {
      const length = [...text].length;
      this.#size('minLength', length);
      this.#size('maxLength', length);
    }
    if (pattern && !pattern.regex.matcher(text).find())
      this.#fail(`${quote(text)} does not match pattern ${quote(pattern.text)}`);
  }

  #number(value: Value): void {
    const { schema } = this.#scope;
    const decimal = decimalOf(value);
    if (!decimal) return;
    const check = (name: BoundName, isFine: (bound: Bound) => boolean): void => {
      const bound = schema[name];
      if (bound && !isFine(bound))
        this.#fail(`${name}: got ${showNumber(numberText(value))}, want ${showNumber(bound.text)}`);
    };
    check('minimum', (bound) => compareDecimals(decimal, bound.decimal) >= 0);
    check('maximum', (bound) => compareDecimals(decimal, bound.decimal) <= 0);
    check('exclusiveMinimum', (bound) => compareDecimals(decimal, bound.decimal) > 0);
    check('exclusiveMaximum', (bound) => compareDecimals(decimal, bound.decimal) < 0);
    check('multipleOf', (bound) => isMultiple(decimal, bound.decimal));
  }

  #dynamicReferences(): void {
    const { schema } = this.#scope;
    if (schema.recursiveRef) {
      let target = schema.recursiveRef;
      if (target.recursiveAnchor)
        for (let scope: Scope | undefined = this.#scope; scope; scope = scope.parent)
          if (scope.schema.resource.recursiveAnchor) target = scope.schema;
      this.#add(this.#reference(target, '$recursiveRef'));
    }
    if (!schema.dynamicRef) return;
    let { target } = schema.dynamicRef;
    const { anchor } = schema.dynamicRef;
    if (anchor !== '' && target.dynamicAnchor === anchor) {
      for (let scope: Scope | undefined = this.#scope; scope; scope = scope.parent)
        target = scope.schema.resource.dynamicAnchors?.get(anchor) ?? target;
    }
    this.#add(this.#reference(target, '$dynamicRef'));
  }

  #combinations(): void {
    const { schema } = this.#scope;
    if (schema.not && !this.#same(schema.not, true)) this.#fail("'not' failed");
    const all: SchemaError[] = [];
    for (const inner of schema.allOf ?? []) {
      const error = this.#same(inner);
      if (error) all.push(error);
      if (error && this.#isTest) break;
    }
    if (all.length > 0) this.#fail("'allOf' failed", all);
    if (schema.anyOf && schema.anyOf.length > 0) this.#anyOf(schema.anyOf);
    if (schema.oneOf && schema.oneOf.length > 0) this.#oneOf(schema.oneOf);
    if (!schema.if) return;
    const branch = this.#same(schema.if, true) ? schema.else : schema.then;
    if (branch) this.#add(this.#same(branch));
  }

  #anyOf(schemas: readonly Schema[]): void {
    const errors: SchemaError[] = [];
    let isMatched = false;
    for (const inner of schemas) {
      const error = this.#same(inner);
      if (error) errors.push(error);
      else {
        isMatched = true;
        // What the others have looked at counts as well.
        if (this.#unseen.size === 0) break;
      }
    }
    if (!isMatched) this.#fail("'anyOf' failed", errors);
  }

  #oneOf(schemas: readonly Schema[]): void {
    const errors: SchemaError[] = [];
    let matched = -1;
    for (const [i, inner] of schemas.entries()) {
      const error = this.#same(inner, matched >= 0);
      if (error) {
        if (matched < 0) errors.push(error);
      } else if (matched < 0) matched = i;
      else {
        this.#fail(`'oneOf' failed, subschemas ${showCount(matched)}, ${showCount(i)} matched`);
        return;
      }
    }
    if (matched < 0) this.#fail("'oneOf' failed, none matched", errors);
  }

  #unevaluated(): void {
    const { schema, value } = this.#scope;
    const object = objectOf(value);
    const inner = object ? schema.unevaluatedProperties : Array.isArray(value) ? schema.unevaluatedItems : undefined;
    if (!inner) return;
    const errors: SchemaError[] = [];
    for (const name of this.#unseen) {
      const item = object ? object.get(name as string) : (value as Value[])[name as number];
      const error = this.#part(inner, item, String(name));
      if (error) errors.push(error);
    }
    this.#errors.push(...sortErrors(errors));
    this.#unseen.clear();
  }
}

type BoundName = 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf';

function missingWords(names: readonly string[]): string {
  return `missing ${names.length === 1 ? 'property' : 'properties'} ${quoteAll(names)}`;
}

function enumWords(values: readonly Value[]): string {
  if (values.some((value) => ['array', 'object'].includes(kindOf(value)))) return "'enum' failed";
  return values.length === 1
    ? `value must be ${show(values[0])}`
    : `value must be one of ${values.map(show).join(', ')}`;
}

/** The keywords that lead to a scope from the root. */
function keywordPath(scope: Scope): string {
  let path = '';
  for (let at = scope; at.parent; at = at.parent) {
    const step = at.keyword === '' ? at.schema.location.slice(at.parent.schema.location.length) : `/${at.keyword}`;
    path = step + path;
  }
  return path;
}
