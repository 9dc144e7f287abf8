import { compileGlob, type Matcher } from '@tiphys/glob';

/** One `p` line: who may (or may not) do what to which object. */
interface Rule {
  readonly subject: string;
  readonly resource: Matcher;
  readonly action: Matcher;
  readonly object: Matcher;
  readonly allow: boolean;
}

export interface Request {
  readonly resource: string;
  readonly action: string;
  readonly object: string;
}

/** Rules and role bindings of one or more policy texts in Casbin's CSV form. */
export class Policy {
  readonly #rules: readonly Rule[];
  readonly #roles: ReadonlyMap<string, readonly string[]>;

  constructor(texts: readonly string[], mode: 'glob' | 'regex' = 'glob') {
    const rules: Rule[] = [];
    const roles = new Map<string, string[]>();
    for (const fields of texts.flatMap(parsePolicy)) {
      const [type, ...rest] = fields;
      if (type === 'g') {
        const [member = '', role = ''] = rest;
        roles.set(member, [...(roles.get(member) ?? []), role]);
      } else {
        const [subject = '', resource = '', action = '', object = '', effect = ''] = rest;
        if (effect !== 'allow' && effect !== 'deny') continue;
        const matcher = mode === 'regex' ? regexMatcher : compileGlob;
        rules.push({
          subject,
          resource: matcher(resource),
          action: matcher(action),
          object: matcher(object),
          allow: effect === 'allow',
        });
      }
    }
    this.#rules = rules;
    this.#roles = roles;
  }

  /** Whether some rule allows it to the subject or one of its roles, and none denies it. */
  allows(subject: string, { resource, action, object }: Request): boolean {
    const subjects = this.#rolesOf(subject);
    let allowed = false;
    for (const rule of this.#rules) {
      if (!subjects.has(rule.subject) || !rule.resource(resource) || !rule.action(action) || !rule.object(object))
        continue;
      if (!rule.allow) return false;
      allowed = true;
    }
    return allowed;
  }

  /** Whether a `g` line names it as a member. */
  binds(member: string): boolean {
    return this.#roles.has(member);
  }

  #rolesOf(subject: string): Set<string> {
    const seen = new Set([subject]);
    for (const role of seen) for (const inherited of this.#roles.get(role) ?? []) seen.add(inherited);
    return seen;
  }
}

/**
 * The lines of a policy text. Throws for a line that is neither a rule (`p, subject, resource, action, object, effect`)
 * nor a binding (`g, member, role`), naming it.
 */
export function parsePolicy(text: string): string[][] {
  const lines: string[][] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (!line || line.startsWith('#')) continue;
    const fields = splitCsv(line);
    const well = (fields[0] === 'p' && fields.length === 6) || (fields[0] === 'g' && fields.length === 3);
    if (!well)
      throw new Error(
        `line ${index + 1} of the policy is neither "p, subject, resource, action, object, allow|deny" nor "g, member, role": ${line}`,
      );
    lines.push(fields);
  }
  return lines;
}

function splitCsv(line: string): string[] {
  const fields = [...line.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g)].map((match) =>
    match[1] !== undefined ? match[1].replaceAll('""', '"') : (match[2] ?? '').trim(),
  );
  if (!line.endsWith(',')) fields.pop();
  return fields;
}

/** Casbin's regexMatch: found anywhere. A pattern that does not compile matches nothing. */
function regexMatcher(pattern: string): Matcher {
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, 'u');
  } catch (error) {
    if (error instanceof SyntaxError) return () => false;
    throw error;
  }
  return (text) => expression.test(text);
}
