import { parseDocuments, YamlError } from '@tiphys/yaml';
import type { Machine } from '../machine/machine.ts';
import { manifestJson, numberText, quoted } from '../machine/text-of.ts';
import { JsonnetArray, JsonnetFunction, JsonnetObject, typeOf, type Value } from '../machine/values.ts';
import { arrayOf, booleanOf, type Library, objectOf, textOf } from './native.ts';
import { escapeXml } from './strings.ts';
import { manifestToml } from './toml.ts';
import { manifestYaml } from './yaml.ts';

/** A value of JSON as one of Jsonnet. */
export function fromJson(machine: Machine, value: unknown): Value {
  if (Array.isArray(value)) return machine.array(value.map((item) => fromJson(machine, item)));
  if (typeof value === 'object' && value !== null)
    return JsonnetObject.of(
      Object.entries(value).map(([name, child]) => [name, fromJson(machine, child)] as const),
      machine,
    );
  return typeof value === 'number' ? machine.finite(value) : (value as null | boolean | string);
}

function parseYaml(machine: Machine, text: string): Value {
  try {
    const { documents } = parseDocuments(text);
    const values = documents.map(({ value }) => fromJson(machine, value));
    const isStream = documents.length > 1 || /^---(?:\s|$)/m.test(text);
    return values.length === 1 && !isStream ? (values[0] as Value) : values.length === 0 ? null : machine.array(values);
  } catch (error) {
    if (error instanceof YamlError) throw machine.fail(`failed to parse YAML: ${error.message}`);
    throw error;
  }
}

function iniLines(machine: Machine, section: JsonnetObject): string[] {
  return section.visibleNames().flatMap((name) => {
    const value = section.get(name, machine) as Value;
    const values = value instanceof JsonnetArray ? value.items.map((item) => machine.force(item)) : [value];
    return values.map((one) => `${name} = ${machine.toText(one)}`);
  });
}

function ini(machine: Machine, file: JsonnetObject): string {
  const main = file.names().has('main') ? iniLines(machine, objectOf(machine, file.get('main', machine) as Value)) : [];
  const sections = objectOf(machine, file.get('sections', machine) ?? null);
  const parts = sections
    .visibleNames()
    .flatMap((name) => [`[${name}]`, ...iniLines(machine, objectOf(machine, sections.get(name, machine) as Value))]);
  return [...main, ...parts, ''].join('\n');
}

function python(machine: Machine, value: Value): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return numberText(value);
  if (value instanceof JsonnetFunction) throw machine.fail('cannot manifest function');
  machine.enter();
  const text =
    value instanceof JsonnetArray
      ? `[${value.items.map((item) => python(machine, machine.force(item))).join(', ')}]`
      : `{${value
          .visibleNames()
          .map((name) => `${quoted(name)}: ${python(machine, value.get(name, machine) as Value)}`)
          .join(', ')}}`;
  machine.leave();
  return text;
}

function xml(machine: Machine, value: Value): string {
  if (typeof value === 'string') return value;
  if (!(value instanceof JsonnetArray)) throw machine.fail(`Expected a JSONML value (an array), got ${typeOf(value)}`);
  machine.enter();
  const [tag, ...rest] = value.items.map((item) => machine.force(item));
  const [first] = rest;
  const attributes = first instanceof JsonnetObject ? first : undefined;
  const children = (attributes ? rest.slice(1) : rest).map((child) => xml(machine, child)).join('');
  const name = machine.toText(tag ?? null);
  const listed = attributes
    ?.visibleNames()
    .map((key) => ` ${key}="${escapeXml(machine.toText(attributes.get(key, machine) as Value))}"`);
  machine.leave();
  return `<${name}${listed?.join('') ?? ''}>${children}</${name}>`;
}

/** What the standard library writes values as, and reads them from. */
export const manifests: Library = {
  'manifestJson(value)': (machine, value) =>
    manifestJson(machine, machine.force(value), { indent: '    ', newline: '\n', separator: ': ', short: true }),
  'manifestJsonMinified(value)': (machine, value) =>
    manifestJson(machine, machine.force(value), { indent: '', newline: '', separator: ':', short: true }),
  'manifestJsonEx(value, indent, newline="\\n", key_val_sep=": ")': (machine, value, indent, newline, separator) =>
    manifestJson(machine, machine.force(value), {
      indent: textOf(machine, indent),
      newline: textOf(machine, newline),
      separator: textOf(machine, separator),
      short: true,
    }),
  'manifestYamlDoc(value, indent_array_in_object=false, quote_keys=true)': (machine, value, indent, quote) =>
    manifestYaml(machine, machine.force(value), {
      indentArrays: booleanOf(machine, indent),
      quoteKeys: booleanOf(machine, quote),
    }),
  'manifestYamlStream(value, indent_array_in_object=false, c_document_end=true, quote_keys=true)': (
    machine,
    value,
    indent,
    end,
    quote,
  ) => {
    const style = { indentArrays: booleanOf(machine, indent), quoteKeys: booleanOf(machine, quote) };
    const texts = arrayOf(machine, value).map((item) => manifestYaml(machine, machine.force(item), style));
    return `---\n${texts.join('\n---\n')}${booleanOf(machine, end) ? '\n...\n' : '\n'}`;
  },
  'manifestIni(ini)': (machine, value) => ini(machine, objectOf(machine, value)),
  'manifestToml(value)': (machine, value) => manifestToml(machine, machine.force(value), '  '),
  'manifestTomlEx(value, indent)': (machine, value, indent) =>
    manifestToml(machine, machine.force(value), textOf(machine, indent)),
  'manifestPython(v)': (machine, value) => python(machine, machine.force(value)),
  'manifestPythonVars(conf)': (machine, value) => {
    const vars = objectOf(machine, value);
    const lines = vars.visibleNames().map((name) => `${name} = ${python(machine, vars.get(name, machine) as Value)}`);
    return [...lines, ''].join('\n');
  },
  'manifestXmlJsonml(value)': (machine, value) => {
    const root = machine.force(value);
    if (root instanceof JsonnetArray) return xml(machine, root);
    throw machine.fail(`Expected a JSONML value (an array), got ${typeOf(root)}`);
  },
  'parseJson(str)': (machine, text) => {
    const json = textOf(machine, text);
    try {
      return fromJson(machine, JSON.parse(json));
    } catch (error) {
      if (error instanceof SyntaxError) throw machine.fail(`failed to parse JSON: ${error.message}`);
      throw error;
    }
  },
  'parseYaml(str)': (machine, text) => parseYaml(machine, textOf(machine, text)),
};
