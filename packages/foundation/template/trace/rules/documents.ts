import { YamlError, type YamlNode, YamlReader } from '@tiphys/yaml';
import { compareStrings } from '../../text/bytes.ts';
import { encodeJson, keyText } from '../../value/json-encode.ts';
import type { TraceRule } from '../../value/trace/call.ts';
import { Rope, RopeSlicer, readFrom, type Traced, throughOf } from '../../value/trace/rope.ts';
import type { Slots } from '../../value/trace/slots.ts';
import { elementsOf, entriesOf, GoMap, GoSlice, GoStruct, type Value } from '../../value/value.ts';
import { opaque } from './opaque.ts';

/** `fromYaml` and `fromJson`: each value comes from where it stood in the text. */
export const parsed: TraceRule = (call) => {
  const [text] = call.args;
  const [traced] = call.traces;
  if (!traced) return undefined;
  if (!(traced instanceof Rope) || typeof text !== 'string') return opaque(call);
  const slicer = new RopeSlicer(traced);
  const part: Part = (from, to) => throughOf(slicer.slice(from, to), call.name);
  try {
    for (const document of new YamlReader(text).documents())
      return placeValue(call.slots, call.result, document.root, part);
  } catch (error) {
    // What can't be read as YAML gave an error for its value, which is made of all of it.
    if (!(error instanceof YamlError)) throw error;
  }
  return opaque(call);
};

type Part = (from: number, to: number) => Traced;

/** States what a value that was read from a node is made of. */
function placeValue(slots: Slots, value: Value, node: YamlNode, part: Part): Traced {
  if (node.kind === 'alias') return placeValue(slots, value, node.target, part);
  if (node.kind === 'scalar') {
    const traced = part(node.start, node.end);
    return typeof value === 'string' && node.end - node.start === value.length ? traced : readFrom(traced);
  }
  if (node.kind === 'sequence') {
    for (const [i, item] of (elementsOf(value) ?? []).entries()) {
      const child = node.items[i];
      if (child) slots.put(value, i, placeValue(slots, item, child, part));
    }
    return undefined;
  }
  for (let i = 0; i < node.pairs.length; i += 2) placePair(slots, value, node.pairs[i], node.pairs[i + 1], part);
  return undefined;
}

function placePair(slots: Slots, map: Value, key: YamlNode | undefined, node: YamlNode | undefined, part: Part): void {
  if (key?.kind !== 'scalar' || !node) return;
  const entries = entriesOf(map);
  if (key.value === '<<' && key.implicit && !entries?.has('<<')) {
    for (const merged of node.kind === 'sequence' ? node.items.toReversed() : [node])
      placeValue(slots, map, merged, part);
    return;
  }
  if (!entries?.has(key.value)) return;
  const name = readFrom(part(key.start, key.end));
  slots.put(
    map,
    key.value,
    placeValue(slots, entries.get(key.value), node, part),
    name?.origins.length ? name : undefined,
  );
}

interface JsonStyle {
  readonly pretty: boolean;
  /** HTML characters as they are. */
  readonly raw: boolean;
}

/** `toJson` and its like: each value lands where it is written. */
export const json =
  (style: JsonStyle): TraceRule =>
  (call) => {
    const writer = new JsonTrace(call.slots, call.name, style);
    if (call.text === '') return undefined;
    writer.write(call.args[0], call.traces[0], 0);
    return writer.rope.length === call.text.length ? writer.rope : opaque(call);
  };

const unescaped = /^[ !#-%'-;=?-[\]-~]*$/;
const htmlEscapes = /\\\\|\\u(?:003c|003e|0026)/g;

class JsonTrace {
  readonly rope = new Rope();
  readonly #slots: Slots;
  readonly #name: string;
  readonly #style: JsonStyle;

  constructor(slots: Slots, name: string, style: JsonStyle) {
    this.#slots = slots;
    this.#name = name;
    this.#style = style;
  }

  write(value: Value, traced: Traced, depth: number): void {
    const items = value instanceof Uint8Array || isNilContainer(value) ? undefined : elementsOf(value);
    const entries = items || value instanceof GoStruct || isNilContainer(value) ? undefined : entriesOf(value);
    if (items) {
      this.#list(
        items.map((item, i) => () => this.write(item, this.#slots.get(value, traced, i), depth + 1)),
        depth,
      );
    } else if (entries) {
      const pairs = [...entries]
        .map(([key, item]) => ({ key, name: keyText(key), item }))
        .sort((a, b) => compareStrings(a.name, b.name));
      this.#list(
        pairs.map(({ key, name, item }) => () => {
          const made = this.#slots.key(value, traced, key);
          this.rope.add(throughOf(made, this.#name), this.#lengthOf(name));
          this.rope.push(this.#style.pretty ? 2 : 1, undefined);
          this.write(item, this.#slots.get(value, traced, key), depth + 1);
        }),
        depth,
      );
    } else this.#scalar(value, traced);
  }

  #scalar(value: Value, traced: Traced): void {
    const length = this.#lengthOf(value);
    const through = throughOf(typeof value === 'string' ? traced : this.#slots.deep(value, traced), this.#name);
    if (typeof value !== 'string' || length !== value.length + 2) this.rope.add(through, length);
    else {
      this.rope.push(1, undefined);
      this.rope.add(through, value.length);
      this.rope.push(1, undefined);
    }
  }

  #lengthOf(value: Value): number {
    if (typeof value === 'string' && unescaped.test(value)) return value.length + 2;
    const text = encodeJson(value);
    if (!this.#style.raw) return text.length;
    return text.replace(htmlEscapes, (all) => (all === '\\\\' ? all : '<')).length;
  }

  #list(write: readonly (() => void)[], depth: number): void {
    const { pretty } = this.#style;
    this.rope.push(1, undefined);
    for (const [i, one] of write.entries()) {
      if (i > 0) this.rope.push(1, undefined);
      if (pretty) this.rope.push(1 + 2 * (depth + 1), undefined);
      one();
    }
    if (pretty && write.length > 0) this.rope.push(1 + 2 * depth, undefined);
    this.rope.push(1, undefined);
  }
}

function isNilContainer(value: Value): boolean {
  return (value instanceof GoSlice || value instanceof GoMap) && value.nil;
}
