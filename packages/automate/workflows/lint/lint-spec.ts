import { goDurationOrSeconds } from '@tiphys/go';
import { pluginOfSpec } from '../model/executor-plugin.ts';
import { anyText } from '../model/go-text.ts';
import { templateType } from '../model/template-type.ts';
import type { Parameter, Template, TemplateCall, WorkflowSpec } from '../model/types.ts';
import { DependsError, parseDepends, tasksOf } from '../text/depends.ts';
import { compileExpression, environmentOf } from '../text/expression.ts';
import { lintCallFields, lintDagFields, lintHooks } from './call-rules.ts';
import { finding, type LintContext, type LintFinding, type Path, textsOf } from './finding.ts';
import { callersOf, lintReferences, templateOfCall } from './lint-references.ts';
import { lintShape } from './lint-shape.ts';
import { lintOwnFields } from './template-rules.ts';

/** What is wrong with the spec of a workflow or of a template of workflows, in the order of the text. */
export function lintSpec(
  spec: WorkflowSpec,
  context: LintContext,
  { isTemplate, submits = false }: { isTemplate: boolean; submits?: boolean },
): LintFinding[] {
  const misshapen = lintShape(spec);
  if (misshapen.length > 0) return misshapen;
  const findings: LintFinding[] = [];
  const templates = spec.templates ?? [];
  const base: Path = ['spec'];
  const callers = callersOf(spec, { isTemplate: isTemplate || Boolean(spec.workflowTemplateRef) });
  if (!spec.workflowTemplateRef && (!isTemplate || spec.entrypoint)) findings.push(...entrypoint(spec, templates));
  if (submits) findings.push(...missingArguments(spec));
  findings.push(...lintChoices(spec.arguments?.parameters, [...base, 'arguments'], 'spec.arguments'));
  for (const [index, written] of (spec.executorPlugins ?? []).entries()) {
    const problem = pluginOfSpec(written);
    if (typeof problem !== 'string') continue;
    const at = [...base, 'executorPlugins', index];
    findings.push({
      ...finding(at, `the executor plugin cannot be used: ${problem}`, 'Complete it'),
      told: `spec.executorPlugins: ${problem}`,
    });
  }
  for (const [index, template] of templates.entries()) {
    const path = [...base, 'templates', index];
    const first = templates.findIndex(({ name }) => name === template.name);
    if (!template.name)
      findings.push({
        ...finding(path, 'a template has no name', 'Add name'),
        told: `spec.templates[${index}].name is required`,
      });
    else if (first < index)
      findings.push({
        ...finding(
          [...path, 'name'],
          `two templates are called ${template.name}`,
          'Rename one: calls could mean either',
        ),
        told: `spec.templates[${index}].name '${template.name}' is not unique`,
      });
    findings.push(...lintTemplate(template, { path, spec, context, callers }));
    if (!isTemplate && !spec.workflowTemplateRef) findings.push(...unknownArguments(template, path, spec));
  }
  findings.push(...lintHooks(spec.hooks, [...base, 'hooks'], 'hooks'), ...lintPodGC(spec, base));
  for (const name of [spec.onExit, spec.hooks?.exit?.template])
    if (name && !spec.workflowTemplateRef && !templates.some((template) => template.name === name))
      findings.push(
        finding(
          [...base, 'onExit'],
          `there is no template ${name}`,
          `Add it, or correct the name${near(name, templates)}`,
        ),
      );
  return findings;
}

const podGCStrategies = ['', 'OnPodCompletion', 'OnPodSuccess', 'OnWorkflowCompletion', 'OnWorkflowSuccess'];

function lintPodGC({ podGC }: WorkflowSpec, base: Path): LintFinding[] {
  const strategy = podGC?.strategy ?? '';
  if (podGCStrategies.includes(strategy)) return [];
  const known = podGCStrategies.filter(Boolean).join(', ');
  return [
    {
      ...finding([...base, 'podGC', 'strategy'], `the strategy ${strategy} is not known`, `Write one of ${known}`),
      told: `podGC.strategy unknown strategy '${strategy}'`,
    },
  ];
}

function entrypoint({ entrypoint: name }: WorkflowSpec, templates: readonly Template[]): LintFinding[] {
  if (!name) return [finding(['spec'], 'entrypoint is missing', 'Add spec.entrypoint with the name of a template')];
  if (templates.some((template) => template.name === name)) return [];
  return [
    {
      ...finding(
        ['spec', 'entrypoint'],
        `there is no template ${name}`,
        `Add it, or correct the name${near(name, templates)}`,
      ),
      told: `template name '${name}' undefined`,
    },
  ];
}

/** Arguments that have no value when the workflow begins. */
function missingArguments({ arguments: given }: WorkflowSpec): LintFinding[] {
  return (given?.parameters ?? []).flatMap(({ name, value, default: fallback, valueFrom }, index) =>
    value !== undefined || fallback !== undefined || valueFrom
      ? []
      : [
          {
            ...finding(
              ['spec', 'arguments', 'parameters', index],
              `the parameter ${name} has no value`,
              `Give it one: -p ${name}=VALUE, or value in the text`,
            ),
            told: `spec.arguments.${name}.value or spec.arguments.${name}.valueFrom is required`,
          },
        ],
  );
}

/** An argument with an `enum` has one of its values; one that an expression makes is known later. */
function lintChoices(parameters: readonly Parameter[] | undefined, base: Path, place: string): LintFinding[] {
  return (parameters ?? []).flatMap(({ name, value, enum: choices }, index) => {
    if (!choices) return [];
    const at = [...base, 'parameters', index];
    if (choices.length === 0)
      return [
        {
          ...finding(
            [...at, 'enum'],
            `the parameter ${name} has no values to choose from`,
            'Add some, or leave enum out',
          ),
          told: `${place}.${name}.enum should contain at least one value`,
        },
      ];
    const given = value === undefined ? undefined : anyText(value);
    if (given === undefined || given.includes('{{') || choices.some((choice) => anyText(choice) === given)) return [];
    return [
      {
        ...finding(
          [...at, 'value'],
          `the parameter ${name} cannot be ${JSON.stringify(given)}`,
          `Give one of its enum: ${choices.map(anyText).join(', ')}`,
        ),
        told: `${place}.${name}.value should be present in ${place}.${name}.enum list`,
      },
    ];
  });
}

/** Arguments of the workflow that a template reads and nobody gives; those of a WorkflowTemplate may come with the workflow. */
function unknownArguments(template: Template, path: Path, { arguments: given }: WorkflowSpec): LintFinding[] {
  const names = (given?.parameters ?? []).map(({ name }) => name);
  const findings: LintFinding[] = [];
  for (const { text, at } of textsOf(template, path))
    for (const [, tag = ''] of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
      const [, name] = /^workflow\.parameters\.([A-Za-z0-9_-]+)$/.exec(tag.trim()) ?? [];
      if (!name || name === 'json' || names.includes(name)) continue;
      findings.push({
        ...finding(
          at,
          `the workflow has no parameter ${name}`,
          `Add it to spec.arguments.parameters, or correct the name${names.length > 0 ? ` (there are ${names.slice(0, 8).join(', ')})` : ''}`,
        ),
        told: `templates.${template.name}: failed to resolve {{${tag}}}`,
      });
    }
  return findings;
}

function near(name: string, templates: readonly Template[]): string {
  const names = templates.map((template) => template.name ?? '').filter((other) => other && other !== name);
  return names.length > 0 ? ` (there are ${names.slice(0, 8).join(', ')})` : '';
}

interface Where {
  /** Where the call is as upstream writes it, such as `templates.a.steps[0].b`. */
  readonly place?: string;
  readonly path: Path;
  readonly spec: WorkflowSpec;
  readonly context: LintContext;
  /** Which of steps and tasks call a template of this name. */
  readonly callers: ReturnType<typeof callersOf>;
}

function lintTemplate(template: Template, where: Where): LintFinding[] {
  const { path, spec } = where;
  const type = templateType(template);
  if (!type)
    return [
      finding(
        path,
        `template ${template.name ?? ''} does nothing`,
        'Add container, script, steps, dag or another kind',
      ),
    ];
  return [
    ...lintOwnFields(template, path, spec),
    ...lintTimes(template, path),
    ...lintOwnTexts(template, path),
    ...(template.steps ? lintSteps(template, where) : []),
    ...(template.dag ? lintDag(template, where) : []),
  ];
}

function lintTimes({ timeout, retryStrategy }: Template, path: Path): LintFinding[] {
  const { duration, maxDuration, cap } = retryStrategy?.backoff ?? {};
  const times: [Path, string | undefined][] = [
    [[...path, 'timeout'], timeout],
    [[...path, 'retryStrategy', 'backoff', 'duration'], duration],
    [[...path, 'retryStrategy', 'backoff', 'maxDuration'], maxDuration],
    [[...path, 'retryStrategy', 'backoff', 'cap'], cap],
  ];
  return times.flatMap(([at, text]) =>
    text === undefined || String(text).includes('{{') || goDurationOrSeconds(String(text)) !== undefined
      ? []
      : [finding(at, `"${text}" is no duration`, 'Write seconds, or a duration such as 1m30s')],
  );
}

/** Names and expressions in a template's own texts: calls in it are looked at by themselves. */
function lintOwnTexts(template: Template, path: Path): LintFinding[] {
  const inputs = new Set([
    ...(template.inputs?.parameters ?? []).map(({ name }) => `inputs.parameters.${name}`),
    ...(template.inputs?.artifacts ?? []).map(({ name }) => `inputs.artifacts.${name}`),
  ]);
  const findings: LintFinding[] = [];
  for (const { text, at } of textsOf(template, path)) {
    for (const [, tag = ''] of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
      const problem = tag.startsWith('=') ? expressionProblem(tag.slice(1)) : undefined;
      if (problem) findings.push(finding(at, problem, 'Correct the expression; it is in the language expr'));
      const name = /^inputs\.(parameters|artifacts)\.([^.]+)/.exec(tag.trim())?.[0];
      if (name && !inputs.has(name) && !at.includes('inline'))
        findings.push(
          finding(at, `the template has no ${name}`, `Add it to the template's inputs, or correct the name`),
        );
    }
  }
  return findings;
}

function expressionProblem(source: string): string | undefined {
  try {
    compileExpression(source).evaluate(environmentOf(new Map()));
    return undefined;
  } catch (error) {
    const message = (error as Error).message;
    // what only has no value yet is no mistake
    return /unexpected token|unclosed|unterminated|literal not terminated|Unexpected/i.test(message)
      ? `the expression ${source.trim()} cannot be read: ${message.split('\n')[0]}`
      : undefined;
  }
}

function lintSteps(template: Template, where: Where): LintFinding[] {
  const { steps = [], name: whereName = '' } = template;
  const findings: LintFinding[] = [];
  const names = new Set<string>();
  const scope = scopeOfCalls(template, steps.flat(), where);
  for (const [group, calls] of steps.entries()) {
    const earlier = new Set(names);
    for (const [index, call] of calls.entries()) {
      const path = [...where.path, 'steps', group, index];
      if (!call.name) findings.push(finding(path, 'a step has no name', 'Add name'));
      else if (names.has(call.name))
        findings.push(finding([...path, 'name'], `two steps are called ${call.name}`, 'Rename one'));
      names.add(call.name ?? '');
      const place = `templates.${whereName}.steps[${group}].${call.name ?? ''}`;
      findings.push(
        ...lintCallFields(call, { path, place, owner: `templates.${whereName}.steps[${group}]` }),
        ...lintCall(call, { ...where, path, place }),
        ...lintReferences(call, { ...scope, path, word: 'steps', known: earlier }),
      );
    }
  }
  return findings;
}

function scopeOfCalls({ name }: Template, calls: readonly TemplateCall[], { spec, context, callers }: Where) {
  return {
    calls: new Map(calls.map((call) => [call.name ?? '', call])),
    templateOf: (call: TemplateCall) => templateOfCall(call, spec, context),
    ownNames: callers(name),
  };
}

function lintDag(template: Template, where: Where): LintFinding[] {
  const { dag, name: whereName = '' } = template;
  const findings: LintFinding[] = [];
  const tasks = dag?.tasks ?? [];
  const scope = scopeOfCalls(template, tasks, where);
  const names = new Set(tasks.map(({ name }) => name));
  const edges = new Map<string, string[]>();
  for (const [index, task] of tasks.entries()) {
    const path = [...where.path, 'dag', 'tasks', index];
    if (tasks.findIndex(({ name }) => name === task.name) < index)
      findings.push(finding([...path, 'name'], `two tasks are called ${task.name}`, 'Rename one'));
    const { needed, problem } = dependenciesOf(task);
    const at = [...path, task.depends ? 'depends' : 'dependencies'];
    if (problem) findings.push(finding(at, problem, 'Correct the condition'));
    for (const name of needed)
      if (!names.has(name)) findings.push(finding(at, `there is no task ${name}`, 'Add it, or correct the name'));
    edges.set(task.name, needed);
    const place = `templates.${whereName}.tasks.${task.name}`;
    findings.push(...lintCallFields(task, { path, place, owner: `templates.${whereName}.tasks` }));
    findings.push(...lintCall(task, { ...where, path, place }));
  }
  findings.push(...lintDagFields(template, where.path));
  for (const [index, task] of tasks.entries()) {
    const known = ancestors(edges, task.name);
    const path = [...where.path, 'dag', 'tasks', index];
    if (known.has(task.name))
      findings.push(finding(path, `task ${task.name} waits for itself`, 'Take one dependency out of the circle'));
    else findings.push(...lintReferences(task, { ...scope, path, word: 'tasks', known }));
  }
  return findings;
}

function dependenciesOf({ depends, dependencies = [] }: { depends?: string; dependencies?: string[] }): {
  needed: string[];
  problem?: string;
} {
  if (!depends) return { needed: dependencies };
  try {
    return { needed: [...tasksOf(parseDepends(depends)).keys()] };
  } catch (error) {
    if (!(error instanceof DependsError)) throw error;
    return { needed: [], problem: error.message };
  }
}

function ancestors(edges: ReadonlyMap<string, readonly string[]>, task: string): Set<string> {
  const found = new Set<string>();
  const stack = [...(edges.get(task) ?? [])];
  for (let name = stack.pop(); name !== undefined; name = stack.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    stack.push(...(edges.get(name) ?? []));
  }
  return found;
}

/** A call must name a template that is there, and give what that one needs. */
function lintCall(call: TemplateCall, where: Where): LintFinding[] {
  const { path, spec, context } = where;
  if (call.inline) return lintTemplate(call.inline, { ...where, path: [...path, 'inline'] });
  const { templateRef, template: name } = call;
  if (templateRef && name)
    return [
      {
        ...finding([...path, 'template'], 'template and templateRef cannot both be used', 'Keep one of them'),
        told: `${where.place} template name cannot be specified with templateRef`,
      },
    ];
  for (const field of ['name', 'template'] as const)
    if (templateRef && !templateRef[field])
      return [
        {
          ...finding([...path, 'templateRef'], `templateRef has no ${field}`, `Add ${field}`),
          told: `${where.place} ${field === 'name' ? 'resource name' : 'template name'} is required`,
        },
      ];
  if (!templateRef && !name)
    return [finding(path, `${call.name ?? 'a call'} runs no template`, 'Add template, templateRef or inline')];
  const known = templateRef
    ? context.templates(templateRef.name, templateRef.clusterScope ?? false)
    : (spec.templates ?? []);
  if (!known) return [];
  const wanted = templateRef?.template ?? name;
  const template = known.find((candidate) => candidate.name === wanted);
  const at = [...path, templateRef ? 'templateRef' : 'template'];
  if (!template) {
    if (name?.includes('{{') || (!templateRef && spec.workflowTemplateRef)) return [];
    const told = templateRef
      ? `${where.place} template reference ${templateRef.name}.${wanted} not found`
      : `${where.place} template name '${wanted}' undefined`;
    const remedy = `Add it, or correct the name${near(wanted ?? '', known)}`;
    return [{ ...finding(at, `there is no template ${wanted}`, remedy), told }];
  }
  const given = new Set((call.arguments?.parameters ?? []).map((parameter) => parameter.name));
  const needed = (template.inputs?.parameters ?? []).flatMap(({ name: input, value, default: fallback, valueFrom }) =>
    value !== undefined || fallback !== undefined || valueFrom || given.has(input)
      ? []
      : [
          {
            ...finding(
              path,
              `template ${wanted} needs the parameter ${input}`,
              `Add arguments: {parameters: [{name: ${input}, value: …}]}, or give the input a default`,
            ),
            told: `${where.place} templates.${wanted} inputs.parameters.${input} was not supplied`,
          },
        ],
  );
  return [...lintChoices(call.arguments?.parameters, [...path, 'arguments'], `${where.place}.arguments`), ...needed];
}

/** Names of the WorkflowTemplates and ClusterWorkflowTemplates that a spec refers to in its calls. */
export function referencesOf(spec: WorkflowSpec): { name: string; isCluster: boolean }[] {
  const found = new Map<string, { name: string; isCluster: boolean }>();
  const visit = (template: Template): void => {
    for (const call of [...(template.steps ?? []).flat(), ...(template.dag?.tasks ?? [])]) {
      if (call.inline) visit(call.inline);
      const { templateRef: ref } = call;
      if (!ref?.name) continue;
      const reference = { name: ref.name, isCluster: ref.clusterScope ?? false };
      found.set(`${reference.isCluster} ${reference.name}`, reference);
    }
  };
  for (const template of spec.templates ?? []) visit(template);
  return [...found.values()];
}
