import { goJson } from '../model/go-text.ts';
import { compileExpression, type Environment, environmentOf } from './expression.ts';
import { SubstitutionError } from './substitution-error.ts';
import type { Variables } from './variables.ts';

/**
 * What becomes of `{{names}}` that nothing stands for: `keep` leaves them for a later pass, `refuse` refuses all, a list refuses
 * those that begin with one of its words and keeps the others.
 */
export type Unresolved = 'keep' | 'refuse' | readonly string[];

/** Names whose value comes later than the text that uses them: an expression with one of these is left as it is. */
const late = new Set([
  'item',
  'retries',
  'lastRetry.exitCode',
  'lastRetry.status',
  'lastRetry.duration',
  'lastRetry.message',
  'workflow.status',
  'workflow.failures',
]);

/**
 * A copy of a value with every `{{name}}` and `{{=expression}}` in its texts, keys included, replaced. What is put in is not
 * looked at again. Throws a `SubstitutionError`.
 */
export function substitute<T>(value: T, variables: Variables, unresolved: Unresolved = 'keep'): T {
  return new Substitution(variables, unresolved).value(value) as T;
}

/** The same for one text; expressions in it may have values with types of their own. */
export function substituteText(
  text: string,
  variables: Variables,
  unresolved: Unresolved = 'keep',
  environment?: Environment,
): string {
  return new Substitution(variables, unresolved, environment).text(text);
}

/** Whether any text of a value has something to replace. */
export function hasTags(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasTags);
  return Object.entries(value).some(([key, member]) => key.includes('{{') || hasTags(member));
}

class Substitution {
  readonly #variables: Variables;
  readonly #unresolved: Unresolved;
  #environment: Environment | undefined;

  constructor(variables: Variables, unresolved: Unresolved, environment?: Environment) {
    this.#variables = variables;
    this.#unresolved = unresolved;
    this.#environment = environment;
  }

  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (value === null || typeof value !== 'object') return value;
    const copy: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(value)) copy[this.text(key)] = this.value(field);
    return copy;
  }

  text(text: string): string {
    let at = text.indexOf('{{');
    if (at < 0) return text;
    let result = '';
    let from = 0;
    for (; at >= 0; at = text.indexOf('{{', from)) {
      const end = text.indexOf('}}', at + 2);
      if (end < 0) break;
      result += text.slice(from, at) + this.#tag(text.slice(at + 2, end));
      from = end + 2;
    }
    return result + text.slice(from);
  }

  #tag(tag: string): string {
    if (tag.startsWith('=')) return this.#expression(tag.slice(1));
    const name = tag.trim();
    const value = this.#variables.get(name);
    if (typeof value === 'string') return value;
    if (value === null) throw absent(tag);
    if (value !== undefined) throw new SubstitutionError(`failed to resolve {{${tag}}} to string`);
    return this.#nested(tag) ?? this.#missing(tag, name);
  }

  /** `{{a.{{b}}` : the inner name is replaced first, and the outer one is left for a later pass. */
  #nested(tag: string): string | undefined {
    const at = tag.lastIndexOf('{{');
    if (at <= 0) return undefined;
    const value = this.#variables.get(tag.slice(at + 2));
    if (value === null) throw absent(tag);
    return typeof value === 'string' ? `{{${tag.slice(0, at)}${value}` : undefined;
  }

  #missing(tag: string, name: string): string {
    const isRefused = this.#refuses(name);
    // artifacts are resolved by their own fields, not as text
    const isLater = this.#unresolved !== 'refuse' && name.includes('.outputs.artifacts.');
    if (isRefused && !isLater) throw new SubstitutionError(`failed to resolve {{${tag}}}`, { missing: name });
    return `{{${tag}}}`;
  }

  #refuses(name: string): boolean {
    if (this.#unresolved === 'keep') return false;
    if (this.#unresolved === 'refuse') return true;
    return this.#unresolved.some((word) => name === word || name.startsWith(`${word}.`));
  }

  #expression(source: string): string {
    const keep = `{{=${source}}}`;
    const expression = compileExpression(source);
    this.#environment ??= environmentOf(this.#variables);
    const missing = expression.names.filter((name) => !this.#environment?.has(name));
    const refused = missing.find((name) => this.#refuses(name) && this.#unresolved !== 'refuse');
    if (refused) {
      throw new SubstitutionError(`failed to evaluate expression: ${refused} is missing`, { missing: refused });
    }
    const isLenient = this.#unresolved !== 'refuse' && (missing.length > 0 || this.#unresolved === 'keep');
    if (isLenient && missing.some((name) => late.has(name))) return keep;
    let value: unknown;
    try {
      value = expression.evaluate(this.#environment);
    } catch (error) {
      if (isLenient) return keep;
      throw new SubstitutionError(`failed to evaluate expression: ${(error as Error).message}`, { cause: error });
    }
    if (value === null || value === undefined) {
      if (isLenient) return keep;
      throw new SubstitutionError(`failed to evaluate expression ${JSON.stringify(source)}`);
    }
    return typeof value === 'string' ? value : goJson(value);
  }
}

function absent(tag: string): SubstitutionError {
  return new SubstitutionError(
    `unable to substitute {{${tag}}}: output is an absent optional (skipped/omitted node with no default)`,
  );
}
