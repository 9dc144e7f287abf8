import type { Template, TemplateCall, WorkflowSpec } from '../model/types.ts';
import { finding, type LintContext, type LintFinding, type Path, textsOf } from './finding.ts';

type Word = 'steps' | 'tasks';

/** The steps or tasks of one template, as a call in it sees them. */
export interface CallScope {
  readonly path: Path;
  readonly word: Word;
  /** Names of what has run by the time of the call. */
  readonly known: ReadonlySet<string>;
  /** All calls of the template by name. */
  readonly calls: ReadonlyMap<string, TemplateCall>;
  /** The template that a call runs; undefined if it is not known here. */
  readonly templateOf: (call: TemplateCall) => Template | undefined;
  /** Which of `steps.name` and `tasks.name` may have a value, depending on what calls the template. */
  readonly ownNames: ReadonlySet<Word>;
}

const noun = { steps: 'step', tasks: 'task' } as const;
/** What every node gives, beside its outputs. */
const fields = new Set(['id', 'startedAt', 'finishedAt', 'ip', 'status', 'hostNodeName', 'exitCode']);

/** References of a call to other steps or tasks that can never get a value. */
export function lintReferences(call: TemplateCall, scope: CallScope): LintFinding[] {
  const { hooks, onExit, inline, ...rest } = call;
  const findings: LintFinding[] = [];
  for (const { text, at } of textsOf(rest, scope.path))
    for (const [, tag = ''] of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
      const [, word, reference = ''] = /^(steps|tasks)\.([A-Za-z0-9._-]+)$/.exec(tag.trim()) ?? [];
      if (!word) continue;
      const problem = problemOf(word as Word, reference, scope);
      if (problem)
        findings.push({
          ...finding(at, problem.message, problem.remedy),
          ...(problem.isUnresolvable ? { told: `failed to resolve {{${tag}}}` } : {}),
        });
    }
  return findings;
}

interface Problem {
  readonly message: string;
  readonly remedy: string;
  readonly isUnresolvable: boolean;
}

function problemOf(word: Word, reference: string, scope: CallScope): Problem | undefined {
  const [name = '', ...parts] = reference.split('.');
  const unresolvable = (message: string, remedy: string) => ({ message, remedy, isUnresolvable: true });
  const use = `Write ${word}.${name}.outputs.result, .outputs.parameters.NAME, .outputs.artifacts.NAME or one of ${[...fields].map((field) => `.${field}`).join(', ')}`;
  if (parts.length === 0) {
    if (name !== 'name') return unresolvable(`${word}.${name} names no value`, use);
    if (scope.ownNames.has(word)) return undefined;
    return unresolvable(
      `${word}.name has no value here: no ${noun[word]} calls this template`,
      `Write the name itself; ${word}.name is the name of the ${noun[word]} that calls a template, inside of that template`,
    );
  }
  if (word !== scope.word)
    return unresolvable(
      `${word}.${name} does not exist in a template of ${scope.word}`,
      `Write ${scope.word}.${reference}, or give the value by inputs.parameters`,
    );
  if (!scope.known.has(name))
    return {
      message: `${word}.${name} has not run by then`,
      remedy:
        word === 'steps'
          ? 'Use an earlier group of steps: those of one group run side by side'
          : `Add ${name} to the task's dependencies`,
      isUnresolvable: false,
    };
  const [first = '', kind, ...output] = parts;
  if (first !== 'outputs')
    return fields.has(first) && parts.length === 1
      ? undefined
      : unresolvable(`${word}.${name} has no ${parts.join('.')}`, use);
  if (kind === 'result' && output.length === 0) return undefined;
  if (kind !== 'parameters' && kind !== 'artifacts')
    return unresolvable(`${word}.${name} has no ${parts.join('.')}`, use);
  const call = scope.calls.get(name);
  const template = call && scope.templateOf(call);
  // aggregates of loops have no name; what a plugin gives is not known before
  if (!template || template.plugin || output.length === 0) return undefined;
  const wanted = output.join('.');
  const declared = (template.outputs?.[kind] ?? []).map((each) => each.name);
  if (declared.includes(wanted)) return undefined;
  const others = declared.length > 0 ? ` (there are ${declared.slice(0, 8).join(', ')})` : '';
  return unresolvable(
    `template ${template.name ?? 'inline'} of ${noun[word]} ${name} has no ${kind === 'parameters' ? 'output parameter' : 'output artifact'} ${wanted}`,
    `Add it to outputs.${kind} of the template, or correct the name${others}`,
  );
}

/**
 * How templates of a spec are called: by steps, by tasks, or by both. The entrypoint and hooks are steps. Of a template that others may
 * call all is possible.
 */
export function callersOf(
  spec: WorkflowSpec,
  { isTemplate }: { isTemplate: boolean },
): (name: string | undefined) => ReadonlySet<Word> {
  const both: ReadonlySet<Word> = new Set(['steps', 'tasks']);
  if (isTemplate) return () => both;
  const callers = new Map<string, Set<Word>>();
  const add = (call: TemplateCall, word: Word): void => {
    if (call.inline) visit(call.inline);
    for (const hook of [{ template: call.onExit }, ...Object.values(call.hooks ?? {})])
      if (hook.template) add({ template: hook.template }, 'steps');
    // a name that is put in later may mean any template
    for (const name of call.template?.includes('{{')
      ? (spec.templates ?? []).map((each) => each.name)
      : [call.template])
      if (name) callers.set(name, (callers.get(name) ?? new Set()).add(word));
  };
  const visit = ({ steps = [], dag }: Template): void => {
    for (const call of steps.flat()) add(call, 'steps');
    for (const call of dag?.tasks ?? []) add(call, 'tasks');
  };
  for (const template of spec.templates ?? []) visit(template);
  const { entrypoint, onExit, hooks } = spec;
  for (const template of [entrypoint, onExit, ...Object.values(hooks ?? {}).map((hook) => hook.template)])
    if (template) add({ template }, 'steps');
  return (name) => (name === undefined ? both : (callers.get(name) ?? new Set()));
}

/** The template that a call runs, as far as that is known before it runs. */
export function templateOfCall(call: TemplateCall, spec: WorkflowSpec, context: LintContext): Template | undefined {
  if (call.inline) return call.inline;
  const { templateRef } = call;
  const known = templateRef ? context.templates(templateRef.name, templateRef.clusterScope ?? false) : spec.templates;
  const wanted = templateRef?.template ?? call.template;
  return known?.find(({ name }) => name === wanted);
}
