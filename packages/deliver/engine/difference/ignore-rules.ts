import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { compileGlob } from '@tiphys/glob';
import { type JqPath, parseJqPath, removePaths } from '@tiphys/jq';
import type { KubeObject, ObjectKey } from '@tiphys/kubernetes';
import { isObject } from '../model/fields.ts';
import { removeOwned } from './field-path.ts';

const ignoreRuleInvalid = defineDiagnosis('IgnoreRuleInvalid', 'An entry of ignoreDifferences cannot be used');

/** An entry of `spec.ignoreDifferences`, or of the settings (`resource.customizations.ignoreDifferences.*`). Empty group, kind: the core group, no kind; globs allowed. */
export interface IgnoreRule {
  readonly group?: string;
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly jsonPointers?: readonly string[];
  /** Paths as jq writes them: fields, indices, iteration and `select`. What cannot be evaluated is reported as a condition. */
  readonly jqPathExpressions?: readonly string[];
  readonly managedFieldsManagers?: readonly string[];
  /** Key of argocd-cm that has the rule, where it is none of the application. */
  readonly setting?: string;
}

/** Removes the ignored fields from values that it may change. */
export type Ignore = (value: KubeObject, live: KubeObject) => void;

export interface IgnoreRules {
  /** What to do to objects of the key; undefined if no rule is for them. */
  for(key: ObjectKey): Ignore | undefined;
  readonly problems: readonly Diagnosis[];
}

const compiled = new Map<string, IgnoreRules>();
const compiledLimit = 1000;

/** Says that a part of an entry cannot be used. */
type Refuse = (what: string, reason: string, remedy?: string) => void;

/**
 * The compiled rules; the same value for the same rules, so that results which depend on them can be kept. `field` of the spec has them,
 * as their problems say.
 */
export function compileIgnoreRules(rules: readonly IgnoreRule[], field = 'ignoreDifferences'): IgnoreRules {
  const id = rules.length === 0 ? '' : `${field} ${JSON.stringify(rules)}`;
  const known = compiled.get(id);
  if (known) return known;
  if (compiled.size >= compiledLimit) compiled.clear();
  const problems: Diagnosis[] = [];
  const all = rules.map((rule, index) =>
    compileRule(rule, (...why) => problems.push(invalid(rule.setting ?? `${field}[${index}]`, rule.setting, ...why))),
  );
  const result: IgnoreRules = {
    problems,
    for(key) {
      const matching = all.filter(({ matches }) => matches(key)).map(({ apply }) => apply);
      if (matching.length === 0) return undefined;
      return (value, live) => {
        for (const apply of matching) apply(value, live);
      };
    },
  };
  compiled.set(id, result);
  return result;
}

function compileRule(rule: IgnoreRule, refuse: Refuse): { matches: (key: ObjectKey) => boolean; apply: Ignore } {
  const group = compileGlob(rule.group ?? '');
  const kind = compileGlob(rule.kind);
  const pointers = (rule.jsonPointers ?? []).map((text) => pointer(text, refuse)).filter((path) => path !== undefined);
  const queries = (rule.jqPathExpressions ?? []).flatMap((text) => {
    const parsed = parseJqPath(text);
    if (parsed.path) return [parsed.path];
    refuse(`jqPathExpressions ${JSON.stringify(text)}`, parsed.reason);
    return [];
  });
  /** Once for each expression: it is one expression that is wrong, not each object. */
  const told = new Set<string>();
  const tell = (text: string, reason: string) => {
    if (told.has(text)) return;
    told.add(text);
    refuse(`jqPathExpressions ${JSON.stringify(text)}`, reason);
  };
  return {
    matches: (key) =>
      group(key.group) &&
      kind(key.kind) &&
      (!rule.name || rule.name === key.name) &&
      (!rule.namespace || rule.namespace === key.namespace),
    apply: (value, live) => {
      for (const path of pointers) removePointer(value, path);
      for (const path of queries) removeFound(value, path, (reason) => tell(path.text, reason));
      for (const manager of rule.managedFieldsManagers ?? []) {
        for (const entry of live.metadata.managedFields ?? [])
          if (entry.manager === manager) removeOwned(value, entry.fieldsV1);
      }
    },
  };
}

/** Takes what the program finds out of the object, which is changed. */
function removeFound(object: KubeObject, path: JqPath, refused: (reason: string) => void): void {
  const { value, problem } = removePaths(object, path);
  if (problem !== undefined) refused(problem);
  if (!isObject(value) || value === object) return;
  const fields = object as unknown as Record<string, unknown>;
  for (const name of Object.keys(fields)) if (!Object.hasOwn(value, name)) delete fields[name];
  Object.assign(fields, value);
}

function pointer(text: string, refuse: Refuse): string[] | undefined {
  if (text.startsWith('/'))
    return text
      .slice(1)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  refuse(
    `jsonPointers ${JSON.stringify(text)}`,
    'a JSON pointer begins with /',
    `Write /${text.replace(/^\./, '').replaceAll('.', '/')}`,
  );
  return undefined;
}

function removePointer(value: unknown, path: readonly string[]): void {
  let current: unknown = value;
  for (const [index, name] of path.entries()) {
    const last = index === path.length - 1;
    if (Array.isArray(current)) {
      const at = name === '-' ? current.length - 1 : /^\d+$/.test(name) ? Number(name) : -1;
      if (at < 0 || at >= current.length) return;
      if (last) current.splice(at, 1);
      else current = current[at];
    } else if (isObject(current)) {
      if (last) delete current[name];
      else current = current[name];
    } else return;
  }
}

function invalid(
  entry: string,
  setting: string | undefined,
  what: string,
  reason: string,
  remedy = 'Correct the expression, or name the fields by jsonPointers',
): Diagnosis {
  return diagnose(ignoreRuleInvalid, {
    message: `${entry}: ${what} cannot be used: ${reason}`,
    place: setting ? { object: 'ConfigMap argocd-cm', field: `data["${setting}"]` } : { field: `spec.${entry}` },
    remedies: [remedy],
  });
}
