import { anyType, boolType, intType, mapOf, sliceOfAny } from '@tiphys/template';
import { Fault } from '../fault/expr-error.ts';
import type { Node, NodeOf } from '../syntax/node.ts';
import {
  elemOf,
  isBool,
  isList,
  isString,
  isUnknown,
  listOf,
  type Nature,
  natureText,
  ofType,
  unknown,
} from './nature.ts';

/** What a predicate can see: the element, and pointers by name. */
export interface PredicateScope {
  readonly collection: Nature;
  readonly pointers: ReadonlyMap<string, Nature>;
}

/** How the nature of a node, or of a predicate in a scope, is found. */
export interface Visitor {
  visit(node: Node): Nature;
  within(scope: PredicateScope, node: Node): Nature;
}

const int = ofType(intType);
const none: ReadonlyMap<string, Nature> = new Map();
const indexOnly = new Map([['index', int]]);
const indexAndAcc = new Map([
  ['index', int],
  ['acc', unknown],
]);

/** What a function that takes a predicate gives. Throws `Fault`. */
export function predicateNature(node: NodeOf<'builtin'>, visitor: Visitor): Nature {
  const [list, predicate, extra] = node.args as [Node, Node | undefined, Node | undefined];
  const collection = visitor.visit(list);
  if (!isList(collection) && !isUnknown(collection))
    throw new Fault(`builtin ${node.name} takes only array (got ${natureText(collection)})`, list.at);
  const pointers = node.name === 'map' ? indexOnly : node.name === 'reduce' ? indexAndAcc : none;
  const result = predicate ? (visitor.within({ collection, pointers }, predicate).result ?? unknown) : unknown;
  const order = extra ? visitor.visit(extra) : unknown;
  if (predicate) checkResult(node.name, predicate, result);
  return resultOf(node, { collection, result, order });
}

function checkResult(name: string, predicate: Node, result: Nature): void {
  if (result.isNil) {
    const inputs = name === 'reduce' ? 'two' : 'one';
    throw new Fault(`predicate should has ${inputs} input and one output param`, predicate.at);
  }
  const isTest = !['map', 'sum', 'groupBy', 'sortBy', 'reduce'].includes(name);
  if (isTest && !isBool(result) && !isUnknown(result))
    throw new Fault(`predicate should return boolean (got ${natureText(result)})`, predicate.at);
}

interface Found {
  readonly collection: Nature;
  readonly result: Nature;
  readonly order: Nature;
}

function resultOf({ name, args }: NodeOf<'builtin'>, { collection, result, order }: Found): Nature {
  switch (name) {
    case 'filter':
      return isUnknown(collection) ? ofType(sliceOfAny) : listOf(elemOf(collection));
    case 'map':
      return listOf(result);
    case 'count':
    case 'findIndex':
    case 'findLastIndex':
      return int;
    case 'sum':
      if (args.length === 2) return result;
      return isUnknown(collection) ? unknown : elemOf(collection);
    case 'find':
    case 'findLast':
      return isUnknown(collection) ? unknown : elemOf(collection);
    case 'groupBy':
      return { type: mapOf(anyType, sliceOfAny), elem: listOf(elemOf(collection)) };
    case 'sortBy':
      if (args[2] && !isString(order) && !isUnknown(order))
        throw new Fault(`sortBy order argument must be a string (got ${natureText(order)})`, args[2].at);
      return collection;
    case 'reduce':
      return result;
    default:
      return ofType(boolType);
  }
}
