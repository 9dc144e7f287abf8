import {
  boolType,
  compileRegex,
  durationType,
  float64Type,
  intType,
  RegexError,
  stringType,
  timeType,
} from '@tiphys/template';
import { Fault } from '../fault/expr-error.ts';
import type { NodeOf } from '../syntax/node.ts';
import {
  elemOf,
  isAssignable,
  isBool,
  isComparable,
  isDuration,
  isFloat,
  isInteger,
  isList,
  isMap,
  isNumber,
  isString,
  isTime,
  isUnknown,
  listOf,
  mayFit,
  type Nature,
  natureText,
  nil,
  ofType,
  unknown,
} from './nature.ts';

const bool = ofType(boolType);
const int = ofType(intType);
const float = ofType(float64Type);
const time = ofType(timeType);
const duration = ofType(durationType);
const text = ofType(stringType);

type Binary = NodeOf<'binary'>;
/** The nature of the result, or undefined if the types do not fit. */
type Rule = (left: Nature, right: Nature, node: Binary) => Nature | undefined;

const promoted = (l: Nature, r: Nature): Nature => (isFloat(l) || isFloat(r) ? float : int);

const logical: Rule = (l, r) => ((isBool(l) && isBool(r)) || mayFit(l, r, isBool) ? bool : undefined);
const equality: Rule = (l, r) => (isComparable(l, r) ? bool : undefined);
const ordered = [isNumber, isString, isTime, isDuration];
const order: Rule = (l, r) =>
  ordered.some((check) => check(l) && check(r)) || mayFit(l, r, ...ordered) ? bool : undefined;
const textual: Rule = (l, r) => ((isString(l) && isString(r)) || mayFit(l, r, isString) ? bool : undefined);
const toFloat: Rule = (l, r) => ((isNumber(l) && isNumber(r)) || mayFit(l, r, isNumber) ? float : undefined);

const add: Rule = (l, r) => {
  if (isNumber(l) && isNumber(r)) return promoted(l, r);
  if (isString(l) && isString(r)) return text;
  if ((isTime(l) && isDuration(r)) || (isDuration(l) && isTime(r))) return time;
  if (isDuration(l) && isDuration(r)) return duration;
  return mayFit(l, r, isNumber, isString, isTime, isDuration) ? unknown : undefined;
};

const subtract: Rule = (l, r) => {
  if (isNumber(l) && isNumber(r)) return promoted(l, r);
  if (isTime(l) && isDuration(r)) return time;
  if ((isTime(l) && isTime(r)) || (isDuration(l) && isDuration(r))) return duration;
  return mayFit(l, r, isNumber, isTime, isDuration) ? unknown : undefined;
};

const multiply: Rule = (l, r) => {
  if (isNumber(l) && isNumber(r)) return promoted(l, r);
  if ((isNumber(l) || isDuration(l)) && (isNumber(r) || isDuration(r))) return duration;
  return mayFit(l, r, isNumber, isDuration) ? unknown : undefined;
};

const modulo: Rule = (l, r) => ((isInteger(l) && isInteger(r)) || mayFit(l, r, isInteger) ? int : undefined);
const range: Rule = (l, r) => ((isInteger(l) && isInteger(r)) || mayFit(l, r, isInteger) ? listOf(int) : undefined);

const matches: Rule = (l, r, { right, at }) => {
  if (right.kind === 'text') {
    try {
      compileRegex(right.value);
    } catch (error) {
      if (error instanceof RegexError) throw new Fault(error.message, at);
      throw error;
    }
  }
  const isBytes = isList(l) && l.type?.name === '[]uint8';
  return ((isString(l) || isBytes) && isString(r)) || mayFit(l, r, isString) ? bool : undefined;
};

const membership: Rule = (l, r, { at }) => {
  if ((isString(l) || isUnknown(l)) && r.type?.kind === 'struct') return bool;
  if (isMap(r)) {
    const key = ofType(r.type?.key);
    if (!isUnknown(l) && !isAssignable(l, key))
      throw new Fault(`cannot use ${natureText(l)} as type ${natureText(key)} in map key`, at);
    return bool;
  }
  if (isList(r)) {
    if (!isComparable(l, elemOf(r)))
      throw new Fault(`cannot use ${natureText(l)} as type ${natureText(elemOf(r))} in array`, at);
    return bool;
  }
  return isUnknown(r) || (isUnknown(l) && isString(r)) ? bool : undefined;
};

const coalesce: Rule = (l, r) => {
  if (l.isNil) return r.isNil ? nil : r;
  if (r.isNil) return l;
  return isAssignable(r, l) ? l : unknown;
};

const rules: Readonly<Record<string, Rule>> = {
  '==': equality,
  '!=': equality,
  or: logical,
  '||': logical,
  and: logical,
  '&&': logical,
  '<': order,
  '>': order,
  '<=': order,
  '>=': order,
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': toFloat,
  '**': toFloat,
  '^': toFloat,
  '%': modulo,
  in: membership,
  matches,
  contains: textual,
  startsWith: textual,
  endsWith: textual,
  '..': range,
  '??': coalesce,
};

/** The nature of what an operator makes of two operands. Throws `Fault` where they do not fit. */
export function binaryNature(node: Binary, left: Nature, right: Nature): Nature {
  const rule = rules[node.operator];
  if (!rule) throw new Fault(`unknown operator (${node.operator})`, node.at);
  const nature = rule(left, right, node);
  if (nature) return nature;
  throw new Fault(
    `invalid operation: ${node.operator} (mismatched types ${natureText(left)} and ${natureText(right)})`,
    node.at,
  );
}
