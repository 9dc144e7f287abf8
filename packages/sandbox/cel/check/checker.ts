import { CelCompileError, type CelIssue, type Node } from '../language/ast.ts';
import type { Functions, Overload } from '../language/functions.ts';
import { qualifiedName, TYPE_NAMES } from '../language/names.ts';
import { CONDITIONAL, INDEX } from '../language/operator-overloads.ts';
import {
  assignable,
  BOOL,
  DYN,
  ERROR,
  formatType,
  INT,
  isAny,
  isOptional,
  listOf,
  mapOf,
  moreGeneral,
  optionalOf,
  type Substitution,
  substitute,
  type Type,
  typeOf,
} from '../language/types.ts';
import { literalType, valueProblems } from './literal-checks.ts';

/** What is known about a checked expression. */
export interface Checked {
  readonly type: Type;
  /** The variables that it mentions. */
  readonly used: ReadonlySet<string>;
  readonly typeOf: (node: Node) => Type;
  /** The ways in which a call may be meant. */
  readonly overloadsOf: (node: Node) => readonly Overload[] | undefined;
}

/** Finds the types of an expression; throws CelCompileError with all that does not fit. */
export function check(text: string, node: Node, variables: ReadonlyMap<string, Type>, functions: Functions): Checked {
  const checker = new Checker(variables, functions);
  const type = checker.type(node, undefined);
  const typeOf = (part: Node) => substitute(checker.types.get(part) ?? DYN, checker.known, true);
  // Values are looked at only where the types fit.
  const issues = checker.issues.length ? checker.issues : [...valueProblems(node, typeOf)];
  if (issues.length)
    throw new CelCompileError(
      text,
      issues.toSorted((a, b) => a.at - b.at),
    );
  return {
    type: substitute(type, checker.known, true),
    used: checker.used,
    typeOf,
    overloadsOf: (part) => checker.overloads.get(part),
  };
}

interface Scope {
  readonly variables: ReadonlyMap<string, Type>;
  readonly parent: Scope | undefined;
}

class Checker {
  readonly issues: CelIssue[] = [];
  readonly known: Substitution = new Map();
  readonly used = new Set<string>();
  readonly #variables: ReadonlyMap<string, Type>;
  readonly #functions: Functions;
  readonly types = new Map<Node, Type>();
  readonly overloads = new Map<Node, readonly Overload[]>();
  #fresh = 0;

  constructor(variables: ReadonlyMap<string, Type>, functions: Functions) {
    this.#variables = variables;
    this.#functions = functions;
  }

  #error(at: number, message: string): Type {
    this.issues.push({ at, message });
    return ERROR;
  }

  #variable(): Type {
    this.#fresh += 1;
    return { kind: 'parameter', name: `_var${this.#fresh}` };
  }

  type(node: Node, scope: Scope | undefined): Type {
    const type = this.#typeOf(node, scope);
    this.types.set(node, type);
    return type;
  }

  #typeOf(node: Node, scope: Scope | undefined): Type {
    switch (node.kind) {
      case 'literal':
        return literalType(node.value);
      case 'ident':
        return this.#ident(node.name, node.at, scope);
      case 'select':
        return this.#select(node, scope);
      case 'call':
        return this.#call(node, scope);
      case 'list':
        return listOf(this.#joined(node.items.map(({ node: item, optional }) => this.#element(item, optional, scope))));
      case 'map': {
        const types = node.entries.map(({ key, value, optional }) => [
          this.type(key, scope),
          this.#element(value, optional, scope),
        ]) as [Type, Type][];
        return mapOf(this.#joined(types.map(([key]) => key)), this.#joined(types.map(([, value]) => value)));
      }
      case 'struct':
        return this.#error(node.at, `undeclared reference to '${node.name}' (in container '')`);
      default:
        return this.#macro(node, scope);
    }
  }

  #element(node: Node, optional: boolean, scope: Scope | undefined): Type {
    const type = this.type(node, scope);
    if (!optional) return type;
    if (isOptional(type)) return type.parameters[0] as Type;
    if (!isAny(type))
      this.#error(node.at, `expected type 'optional_type(${formatType(type)})' but found '${formatType(type)}'`);
    return type;
  }

  /** The common type of elements: anything if they have none. */
  #joined(types: readonly Type[]): Type {
    let joined: Type | undefined;
    for (const type of types) {
      if (joined === undefined) joined = type;
      else
        joined = assignable(joined, type, this.known)
          ? moreGeneral(substitute(joined, this.known), substitute(type, this.known))
          : DYN;
    }
    return joined ?? this.#variable();
  }

  #ident(name: string, at: number, scope: Scope | undefined): Type {
    const found = this.#find(name, scope);
    return found ?? this.#error(at, `undeclared reference to '${name}' (in container '')`);
  }

  #isBound(name: string, scope: Scope | undefined): boolean {
    for (let current = scope; current; current = current.parent) if (current.variables.has(name)) return true;
    return false;
  }

  #find(name: string, scope: Scope | undefined): Type | undefined {
    for (let current = scope; current; current = current.parent) {
      const type = current.variables.get(name);
      if (type) return type;
    }
    const bare = name.replace(/^\./, '');
    if (this.#variables.has(bare)) this.used.add(bare);
    const named = TYPE_NAMES.get(bare);
    return this.#variables.get(bare) ?? (named && typeOf(named));
  }

  #select(node: Node & { kind: 'select' }, scope: Scope | undefined): Type {
    const qualified = qualifiedName(node);
    const first = qualified?.split('.')[0] ?? '';
    if (qualified && !node.test && this.#variables.has(qualified) && !this.#isBound(first, scope))
      return this.#find(qualified, undefined) as Type;
    if (qualified && !node.test && !this.#find(first, scope)) {
      const found = this.#find(qualified, scope);
      if (found) return found;
    }
    const operand = substitute(this.type(node.operand, scope), this.known);
    const inner = isOptional(operand) ? (operand.parameters[0] as Type) : operand;
    const field = this.#field(inner, node, scope);
    if (node.test) return BOOL;
    return (isOptional(operand) || node.optional) && !isOptional(field) ? optionalOf(field) : field;
  }

  #field(operand: Type, node: Node & { kind: 'select' }, _scope: Scope | undefined): Type {
    if (operand.kind === 'map') return operand.value;
    if (operand.kind === 'object')
      return operand.fields.get(node.field) ?? this.#error(node.at, `undefined field '${node.field}'`);
    if (isAny(operand)) return operand;
    if (operand.kind === 'parameter') {
      if (operand.kind === 'parameter') this.known.set(operand.name, DYN);
      return DYN;
    }
    // Types of Kubernetes are declared as objects that nothing is known of.
    if (operand.kind === 'opaque' && operand.name.startsWith('kubernetes.'))
      return this.#error(node.at, `unexpected failed resolution of '${operand.name}'`);
    return this.#error(node.at, `type '${formatType(operand)}' does not support field selection`);
  }

  #call(node: Node & { kind: 'call' }, scope: Scope | undefined): Type {
    const { name, target, at } = node;
    const qualified = target && qualifiedName(target);
    const named = qualified === undefined ? undefined : this.#functions.find(`${qualified}.${name}`);
    if (named && !this.#find((qualified as string).split('.')[0] as string, scope))
      return this.#resolve(
        `${qualified}.${name}`,
        named,
        false,
        node.args.map((arg) => this.type(arg, scope)),
        node,
      );
    const args = [...(target ? [target] : []), ...node.args].map((arg) => this.type(arg, scope));
    const special = this.#operator(node, args);
    if (special) return special;
    const overloads = this.#functions.find(name);
    if (!overloads) return this.#error(at, `undeclared reference to '${name}' (in container '')`);
    return this.#resolve(name, overloads, target !== undefined, args, node);
  }

  /** Operators whose types no signature tells. */
  #operator(node: Node & { kind: 'call' }, args: readonly Type[]): Type | undefined {
    const { name } = node;
    const [first = DYN, second = DYN, third = DYN] = args.map((arg) => substitute(arg, this.known));
    switch (name) {
      case '_&&_':
      case '_||_':
        return this.#logical(node.args, args);
      case '_?_:_':
        return this.#resolve(name, CONDITIONAL, false, [first, second, third], node);
      case '_[?_]':
      case '_[_]': {
        const base = isOptional(first) ? (first.parameters[0] as Type) : first;
        const element = this.#resolve(name, INDEX, false, [base, second], node);
        return (isOptional(first) || name === '_[?_]') && !isOptional(element) ? optionalOf(element) : element;
      }
      default:
        return undefined;
    }
  }

  #logical(nodes: readonly Node[], types: readonly Type[]): Type {
    let result = BOOL;
    for (const [index, type] of types.entries())
      if (!assignable(type, BOOL, this.known)) result = this.#notBool((nodes[index] as Node).at, type);
    return result;
  }

  #notBool(at: number, type: Type): Type {
    return this.#error(at, `expected type 'bool' but found '${formatType(substitute(type, this.known, true))}'`);
  }

  #resolve(name: string, overloads: readonly Overload[], method: boolean, args: readonly Type[], node: Node): Type {
    let result: Type | undefined;
    const matched: Overload[] = [];
    for (const one of overloads) {
      if (one.method !== method || one.args.length !== args.length) continue;
      const fresh: Substitution = new Map();
      const instance = (type: Type): Type => this.#instantiate(type, fresh);
      const trial: Substitution = new Map(this.known);
      if (!one.args.every((wanted, index) => assignable(args[index] as Type, instance(wanted), trial))) continue;
      for (const [key, value] of trial) this.known.set(key, value);
      matched.push(one);
      const found = substitute(instance(one.result), this.known);
      if (result === undefined) result = found;
      else if (formatType(result) !== formatType(found)) result = DYN;
    }
    if (result) {
      this.overloads.set(node, matched);
      return result;
    }
    const shown = args.map((arg) => formatType(substitute(arg, this.known, true)));
    const applied = method ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
    return this.#error(node.at, `found no matching overload for '${name}' applied to '${applied}'`);
  }

  #instantiate(type: Type, fresh: Substitution): Type {
    switch (type.kind) {
      case 'parameter': {
        let variable = fresh.get(type.name);
        if (!variable) {
          variable = this.#variable();
          fresh.set(type.name, variable);
        }
        return variable;
      }
      case 'list':
        return listOf(this.#instantiate(type.element, fresh));
      case 'map':
        return mapOf(this.#instantiate(type.key, fresh), this.#instantiate(type.value, fresh));
      case 'opaque':
        return { ...type, parameters: type.parameters.map((parameter) => this.#instantiate(parameter, fresh)) };
      default:
        return type;
    }
  }

  #macro(node: Node & { kind: 'macro' }, scope: Scope | undefined): Type {
    const before = this.issues.length;
    const range = substitute(this.type(node.range, scope), this.known);
    if (node.name === 'optMap' || node.name === 'optFlatMap') {
      // These look at what they are called on twice.
      this.issues.push(...this.issues.slice(before));
      return this.#optionalMacro(node, range, scope);
    }
    const [key, value] = this.#elements(range, node);
    const two = node.variables.length === 2;
    const [first = '', second = ''] = node.variables;
    const variables = new Map<string, Type>(
      two
        ? [
            [first, range.kind === 'map' ? key : range.kind === 'list' ? INT : DYN],
            [second, value],
          ]
        : [[first, range.kind === 'map' ? key : value]],
    );
    const inner: Scope = { variables, parent: scope };
    const types = node.args.map((arg) => this.type(arg, inner));
    const element = two || range.kind !== 'map' ? value : key;
    return this.#macroResult(node, types, { key: range.kind === 'map' ? key : INT, element });
  }

  #elements(range: Type, node: Node & { kind: 'macro' }): [Type, Type] {
    if (range.kind === 'list') return [INT, range.element];
    if (range.kind === 'map') return [range.key, range.value];
    if (!isAny(range) && range.kind !== 'parameter')
      this.#error(
        node.range.at,
        `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
      );
    return isAny(range) || range.kind === 'parameter' ? [DYN, DYN] : [ERROR, ERROR];
  }

  #macroResult(
    node: Node & { kind: 'macro' },
    types: readonly Type[],
    { key, element }: { key: Type; element: Type },
  ): Type {
    const last = types.at(-1) ?? DYN;
    const at = (node.args[0] as Node).at;
    const predicate = (operator: string, shown: (type: Type) => string, type = types[0] ?? DYN) => {
      if (assignable(type, BOOL, this.known)) return;
      this.#error(
        at,
        `found no matching overload for '${operator}' applied to '(${shown(substitute(type, this.known, true))})'`,
      );
    };
    switch (node.name) {
      case 'all':
      case 'exists':
        return this.#logical(node.args, types);
      case 'exists_one':
        predicate('_?_:_', (type) => `${formatType(type)}, int, int`);
        return BOOL;
      case 'filter':
        predicate('_?_:_', (type) => `${formatType(type)}, list(${formatType(element)}), list(${formatType(element)})`);
        return listOf(element);
      case 'map':
      case 'transformList':
        if (types.length === 2)
          predicate('_?_:_', (type) => `${formatType(type)}, list(${formatType(last)}), list(${formatType(last)})`);
        return listOf(last);
      case 'transformMap':
        return mapOf(key, last);
      default:
        return last.kind === 'map' ? last : mapOf(DYN, DYN);
    }
  }

  #optionalMacro(node: Node & { kind: 'macro' }, range: Type, scope: Scope | undefined): Type {
    if (!isOptional(range) && !isAny(range))
      return this.#error(
        node.at,
        `found no matching overload for '${node.name}' applied to '${formatType(range)}.(dyn)'`,
      );
    const value = isOptional(range) ? (range.parameters[0] as Type) : DYN;
    const variables = new Map([[node.variables[0] as string, value]]);
    const result = this.type(node.args[0] as Node, { variables, parent: scope });
    return node.name === 'optMap' ? optionalOf(result) : result;
  }
}
