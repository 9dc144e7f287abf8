import type { Type } from '../language/types.ts';
import { COST, exactly, plus, type Range, REGEX, scaled, TRAVERSAL, times, UNKNOWN } from './range.ts';

/** What is known about an argument of a call. */
export interface Argument {
  readonly type: Type;
  /** Undefined when nothing tells it. */
  readonly size: Range | undefined;
  /** A whole number that is written out. */
  readonly literal: bigint | undefined;
  /** The type and the size of the items of a list. */
  readonly items: { readonly type: Type; readonly size: Range } | undefined;
}

export interface CallEstimate {
  readonly cost: Range;
  /** Of the result, for texts, lists and maps. */
  readonly size?: Range;
}

const sizeOf = (argument: Argument | undefined): Range => argument?.size ?? UNKNOWN;
const traversal = (size: Range, rounds = 1): Range => scaled(size, rounds * TRAVERSAL);
const isText = (type: Type): boolean => type.kind === 'simple' && (type.name === 'string' || type.name === 'bytes');

const ADDRESS: Range = { min: 4, max: 16 };
const FORMAT_REGEX = 128;

const CHEAP = new Set(
  `serviceAccount path group resource subresource namespace name allowed reason error errored masked prefixLength family
  isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named sign asInteger isInteger
  asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch getScheme getHostname getHost getPort
  getEscapedPath getQuery`.split(/\s+/),
);

/** The cost of a call of a function of Kubernetes' own, without that of its arguments; undefined for others. */
export function kubernetesEstimate(
  name: string,
  target: Argument | undefined,
  args: readonly Argument[],
): CallEstimate | undefined {
  if (CHEAP.has(name)) return { cost: exactly(1) };
  const [first, second] = args;
  const whole = sizeOf(target);
  switch (name) {
    case 'check':
      return { cost: exactly(COST.check) };
    case 'fieldSelector':
    case 'labelSelector':
      return { cost: selectorCost(sizeOf(first)) };
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf': {
      if (!target) return undefined;
      if (!target.items) return { cost: traversal(whole) };
      const { type, size } = target.items;
      return { cost: times(whole, plus(exactly(1), isText(type) ? traversal(size) : exactly(0))) };
    }
    case 'url':
      return { cost: traversal(sizeOf(first)), size: sizeOf(first) };
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return { cost: traversal(whole), size: whole };
    case 'replace':
      return { cost: traversal(whole, 2), size: replacedSize(whole, sizeOf(first), sizeOf(second)) };
    case 'split':
      return { cost: traversal(whole, 2), size: { min: 0, max: Number(second?.literal ?? whole.max) } };
    case 'join': {
      const gaps = { min: Math.max(whole.min - 1, 0), max: Math.max(whole.max - 1, 0) };
      const items = target?.items ? times(whole, target.items.size) : exactly(0);
      const size = plus(items, first ? times(sizeOf(first), gaps) : exactly(0));
      return { cost: traversal(size), size };
    }
    case 'find':
    case 'findAll':
      return { cost: regexCost(whole, sizeOf(first)), size: { min: 0, max: whole.max } };
    case 'ip':
      return { cost: target ? exactly(1) : traversal(sizeOf(first)) };
    case 'ip.isCanonical':
      return { cost: traversal(sizeOf(first), 2) };
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
      return { cost: traversal(sizeOf(first)) };
    case 'containsIP':
    case 'containsCIDR': {
      const masking = name === 'containsCIDR' ? plus(traversal(ADDRESS), exactly(1)) : exactly(0);
      const parsing = first && isText(first.type) ? traversal(sizeOf(first)) : exactly(0);
      return { cost: plus(traversal(plus(ADDRESS, ADDRESS)), masking, parsing) };
    }
    case 'validate':
      return { cost: scaled(traversal(sizeOf(first)), FORMAT_REGEX * REGEX) };
    default:
      return undefined;
  }
}

export function regexCost(text: Range, expression: Range): Range {
  return times(traversal(plus(text, exactly(1))), scaled(expression, REGEX));
}

export function selectorCost(length: Range): Range {
  const requirements = scaled(scaled(length, 0.5), COST.list + COST.struct);
  return plus(exactly(COST.list), traversal(length), requirements);
}

/** How long a text may be whose parts are replaced. */
function replacedSize(text: Range, part: Range, by: Range): Range {
  const most = replacements(text.max, part.min, by.max <= part.min);
  const least = replacements(text.min, part.max, part.max <= by.min);
  return plus(times({ min: least.count, max: most.count }, by), { min: least.kept, max: most.kept });
}

/** In a text, how often a part is replaced where that matters for a bound, and how much of the text stays then. */
function replacements(text: number, part: number, isBoundAsItIs: boolean): { count: number; kept: number } {
  if (part === 0) return { count: text + 1, kept: text };
  return isBoundAsItIs ? { count: 0, kept: text } : { count: Math.ceil(text / part), kept: 0 };
}

/** The cost of a call of one of CEL's own functions, for one way in which it may be meant. */
export function standardEstimate(
  name: string,
  types: readonly Type[],
  target: Argument | undefined,
  args: readonly Argument[],
): CallEstimate {
  const [first, second] = args;
  const text = types[0] !== undefined && isText(types[0]);
  switch (name) {
    case 'format':
      return { cost: traversal(sizeOf(target)) };
    case 'bytes':
      if (text && types[0]?.kind === 'simple' && types[0].name === 'string')
        return { cost: traversal(sizeOf(first)), size: { min: sizeOf(first).min, max: sizeOf(first).max * 4 } };
      break;
    case 'string':
      if (types[0]?.kind === 'simple' && types[0].name === 'bytes')
        return {
          cost: traversal(sizeOf(first)),
          size: { min: Math.floor(sizeOf(first).min / 4), max: sizeOf(first).max },
        };
      break;
    case 'strings.quote':
      return {
        cost: traversal(sizeOf(first)),
        size: { min: sizeOf(first).min + 2, max: sizeOf(first).max * 2 + 2 },
      };
    case 'startsWith':
    case 'endsWith':
      return { cost: traversal(sizeOf(first)) };
    case '@in':
      if (types[1]?.kind === 'list') return { cost: sizeOf(second) };
      break;
    case 'matches':
      return { cost: regexCost(sizeOf(target), sizeOf(first)) };
    case 'contains':
      return { cost: times(traversal(sizeOf(target)), traversal(sizeOf(first))) };
    case '_+_':
      if (text || types[0]?.kind === 'list') {
        const size = plus(sizeOf(first), sizeOf(second));
        return { cost: text ? traversal(size) : exactly(1), size };
      }
      break;
    case '_<_':
    case '_<=_':
    case '_>_':
    case '_>=_':
      if (text) return { cost: comparison(first, second) };
      break;
    case '_==_':
    case '_!=_':
      return { cost: name === '_==_' && isOwn(first, second) ? exactly(1) : comparison(first, second) };
  }
  return { cost: exactly(1) };
}

/** Kubernetes' own types are compared at once. */
function isOwn(first: Argument | undefined, second: Argument | undefined): boolean {
  const [a, b] = [first?.type, second?.type];
  return a?.kind === 'opaque' && b?.kind === 'opaque' && a.name === b.name && /^(net|kubernetes)\./.test(a.name);
}

function comparison(first: Argument | undefined, second: Argument | undefined): Range {
  const max = Math.min(sizeOf(first).max, sizeOf(second).max);
  return traversal({ min: max > 0 ? 1 : 0, max });
}
