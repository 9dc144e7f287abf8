import { formatFloat } from '../text/format-float.ts';
import { resolvePlain, resolveTagged } from '../text/resolve.ts';
import { type GoNode, goSyntax } from './go-syntax.ts';
import type { MappingNode, ScalarNode, YamlNode } from './node.ts';

/** Raised with the words of go-yaml or of the conversion to JSON. */
export class DecodeFailure extends Error {
  readonly node: YamlNode;
  readonly limit: boolean;
  constructor(message: string, node: YamlNode, limit = false) {
    super(message);
    this.node = node;
    this.limit = limit;
  }
}

/** How JSON values are represented. */
export interface Shape<T, M extends T> {
  map(): M;
  set(map: M, key: string, value: T): void;
  list(items: T[]): T;
  /** Null, booleans, strings and floats; integers beyond ±2^53 are bigints. */
  scalar(value: null | boolean | string | number | bigint): T;
}

/** The JSON value of a tree, by the rules of sigs.k8s.io/yaml over go-yaml v2. */
export function decode<T, M extends T>(root: YamlNode, shape: Shape<T, M>, maxNodes: number): T {
  return new Decoder(shape, maxNodes).root(root);
}

class Decoder<T, M extends T> {
  readonly #shape: Shape<T, M>;
  readonly #maxNodes: number;
  readonly #open = new Set<YamlNode>();
  #count = 0;
  #aliasCount = 0;
  #aliasDepth = 0;
  /** The first thing that JSON can not hold. */
  #unconvertible: DecodeFailure | undefined;

  constructor(shape: Shape<T, M>, maxNodes: number) {
    this.#shape = shape;
    this.#maxNodes = maxNodes;
  }

  /** go-yaml reads the whole document before anything of it becomes JSON: what it refuses comes first. */
  root(node: YamlNode): T {
    const value = this.value(node);
    if (this.#unconvertible) throw this.#unconvertible;
    return value;
  }

  value(node: YamlNode): T {
    this.#counted(node);
    switch (node.kind) {
      case 'scalar':
        return this.#shape.scalar(this.#jsonScalar(node));
      case 'sequence':
        return this.#shape.list(node.items.map((item) => this.value(item)));
      case 'mapping': {
        const map = this.#shape.map();
        this.#fill(map, node);
        return map;
      }
      default:
        return this.#inside(node, () => this.value(node.target));
    }
  }

  #counted(node: YamlNode): void {
    this.#count++;
    if (this.#aliasDepth > 0) this.#aliasCount++;
    if (
      this.#aliasCount > 100 &&
      this.#count > 1000 &&
      this.#aliasCount / this.#count > allowedAliasRatio(this.#count)
    ) {
      throw new DecodeFailure('yaml: document contains excessive aliasing', node, true);
    }
    if (this.#count > this.#maxNodes)
      throw new DecodeFailure(`yaml: document has more than ${this.#maxNodes} values`, node, true);
  }

  #inside<R>(node: YamlNode & { kind: 'alias' }, body: () => R): R {
    if (this.#open.has(node)) throw new DecodeFailure(`yaml: anchor '${node.name}' value contains itself`, node);
    this.#open.add(node);
    this.#aliasDepth++;
    const result = body();
    this.#aliasDepth--;
    this.#open.delete(node);
    return result;
  }

  #fill(map: M, node: MappingNode): void {
    const { pairs } = node;
    for (let i = 0; i < pairs.length; i += 2) {
      const key = pairs[i] as YamlNode;
      const value = pairs[i + 1] as YamlNode;
      if (isMerge(key)) this.#merge(map, value);
      else {
        const name = this.#key(key, value);
        this.#shape.set(map, name, this.value(value));
      }
    }
  }

  #merge(map: M, node: YamlNode): void {
    const wantMap = (): never => {
      throw new DecodeFailure('yaml: map merge requires map or sequence of maps as the value', node);
    };
    const one = (part: YamlNode): void => {
      this.#counted(part);
      if (part.kind === 'mapping') this.#fill(map, part);
      else if (part.kind === 'alias' && part.target.kind === 'mapping') {
        const target = part.target;
        this.#inside(part, () => {
          this.#counted(target);
          this.#fill(map, target);
        });
      } else wantMap();
    };
    if (node.kind === 'sequence') for (const part of node.items.toReversed()) one(part);
    else one(node);
  }

  #key(node: YamlNode, value: YamlNode): string {
    this.#counted(node);
    let key = node;
    while (key.kind === 'alias') key = key.target;
    if (key.kind !== 'scalar') throw new DecodeFailure(`yaml: invalid map key: ${goSyntax(this.#goNode(key))}`, node);
    const resolved = this.#resolve(key);
    if (resolved === null) {
      const words = `key: <nil>, value: ${goSyntax(this.#goNode(value))}`;
      this.#unconvertible ??= new DecodeFailure(`unsupported map key of type: %!s(<nil>), ${words}`, node);
      return '';
    }
    if (typeof resolved === 'object') {
      const text = formatFloat((resolved as { float: number }).float, 32);
      return text === '+Inf' ? '.inf' : text === '-Inf' ? '-.inf' : text === 'NaN' ? '.nan' : text;
    }
    if (typeof resolved === 'bigint' && resolved > 2n ** 63n - 1n) {
      const words = `key: 0x${resolved.toString(16)}, value: ${goSyntax(this.#goNode(value))}`;
      this.#unconvertible ??= new DecodeFailure(`unsupported map key of type: uint64, ${words}`, node);
      return '';
    }
    return String(resolved);
  }

  #jsonScalar(node: ScalarNode): null | boolean | string | number | bigint {
    const value = this.#resolve(node);
    if (value === null || typeof value !== 'object') return value as null | boolean | string | number | bigint;
    const { float } = value as { float: number };
    if (Number.isFinite(float)) return float;
    this.#unconvertible ??= new DecodeFailure(`json: unsupported value: ${formatFloat(float)}`, node);
    return null;
  }

  #resolve(node: ScalarNode): GoNode {
    if (node.tag === '' && !node.implicit) return node.value;
    const resolved = node.tag === '' ? resolvePlain(node.value) : resolveTagged(node.tag, node.value);
    switch (resolved.type) {
      case 'null':
        return null;
      case 'timestamp':
        return node.value;
      case 'float':
        return { float: resolved.value };
      case 'error':
        throw new DecodeFailure(`yaml: ${resolved.message}`, node);
      default:
        return resolved.value;
    }
  }

  /** What a message shows of a value; for small ones only. */
  #goNode(node: YamlNode, depth = 0): GoNode {
    if (depth > 20) return '…';
    switch (node.kind) {
      case 'scalar':
        return this.#resolve(node);
      case 'sequence':
        return node.items.map((item) => this.#goNode(item, depth + 1));
      case 'alias':
        return this.#goNode(node.target, depth + 1);
      default: {
        const map = new Map<GoNode, GoNode>();
        for (let i = 0; i < node.pairs.length; i += 2) {
          const key = this.#goNode(node.pairs[i] as YamlNode, depth + 1);
          if (key instanceof Map || Array.isArray(key))
            throw new DecodeFailure(`yaml: invalid map key: ${goSyntax(key)}`, node);
          map.set(key, this.#goNode(node.pairs[i + 1] as YamlNode, depth + 1));
        }
        return map;
      }
    }
  }
}

function isMerge(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === '<<' && (node.implicit || node.tag === 'tag:yaml.org,2002:merge');
}

/** How much of a document may come from aliases: go-yaml's defence against their expansion. */
function allowedAliasRatio(count: number): number {
  const [low, high] = [400_000, 4_000_000];
  if (count <= low) return 0.99;
  return count >= high ? 0.1 : 0.99 - (0.89 * (count - low)) / (high - low);
}
