import {
  boolType,
  bytesType,
  type FunctionSpec,
  float64Type,
  type GoType,
  intType,
  mapOfAny,
  sliceOfAny,
  stringType,
  typeOf,
} from '@tiphys/template';
import { Fault } from '../fault/expr-error.ts';
import { builtinNames } from '../syntax/builtin-names.ts';
import { predicateArguments } from '../syntax/calls.ts';
import type { Node, NodeOf } from '../syntax/node.ts';
import { checkArguments } from './arguments.ts';
import { binaryNature } from './binary.ts';
import { memberNature } from './members.ts';
import {
  elemOf,
  isAssignable,
  isBool,
  isInteger,
  isList,
  isMap,
  isNumber,
  isString,
  isUnknown,
  listOf,
  type Nature,
  natureText,
  nil,
  ofType,
  unknown,
} from './nature.ts';
import { type PredicateScope, predicateNature } from './predicates.ts';
import { builtinType, signatures, validations } from './signatures.ts';

export interface CheckOptions {
  /** Natures of the names of the environment; undefined if nothing is known of it. */
  readonly names: ReadonlyMap<string, Nature> | undefined;
  /** True if other names are refused. */
  readonly isStrict: boolean;
  readonly functions: ReadonlyMap<string, FunctionSpec>;
  readonly disabled: ReadonlySet<string>;
}

/** Finds the nature of every node and refuses what can't work. Throws `Fault`. */
export class Checker {
  readonly #options: CheckOptions;
  readonly #scopes: PredicateScope[] = [];
  readonly #variables: { readonly name: string; readonly nature: Nature }[] = [];

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  visit(node: Node): Nature {
    const nature = this.#natureOf(node);
    node.nature = nature;
    return nature;
  }

  within(scope: PredicateScope, node: Node): Nature {
    this.#scopes.push(scope);
    const nature = this.visit(node);
    this.#scopes.pop();
    return nature;
  }

  #natureOf(node: Node): Nature {
    switch (node.kind) {
      case 'nil':
        return nil;
      case 'name':
        return this.#name(node);
      case 'constant':
        return ofType(typeOf(node.value));
      case 'unary':
        return this.#unary(node);
      case 'binary':
        return binaryNature(node, this.visit(node.left), this.visit(node.right));
      case 'chain':
        return this.visit(node.node);
      case 'member':
        return this.#member(node);
      case 'slice':
        return this.#slice(node);
      case 'call':
        return this.#call(node);
      case 'builtin':
        return this.#builtin(node);
      case 'predicate': {
        const result = this.visit(node.node);
        return { result };
      }
      case 'pointer':
        return this.#pointer(node);
      case 'let':
        return this.#let(node);
      case 'sequence':
        return node.nodes.map((part) => this.visit(part)).at(-1) as Nature;
      case 'conditional':
        return this.#conditional(node);
      case 'array':
        return this.#array(node);
      case 'map':
        for (const { key, value } of node.pairs) {
          this.visit(key);
          this.visit(value);
        }
        return ofType(mapOfAny);
      default:
        return ofType(literalTypes[node.kind]);
    }
  }

  #name({ name, at }: NodeOf<'name'>): Nature {
    const variable = this.#variables.findLast((candidate) => candidate.name === name);
    if (variable) return variable.nature;
    if (name === '$env') return unknown;
    const given = this.#options.names?.get(name);
    if (given) return given;
    const spec = this.#options.functions.get(name);
    if (spec) return { call: spec, type: functionType };
    if (this.#isBuiltin(name)) return { type: builtinType(name) };
    if (this.#options.isStrict) throw new Fault(`unknown name ${name}`, at);
    return unknown;
  }

  #isBuiltin(name: string): boolean {
    return builtinNames.has(name) && !this.#options.disabled.has(name);
  }

  #unary(node: NodeOf<'unary'>): Nature {
    const operand = this.visit(node.operand);
    if (node.operator === '!' || node.operator === 'not') {
      if (isBool(operand) || isUnknown(operand)) return ofType(boolType);
    } else {
      if (isNumber(operand)) return operand;
      if (isUnknown(operand)) return unknown;
    }
    throw new Fault(`invalid operation: ${node.operator} (mismatched type ${natureText(operand)})`, node.at);
  }

  #member(node: NodeOf<'member'>): Nature {
    if (node.node.kind === 'name' && node.node.name === '$env') {
      if (node.property.kind !== 'text') return unknown;
      const name = node.property.value;
      const given = this.#options.names?.get(name);
      if (given) return given;
      if (this.#options.isStrict && !node.isOptional) throw new Fault(`unknown name ${name}`, node.at);
      return unknown;
    }
    return memberNature(node, this.visit(node.node), this.visit(node.property));
  }

  #slice(node: NodeOf<'slice'>): Nature {
    const nature = this.visit(node.node);
    if (isUnknown(nature)) {
      // Go does not look at the bounds then
      return unknown;
    }
    if (!isString(nature) && !isList(nature)) throw new Fault(`cannot slice ${natureText(nature)}`, node.at);
    for (const bound of [node.from, node.to]) {
      const found = bound ? this.visit(bound) : unknown;
      if (bound && !isInteger(found) && !isUnknown(found))
        throw new Fault(`non-integer slice index ${natureText(found)}`, bound.at);
    }
    return nature;
  }

  #call(node: NodeOf<'call'>): Nature {
    const { callee, at } = node;
    if (callee.kind === 'name' && callee.name === '$env')
      throw new Fault(`${this.#options.names ? 'map[string]interface {}' : 'unknown'} is not callable`, at);
    const nature = this.visit(callee);
    if (isUnknown(nature)) {
      // Go does not look at the arguments then
      return unknown;
    }
    const name = calleeName(callee);
    if (nature.isNil) throw new Fault(`${name} is nil; cannot call nil as function`, at);
    if (!nature.call) throw new Fault(`${natureText(nature)} is not callable`, at);
    const natures = node.args.map((arg) => this.visit(arg));
    checkArguments(nature.call, { name, at, args: node.args, natures });
    return ofType(resultTypeOf(nature));
  }

  #builtin(node: NodeOf<'builtin'>): Nature {
    if (Object.hasOwn(predicateArguments, node.name)) return predicateNature(node, this);
    if (node.name === 'get') return this.#get(node);
    const natures = node.args.map((arg) => this.visit(arg));
    const validation = validations.get(node.name);
    if (validation) {
      const result = validation(natures);
      if (typeof result === 'string') throw new Fault(result, node.at);
      return result;
    }
    let last: unknown;
    for (const { params, result } of signatures.get(node.name) ?? []) {
      try {
        checkArguments({ params }, { name: node.name, at: node.at, args: node.args, natures });
        return ofType(result);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        last = error;
      }
    }
    throw last;
  }

  #get(node: NodeOf<'builtin'>): Nature {
    const { args, at } = node;
    if (args.length !== 2) throw new Fault(`invalid number of arguments (expected 2, got ${args.length})`, at);
    const [from, property] = args as [Node, Node];
    const base = this.visit(from);
    const wanted = this.visit(property);
    if (from.kind === 'name' && from.name === '$env') {
      return (property.kind === 'text' ? this.#options.names?.get(property.value) : undefined) ?? unknown;
    }
    if (isUnknown(base)) return unknown;
    if (isList(base)) {
      if (!isInteger(wanted) && !isUnknown(wanted))
        throw new Fault(`non-integer slice index ${natureText(wanted)}`, property.at);
      return elemOf(base);
    }
    if (isMap(base)) {
      if (!isAssignable(wanted, ofType(base.type?.key)) && !isUnknown(wanted))
        throw new Fault(`cannot use ${natureText(wanted)} to get an element from ${natureText(base)}`, property.at);
      return elemOf(base);
    }
    throw new Fault(`type ${natureText(base)} does not support indexing`, from.at);
  }

  #pointer({ name, at }: NodeOf<'pointer'>): Nature {
    const scope = this.#scopes.at(-1);
    if (!scope) throw new Fault('cannot use pointer accessor outside predicate', at);
    if (name === '') return isUnknown(scope.collection) ? unknown : elemOf(scope.collection);
    const nature = scope.pointers.get(name);
    if (!nature) throw new Fault(`unknown pointer #${name}`, at);
    return nature;
  }

  #let(node: NodeOf<'let'>): Nature {
    const { name, at } = node;
    if (this.#options.names?.has(name)) throw new Fault(`cannot redeclare ${name}`, at);
    if (this.#options.functions.has(name)) throw new Fault(`cannot redeclare function ${name}`, at);
    if (this.#isBuiltin(name)) throw new Fault(`cannot redeclare builtin ${name}`, at);
    if (this.#variables.some((variable) => variable.name === name))
      throw new Fault(`cannot redeclare variable ${name}`, at);
    this.#variables.push({ name, nature: this.visit(node.value) });
    const nature = this.visit(node.body);
    this.#variables.pop();
    return nature;
  }

  #conditional(node: NodeOf<'conditional'>): Nature {
    const condition = this.visit(node.condition);
    if (!isBool(condition) && !isUnknown(condition))
      throw new Fault(`non-bool expression (type ${natureText(condition)}) used as condition`, node.condition.at);
    const yes = this.visit(node.yes);
    const no = this.visit(node.no);
    if (yes.isNil) return no;
    if (no.isNil) return yes;
    if (!isAssignable(yes, no)) return unknown;
    const elements = [elemOf(yes), elemOf(no)] as const;
    const areAlike = isAssignable(elements[0], elements[1]) && isAssignable(elements[1], elements[0]);
    return isList(yes) && isList(no) && !areAlike ? ofType(sliceOfAny) : yes;
  }

  #array(node: NodeOf<'array'>): Nature {
    const natures = node.nodes.map((part) => this.visit(part));
    const kind = natures[0]?.type?.kind;
    const areAlike = natures.every(({ type }) => type?.kind === kind);
    return areAlike && natures.length > 0 ? listOf(natures.at(-1) as Nature) : ofType(sliceOfAny);
  }
}

const literalTypes = { int: intType, float: float64Type, bool: boolType, text: stringType, bytes: bytesType } as const;

const functionType: GoType = Object.freeze({
  name: 'func(...interface {}) (interface {}, error)',
  kind: 'func',
  named: false,
});

function calleeName(callee: Node): string {
  if (callee.kind === 'name') return callee.name;
  return callee.kind === 'member' && callee.property.kind === 'text' ? callee.property.value : 'function';
}

/** What a function of the host gives, if its type tells. */
function resultTypeOf({ type }: Nature): GoType | undefined {
  return type?.kind === 'func' ? type.elem : undefined;
}
