import { builtinModels, builtinSchema, type OpenApiSchema } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import { usesInText } from '../find/in-text.ts';
import { apiVersionOf, type Release } from '../knowledge/api-life.ts';

/** One line of a file that changes. */
export interface LineChange {
  /** 1-based. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** A use that people have to change, and why no program should. */
export interface Refusal {
  readonly line: number;
  readonly reason: string;
}

export interface Fix {
  readonly text: string;
  readonly changes: readonly LineChange[];
  readonly refusals: readonly Refusal[];
}

/** Versions whose replacement reads the same fields in another way, although it has all of them. */
const otherMeaning: ReadonlyMap<string, string> = new Map([
  ['policy/v1beta1/PodDisruptionBudget', 'an empty selector selects no pod in v1beta1, and every pod in v1'],
]);

/**
 * Moves the objects of a text to the versions that replace theirs, where that is one line: the replacement has every field that is
 * written and all that it needs is there. Templates are judged by what can be read of them: one whose object cannot be read is refused.
 */
export function fixText(text: string, target: Release): Fix {
  const lines = text.split('\n');
  const changes: LineChange[] = [];
  const refusals: Refusal[] = [];
  for (const { verdict, line } of usesInText(text, target)) {
    const { replacement, ...api } = verdict.life;
    const before = lines[line - 1] ?? '';
    const reason = replacement ? unlike(text, line, replacement, api) : 'nothing replaces it';
    if (reason || !replacement) refusals.push({ line, reason: reason ?? '' });
    else {
      const after = before.replace(apiVersionOf(api), apiVersionOf(replacement));
      lines[line - 1] = after;
      changes.push({ line, before, after });
    }
  }
  return { text: lines.join('\n'), changes, refusals };
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Why the object at a line cannot just change its version; undefined if it can. */
function unlike(text: string, line: number, replacement: Kind, api: Kind): string | undefined {
  if (replacement.kind !== api.kind) return `${replacement.kind} is another kind`;
  const schema = builtinSchema(replacement);
  if (!schema) return `the fields of ${apiVersionOf(replacement)} ${replacement.kind} are not known here`;
  const read = objectAt(text, line);
  if (typeof read === 'string') return read;
  // a reference to an object has no fields of it
  if (read === undefined) return undefined;
  const meaning = otherMeaning.get(`${apiVersionOf(api)}/${api.kind}`);
  const selector = (read.spec as { selector?: object } | undefined)?.selector;
  if (meaning && Object.keys(selector ?? {}).length === 0) return meaning;
  const problems = misfits(read, schema, '');
  return problems.length ? problems.join('; ') : undefined;
}

/** The object that has its apiVersion at a line; undefined for a part of an object; a sentence if it cannot be read. */
function objectAt(text: string, line: number): Record<string, unknown> | string | undefined {
  const lines = text.split('\n');
  const start = lines.findLastIndex((each, index) => index < line - 1 && each.startsWith('---')) + 1;
  const next = lines.findIndex((each, index) => index >= line && each.startsWith('---'));
  const part = lines.slice(start, next < 0 ? undefined : next).join('\n');
  if (/^\s*\{\{/m.test(part) || /: *\{\{/.test(part))
    return 'it is a template: its fields are known when it is rendered';
  try {
    const value = parseDocuments(part, { file: 'manifest' }).documents[0]?.value as Record<string, unknown> | undefined;
    if (/^\s/.test(lines[line - 1] ?? '')) return undefined;
    return typeof value === 'object' && value !== null ? value : 'it is no object';
  } catch {
    return 'the document cannot be read as YAML';
  }
}

/** Fields that a schema does not have, and those that it wants and are missing; at most the first five. */
function misfits(value: unknown, unresolved: OpenApiSchema, path: string): string[] {
  const schema = builtinModels().resolve(unresolved);
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, index) => misfits(item, items, `${path}[${index}]`)).slice(0, 5) : [];
  }
  const { properties, additionalProperties } = schema;
  if (typeof value !== 'object' || value === null) return [];
  if (!properties) {
    if (typeof additionalProperties !== 'object') return [];
    return Object.entries(value)
      .flatMap(([key, each]) => misfits(each, additionalProperties, `${path}.${key}`))
      .slice(0, 5);
  }
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name));
  const problems = missing.map((name) => `${`${path}.${name}`.slice(1)} must be given`);
  for (const [key, each] of Object.entries(value)) {
    const field = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (field) problems.push(...misfits(each, field, `${path}.${key}`));
    else problems.push(`${`${path}.${key}`.slice(1)} is gone or has moved`);
  }
  return problems.slice(0, 5);
}
