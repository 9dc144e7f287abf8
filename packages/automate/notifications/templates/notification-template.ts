import { failure } from '@tiphys/diagnosis';
import {
  Budget,
  execute,
  type FunctionMap,
  parse,
  sprigFunctions,
  TemplateError,
  TemplateSet,
  type ValueMap,
} from '@tiphys/template';
import { settingsInvalid, templateFailed } from '../model/diagnoses.ts';
import { type Json, type JsonMap, map, type Notification, text } from '../model/notification.ts';
import { type SectionFields, sectionFields } from './fields.ts';

/** Sprig without what reads the environment. */
const functions: FunctionMap = new Map([...sprigFunctions].filter(([name]) => name !== 'env' && name !== 'expandenv'));

/** A text of a template, at its path. */
interface Field {
  readonly path: readonly string[];
  readonly set: TemplateSet;
  readonly keeps: boolean;
}

interface Section {
  readonly name: string;
  /** What is not a template: taken over as it is. */
  readonly plain: JsonMap;
  readonly fields: readonly Field[];
}

/** A template of the settings that can be rendered. */
export class NotificationTemplate {
  readonly #name: string;
  readonly #message: TemplateSet;
  readonly #sections: readonly Section[];

  /** Throws a `DiagnosisError` that names the field whose text is no template. */
  constructor(name: string, document: JsonMap) {
    this.#name = name;
    this.#message = this.#parse(text(document.message), ['message']);
    this.#sections = Object.entries(sectionFields)
      .filter(([section]) => document[section] !== undefined && document[section] !== null)
      .map(([section, fields]) => this.#section(section, map(document[section]), fields));
  }

  /** Renders it into a notification, over what earlier templates made. Throws a `DiagnosisError`. */
  apply(notification: Notification, variables: ValueMap): void {
    const message = this.#render(this.#message, ['message'], variables);
    if (message !== '') notification.message = message;
    for (const { name, plain, fields } of this.#sections) {
      const before = sectionFields[name]?.replaces ? {} : (notification.sections[name] ?? {});
      const section: JsonMap = { ...before, ...structuredClone(plain) };
      for (const { path, set, keeps } of fields) {
        const rendered = this.#render(set, [name, ...path], variables);
        if (rendered !== '' || !keeps) put(section, path, rendered);
      }
      notification.sections[name] = section;
    }
  }

  #section(name: string, document: JsonMap, { templates, defaults = {} }: SectionFields): Section {
    const given: JsonMap = { ...document };
    for (const [field, fallback] of Object.entries(defaults)) if (!text(given[field])) given[field] = fallback;
    if (name === 'alertmanager') given.labels = { alertname: this.#name, ...map(given.labels) };
    const fields: Field[] = [];
    const plain = structuredClone(given);
    for (const [pattern, mode] of Object.entries(templates))
      for (const path of pathsOf(given, pattern.split('.'))) {
        const source = at(given, path) ?? null;
        if (source === null || typeof source === 'object') continue;
        fields.push({ path, set: this.#parse(text(source), [name, ...path]), keeps: mode === 'keep' });
        remove(plain, path);
      }
    return { name, plain, fields };
  }

  #parse(source: string, path: readonly string[]): TemplateSet {
    const set = new TemplateSet();
    try {
      set.add(parse(this.#name, source, { functions }));
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      throw failure(
        settingsInvalid,
        {
          message: `The field ${path.join('.')} of the template ${this.#name} is no Go template: ${error.goMessage}`,
          place: { field: path.join('.') },
          remedies: ['Correct the template'],
        },
        { cause: error },
      );
    }
    return set;
  }

  #render(set: TemplateSet, path: readonly string[], variables: ValueMap): string {
    try {
      return execute(set, this.#name, variables, { functions, budget: new Budget() }).text;
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      throw failure(
        templateFailed,
        {
          message: `The field ${path.join('.')} of the template ${this.#name} failed: ${error.goMessage}`,
          place: { field: path.join('.') },
          remedies: [
            'Guard the template against objects without the field, or correct it; try it with: tiphys notifications template preview',
          ],
        },
        { cause: error },
      );
    }
  }
}

/** The paths in a document that a pattern with `*` stands for. */
function pathsOf(value: Json | undefined, [head, ...rest]: readonly string[]): string[][] {
  if (head === undefined) return [[]];
  if (value === null || typeof value !== 'object') return [];
  const keys = head === '*' ? Object.keys(value) : Object.hasOwn(value, head) ? [head] : [];
  return keys.flatMap((key) => pathsOf((value as JsonMap)[key], rest).map((path) => [key, ...path]));
}

function at(value: Json | undefined, path: readonly string[]): Json | undefined {
  let found = value;
  for (const key of path)
    found =
      found !== null && typeof found === 'object' && Object.hasOwn(found, key) ? (found as JsonMap)[key] : undefined;
  return found;
}

/** An empty text stays where a template was, so that lists keep their shape. */
function remove(section: JsonMap, path: readonly string[]): void {
  const parent = at(section, path.slice(0, -1)) as JsonMap;
  const last = path.at(-1) as string;
  if (Array.isArray(parent)) parent[Number(last)] = '';
  else delete parent[last];
}

function put(section: JsonMap, path: readonly string[], value: string): void {
  let parent: JsonMap = section;
  for (const key of path.slice(0, -1)) {
    if (!Object.hasOwn(parent, key)) parent[key] = {};
    parent = parent[key] as JsonMap;
  }
  const last = path.at(-1) as string;
  Object.defineProperty(parent, last, { value, enumerable: true, writable: true, configurable: true });
}
