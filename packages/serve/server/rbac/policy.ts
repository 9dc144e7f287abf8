import { compileGlob, type Matcher } from '@tiphys/glob';
import { RE2JS, RE2JSException } from 're2js';

/** How the fields of rules are matched: `policy.matchMode`. */
export type MatchMode = 'glob' | 'regex';

/** One `p` line: who may (or may not) do what to which object. */
interface Rule {
  readonly subject: string;
  readonly resource: Matcher;
  readonly action: Matcher;
  readonly object: Matcher;
  readonly effect: string;
  /** The object is a glob that every `PROJECT/NAME` matches. */
  readonly everyObject: boolean;
  /** No expression of it can fail to compile. */
  readonly glob: boolean;
}

export interface Request {
  readonly resource: string;
  readonly action: string;
  readonly object: string;
}

/** A line of a policy: a rule (`p`) or the membership of a role (`g`). */
export type PolicyLine =
  | { readonly type: 'p'; readonly fields: readonly [string, string, string, string, string] }
  | { readonly type: 'g'; readonly fields: readonly [string, string] };

interface KnownRules {
  readonly rules: readonly Rule[] | undefined;
}

/** Subjects with a resource and an action whose rules are remembered. */
const mostKnown = 1000;

/** Casbin follows roles of roles this far. */
const deepestRole = 10;

/** Rules and role bindings, evaluated as Casbin does: some rule must allow, none may deny. */
export class Policy {
  readonly #rules = new Map<string, Rule[]>();
  readonly #roles = new Map<string, string[]>();
  /** By subject, resource, action. */
  readonly #known = new Map<string, Map<string, Map<string, KnownRules>>>();
  #knownCount = 0;

  constructor(parts: readonly { readonly lines: readonly PolicyLine[]; readonly mode: MatchMode }[]) {
    for (const { lines, mode } of parts) for (const line of lines) this.#add(line, mode);
  }

  #add({ type, fields }: PolicyLine, mode: MatchMode): void {
    if (type === 'g') {
      const [member, role] = fields;
      this.#roles.set(member, [...(this.#roles.get(member) ?? []), role]);
      return;
    }
    const [subject, resource, action, object, effect] = fields;
    const matcher = mode === 'regex' ? regexMatcher : compileGlob;
    const rules = this.#rules.get(subject) ?? [];
    rules.push({
      subject,
      resource: matcher(resource),
      action: matcher(action),
      object: matcher(object),
      effect,
      everyObject: mode === 'glob' && (object === '*' || object === '*/*'),
      glob: mode === 'glob',
    });
    this.#rules.set(subject, rules);
  }

  /**
   * Whether some rule allows it to the subject or one of its roles, and none denies it. As in Casbin, a rule whose
   * expression does not compile denies what gets as far as that expression.
   */
  allows(subject: string, { resource, action, object }: Request): boolean {
    const rules = this.#rulesFor(subject, resource, action);
    let allowed = false;
    try {
      for (const rule of rules ?? []) {
        if (!rule.object(object)) continue;
        if (rule.effect === 'deny') return false;
        if (rule.effect === 'allow') allowed = true;
      }
    } catch (error) {
      if (error instanceof RE2JSException) return false;
      throw error;
    }
    return allowed;
  }

  /** Whether `allows` is true for each object of the form `PROJECT/NAME`, as far as that can be told without looking at any: false says nothing. */
  allowsEvery(subject: string, resource: string, action: string): boolean {
    const rules = this.#rulesFor(subject, resource, action) ?? [];
    return (
      rules.every(({ effect, glob }) => glob && effect === 'allow') && rules.some(({ everyObject }) => everyObject)
    );
  }

  /**
   * The rules of a subject and its roles that speak of a resource and an action, remembered: a list asks the same of thousands of
   * objects. Undefined if an expression among them does not compile.
   */
  #rulesFor(subject: string, resource: string, action: string): readonly Rule[] | undefined {
    const known = this.#known.get(subject)?.get(resource)?.get(action);
    if (known) return known.rules;
    const rules = this.#findRules(subject, resource, action);
    if (this.#knownCount++ >= mostKnown) {
      this.#known.clear();
      this.#knownCount = 1;
    }
    const bySubject = this.#known.get(subject) ?? new Map<string, Map<string, KnownRules>>();
    const byResource = bySubject.get(resource) ?? new Map<string, KnownRules>();
    this.#known.set(subject, bySubject.set(resource, byResource.set(action, { rules })));
    return rules;
  }

  #findRules(subject: string, resource: string, action: string): readonly Rule[] | undefined {
    try {
      return [...this.#rolesOf(subject)].flatMap((role) =>
        (this.#rules.get(role) ?? []).filter((rule) => rule.resource(resource) && rule.action(action)),
      );
    } catch (error) {
      if (error instanceof RE2JSException) return undefined;
      throw error;
    }
  }

  /** Whether a `g` line names it as a member. */
  binds(member: string): boolean {
    return this.#roles.has(member);
  }

  #rolesOf(subject: string): Set<string> {
    const seen = new Set([subject]);
    let level = [subject];
    for (let depth = 0; depth < deepestRole && level.length > 0; depth++) {
      level = level.flatMap((role) => this.#roles.get(role) ?? []).filter((role) => !seen.has(role));
      for (const role of level) seen.add(role);
    }
    return seen;
  }
}

/** A line that is neither a rule nor a binding. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
}

/**
 * The lines of a policy text in Casbin's CSV form: `p, subject, resource, action, object, effect` and `g, member, role`. Blank
 * lines and those that begin with `#` say nothing. As Go's CSV reader does, space before a field is left out and space behind it
 * is kept. Throws a `PolicyError` that names the first line which is neither.
 */
export function parsePolicy(text: string): PolicyLine[] {
  const lines: PolicyLine[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (!line || line.startsWith('#')) continue;
    const [type, ...fields] = splitCsv(line) ?? [];
    if (type === 'p' && fields.length === 5)
      lines.push({ type, fields: fields as [string, string, string, string, string] });
    else if (type === 'g' && fields.length === 2) lines.push({ type, fields: fields as [string, string] });
    else
      throw new PolicyError(
        `line ${index + 1} is neither "p, subject, resource, action, object, allow|deny" nor "g, member, role": ${line}`,
      );
  }
  return lines;
}

/** The fields of one line; undefined if its quotes do not pair, which Go's reader refuses. */
function splitCsv(line: string): string[] | undefined {
  const fields: string[] = [];
  let rest = `${line},`;
  while (rest !== '') {
    rest = rest.replace(/^[\s\u0085]+/, '');
    const field = /^"((?:[^"]|"")*)",/.exec(rest) ?? /^([^",]*),/.exec(rest);
    if (!field) return undefined;
    const value = field[1] as string;
    fields.push(rest.startsWith('"') ? value.replaceAll('""', '"') : value);
    rest = rest.slice(field[0].length);
  }
  return fields;
}

/** Go's regexp.MatchString: found anywhere. One that does not compile throws when it is asked. */
function regexMatcher(pattern: string): Matcher {
  let expression: RE2JS | undefined;
  return (text) => {
    expression ??= RE2JS.compile(pattern);
    return expression.matcher(text).find();
  };
}
