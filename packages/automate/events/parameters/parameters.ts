import { parseDocuments, YamlError } from '@tiphys/yaml';
import { type CloudEvent, contextJson, wholeEventJson } from '../event/cloud-event.ts';
import { runTemplate, ValueTemplateError } from '../event/template.ts';
import { getPath } from '../json/get-path.ts';
import { goMapJson } from '../json/go-json.ts';
import { dataOfNode, JsonSyntaxError, type Node, parseNode, textOf } from '../json/node.ts';
import { jsonText, setPath } from '../json/set-path.ts';
import type { ParameterSource, TriggerParameter } from '../spec/sensor.ts';

/** A parameter cannot be filled from the events at hand. */
export class ParameterError extends Error {}

/** The events of an action, by the name of their dependency. */
export type Events = ReadonlyMap<string, CloudEvent>;

interface Resolved {
  readonly text: string;
  /** The text is JSON, and may be set as it is with `useRawData`. */
  readonly isRaw: boolean;
}

/**
 * A new document built from events, as the payload of a trigger. An entry with an empty `dest` gives its value as the whole
 * document. An entry whose event is not there and that has no `value` is left out. Undefined if nothing was set.
 */
export function buildPayload(events: Events, parameters: readonly TriggerParameter[]): string | undefined {
  let payload: string | undefined;
  for (const { src, dest } of parameters) {
    const value = src && resolve(src, events);
    if (!value) continue;
    if (!dest) return value.text;
    payload = setPath(payload ?? '', dest, jsonOf(value, src));
  }
  return payload;
}

/** A JSON document with parameters set in it. Throws `ParameterError`, `SetPathError`. */
export function applyParameters(json: string, parameters: readonly TriggerParameter[], events: Events): string {
  return parameters.reduce((document, parameter) => applyParameter(document, parameter, events), json);
}

/** An object with parameters set in it; the same object if there are none. */
export function withParameters<T>(object: T, parameters: readonly TriggerParameter[] | undefined, events: Events): T {
  if (!parameters?.length) return object;
  return JSON.parse(applyParameters(JSON.stringify(object), parameters, events)) as T;
}

function applyParameter(json: string, { src, dest, operation }: TriggerParameter, events: Events): string {
  const value = src && resolve(src, events);
  if (!value) return json;
  const path = dest ?? '';
  switch (operation || 'overwrite') {
    case 'overwrite':
      return setPath(json, path, jsonOf(value, src));
    case 'append':
    case 'prepend': {
      const current = getPath(parseNode(json), path);
      if (!current) return setPath(json, path, jsonOf(value, src));
      const [before, after] = operation === 'append' ? [textOf(current), value.text] : [value.text, textOf(current)];
      return setPath(json, path, jsonText(before + after));
    }
    default:
      throw new ParameterError(`unsupported trigger parameter operation: ${operation}`);
  }
}

function jsonOf({ text, isRaw }: Resolved, { useRawData }: ParameterSource): string {
  return isRaw && useRawData ? text : jsonText(text);
}

/** The value that a source names as text; undefined if its event is not there and it has no `value`. */
export function resolveText(src: ParameterSource, events: Events): string | undefined {
  return resolve(src, events)?.text;
}

function resolve(src: ParameterSource, events: Events): Resolved | undefined {
  const { value } = src;
  const fallback = value === undefined ? undefined : { text: value, isRaw: false };
  const event = events.get(src.dependencyName);
  if (!event) return fallback;
  const [key, template] =
    src.dataKey || src.dataTemplate ? [src.dataKey, src.dataTemplate] : [src.contextKey, src.contextTemplate];
  if (!key && !template) return fallback ?? { text: wholeEventJson(event), isRaw: false };
  const reasons: string[] = [];
  const found = selected(
    { json: src.dataKey || src.dataTemplate ? dataJson : contextJson, key, template },
    event,
    reasons,
  );
  if (found ?? fallback) return found ?? fallback;
  throw new ParameterError(`unable to resolve '${src.dependencyName}' parameter value: ${reasons.join('; ')}`);
}

function selected(
  {
    json,
    key,
    template,
  }: { json: (event: CloudEvent) => string; key?: string | undefined; template?: string | undefined },
  event: CloudEvent,
  reasons: string[],
): Resolved | undefined {
  try {
    const node = json === dataJson ? dataNode(event) : parseNode(json(event));
    if (template) {
      try {
        return { text: runTemplate(template, dataOfNode(node)), isRaw: false };
      } catch (error) {
        if (!(error instanceof ValueTemplateError)) throw error;
        reasons.push(error.message);
      }
    }
    const found = key ? getPath(node, key) : undefined;
    if (key && !found) reasons.push(`key ${key} does not exist in the event payload`);
    if (!found) return undefined;
    const isBlock = found.kind !== 'string';
    return { text: found.kind === 'null' ? 'null' : textOf(found), isRaw: isBlock };
  } catch (error) {
    if (!(error instanceof ParameterError || error instanceof JsonSyntaxError)) throw error;
    reasons.push(error.message);
    return undefined;
  }
}

/** Each payload is read once, however many parameters take something of it. */
const dataNodes = new WeakMap<CloudEvent, Node>();

function dataNode(event: CloudEvent): Node {
  let node = dataNodes.get(event);
  if (!node) {
    node = parseNode(dataJson(event));
    dataNodes.set(event, node);
  }
  return node;
}

function dataJson({ data, datacontenttype }: CloudEvent): string {
  switch (datacontenttype) {
    case 'application/json':
      return data ?? '';
    case 'application/yaml': {
      return yamlAsJson(data ?? '');
    }
    default:
      throw new ParameterError(`unsupported event content type: ${datacontenttype}`);
  }
}

function yamlAsJson(text: string): string {
  try {
    const [document] = parseDocuments(text, { file: 'event' }).documents;
    return goMapJson(document?.value ?? null);
  } catch (error) {
    if (error instanceof YamlError)
      throw new ParameterError(`failed converting yaml event data to JSON: ${error.message}`);
    throw error;
  }
}
