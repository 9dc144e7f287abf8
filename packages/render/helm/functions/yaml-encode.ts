import {
  chargeCopy,
  EncodeError,
  elementsOf,
  encodeJson,
  entriesOf,
  GoError,
  GoFloat32,
  GoInt,
  GoMap,
  GoNil,
  GoSlice,
  GoString,
  GoStruct,
  keyText,
  TimeValue,
  typeOf,
  type Value,
} from '@tiphys/template';
import { PlainScalar, type Printable, type PrintObserver, parseYaml, printYaml } from '@tiphys/yaml';

/** Characters that the YAML reader on Helm's way through JSON refuses or folds. */
const refused = /[\x7f-\x9f\ufeff\ufffe\uffff]/;

/** `yaml.Marshal` of sigs.k8s.io/yaml, with its newline. Throws `EncodeError`. */
export function encodeYaml(value: Value, observer?: PrintObserver): string {
  const converter = new Converter(false);
  const printable = converter.convert(value, 0);
  return printYaml(converter.suspicious ? parseJsonText(encodeJson(value)) : printable, observer ? { observer } : {});
}

function parseJsonText(json: string): Printable {
  try {
    return parseYaml(json);
  } catch (error) {
    throw new EncodeError((error as { goMessage?: string }).goMessage ?? String(error));
  }
}

/** What yaml.v3's encoder prints with an indentation of two, with its newline. */
export function encodeYamlPretty(value: Value, observer?: PrintObserver): string {
  return printYaml(new Converter(true).convert(value, 0), { dialect: 'v3', ...(observer ? { observer } : {}) });
}

class Converter {
  readonly #pretty: boolean;
  /** A text was seen that does not survive the way through JSON. */
  suspicious = false;

  constructor(pretty: boolean) {
    this.#pretty = pretty;
  }

  convert(value: Value, depth: number): Printable {
    chargeCopy();
    if (depth > 2000) throw new EncodeError('json: unsupported value: encountered a cycle');
    if (value === null || value === undefined || value instanceof GoNil) return null;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'number') return this.#float(value);
    if (typeof value !== 'object') return value;
    if (value instanceof GoInt) return value.value;
    if (value instanceof GoFloat32) return this.#float(value.value);
    if (value instanceof GoString) return this.#text(value.value);
    if (value instanceof Uint8Array) return this.#pretty ? [...value] : Buffer.from(value).toString('base64');
    if (this.#pretty && value instanceof TimeValue) return new PlainScalar(value.toJsonValue() as string);
    if (value instanceof GoStruct) return this.#struct(value, depth);
    if (value instanceof GoError) return {};
    if (!this.#pretty && (value instanceof GoSlice || value instanceof GoMap) && value.nil) return null;
    const items = elementsOf(value);
    if (items) return items.map((item) => this.convert(item, depth + 1));
    const entries = entriesOf(value);
    if (!entries) throw new EncodeError(`json: unsupported type: ${typeOf(value)?.name}`);
    const map = new Map<string, Printable>();
    for (const [key, item] of entries) map.set(this.#key(keyText(key)), this.convert(item, depth + 1));
    return map;
  }

  #struct(value: GoStruct, depth: number): Printable {
    const custom = value.toJsonValue();
    if (custom !== undefined) return this.convert(custom, depth + 1);
    const exported = [...value.fields].filter(([name]) => /^\p{Lu}/u.test(name));
    const fields = this.#pretty
      ? exported.map(([name, item]) => [name.toLowerCase(), item] as const)
      : value.jsonFields();
    return new Map(fields.map(([name, item]) => [name, this.convert(item, depth + 1)]));
  }

  #key(text: string): string {
    // The scanner only takes a key for one if its colon is near.
    if (text.length > 1000) this.suspicious = true;
    return this.#text(text);
  }

  #text(text: string): string {
    if (refused.test(text)) this.suspicious = true;
    return text.isWellFormed() ? text : text.toWellFormed();
  }

  #float(value: number): number {
    if (!Number.isFinite(value) && !this.#pretty) throw new EncodeError(`json: unsupported value: ${value}`);
    return value;
  }
}
