import type { DagTask, LifecycleHook, Template, TemplateCall } from '../model/types.ts';
import { DependsError, parseDepends, tasksOf } from '../text/depends.ts';
import { finding, type LintFinding, type Path, textsOf } from './finding.ts';
import { fieldNameProblem, isGiven, lintNames } from './template-rules.ts';

interface Call {
  readonly path: Path;
  /** Where the call is as upstream writes it, such as `templates.a.steps[0].b`. */
  readonly place: string;
  /** The same without the name of the call. */
  readonly owner: string;
}

/** Rules for the fields of a step or a task; what it calls is looked at elsewhere. */
export function lintCallFields(call: TemplateCall, where: Call): LintFinding[] {
  const { path, place, owner } = where;
  const problem = call.name ? fieldNameProblem(call.name.replace(/\{\{[^{}]*\}\}/g, 'x')) : undefined;
  return [
    ...(problem
      ? [
          {
            ...finding([...path, 'name'], `the name ${call.name} cannot be used: ${problem}`, 'Rename it'),
            told: `${owner}.name '${call.name}' is invalid: ${problem}`,
          },
        ]
      : []),
    ...lintLoop(call, where),
    ...lintArguments(call, where),
    ...lintHooks(call.hooks, [...path, 'hooks'], place),
  ];
}

function lintLoop(call: TemplateCall, { path, place }: Call): LintFinding[] {
  const { withItems, withParam, withSequence, hooks, inline, ...texts } = call;
  const loops = Object.entries({ withItems: withItems?.length, withParam, withSequence }).filter(([, loop]) => loop);
  if (loops.length > 1)
    return [
      {
        ...finding(path, `${loops.map(([name]) => name).join(' and ')} cannot both be used`, 'Keep one of them'),
        told: `${place} only one of withItems, withParam, withSequence can be specified`,
      },
    ];
  if (withSequence?.count !== undefined && withSequence.end !== undefined)
    return [
      {
        ...finding([...path, 'withSequence'], 'count and end cannot both be used', 'Keep one of them'),
        told: `${place} only one of count or end can be defined in withSequence`,
      },
    ];
  if (withParam) return [];
  const fields = new Set((withItems ?? []).flatMap(fieldsOfItem));
  const findings: LintFinding[] = [];
  for (const { text, at } of textsOf(texts, path))
    for (const [, tag = ''] of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
      const field = /^item\.(.+)$/.exec(tag.trim())?.[1];
      if (field === undefined || fields.has(field)) continue;
      const known = fields.size > 0 ? `the items have ${[...fields].slice(0, 8).join(', ')}` : 'no item has fields';
      findings.push({
        ...finding(at, `item.${field} never gets a value: ${known}`, 'Correct the name, or give the items the field'),
        told: `${place} failed to resolve {{${tag}}}`,
      });
    }
  return findings;
}

function fieldsOfItem(item: unknown): string[] {
  if (item === null || typeof item !== 'object') return [];
  return Array.isArray(item) ? item.map((_, index) => `[${index}]`) : Object.keys(item);
}

function lintArguments({ arguments: given }: TemplateCall, { path, place }: Call): LintFinding[] {
  const at = [...path, 'arguments'];
  const findings = lintNames(given, at, `${place}.arguments.`);
  for (const [index, { name, value, valueFrom, enum: choices }] of (given?.parameters ?? []).entries()) {
    if ((value !== undefined && value !== null) || valueFrom || choices) continue;
    const told = `${place}.arguments.${name}`;
    findings.push({
      ...finding([...at, 'parameters', index], `the argument ${name} has no value`, 'Add value or valueFrom'),
      told: `${told}.value or ${told}.valueFrom is required`,
    });
  }
  for (const [index, artifact] of (given?.artifacts ?? []).entries()) {
    const where = [...at, 'artifacts', index];
    const told = `${place}.arguments.${artifact.name}`;
    if (!isGiven(artifact))
      findings.push({
        ...finding(where, `the artifact ${artifact.name} comes from nowhere`, 'Add from, or where it is stored'),
        told: `${told}.from, artifact location, or key is required`,
      });
    else if (artifact.from && artifact.fromExpression)
      findings.push({
        ...finding(where, 'from and fromExpression cannot both be used', 'Keep one of them'),
        told: `${told} shouldn't have both \`from\` and \`fromExpression\` in Artifact`,
      });
  }
  return findings;
}

/** A hook other than that of the end says when it runs. */
export function lintHooks(
  hooks: Readonly<Record<string, LifecycleHook>> | undefined,
  path: Path,
  place: string,
): LintFinding[] {
  return Object.entries(hooks ?? {}).flatMap(([name, hook]) =>
    name === 'exit' || hook?.expression
      ? []
      : [
          {
            ...finding([...path, name], `the hook ${name} does not say when it runs`, 'Add expression'),
            told: `${place}.${name} Expression required`,
          },
        ],
  );
}

/** Rules for the tasks of one template together. */
export function lintDagFields({ name = '', dag }: Template, path: Path): LintFinding[] {
  const tasks = dag?.tasks ?? [];
  const at: Path = [...path, 'dag', 'tasks'];
  if (tasks.length === 0)
    return [
      {
        ...finding([...path, 'dag'], 'the dag has no tasks', 'Add one'),
        told: `templates.${name} must have at least one task`,
      },
    ];
  const depends = tasks.some((task) => task.depends);
  return [
    ...tasks.flatMap((task, index) => [
      ...(depends ? besideDepends(task, [...at, index], name) : []),
      ...digitFirst(task, { depends, path: [...at, index], name }),
      ...itemsWanted(task, { tasks, path: [...at, index], name }),
    ]),
    ...lintTarget(dag?.target, { tasks, path: [...path, 'dag', 'target'], name }),
  ];
}

function besideDepends(task: DagTask, path: Path, name: string): LintFinding[] {
  if (task.dependencies?.length)
    return [
      {
        ...finding(
          [...path, task.depends ? 'depends' : 'dependencies'],
          'depends and dependencies cannot both be used',
          'Keep one of them, for all tasks of the template',
        ),
        told: `templates.${name} cannot use both 'depends' and 'dependencies' in the same DAG template`,
      },
    ];
  if (!task.continueOn) return [];
  return [
    {
      ...finding(
        [...path, 'continueOn'],
        'continueOn has no effect beside depends',
        `Remove it, and write ${task.name}.Failed or ${task.name}.Errored where the task is waited for`,
      ),
      told: `templates.${name} cannot use 'continueOn' when using 'depends'. Instead use 'dep-task.Failed'/'dep-task.Errored'`,
    },
  ];
}

interface InDag {
  readonly path: Path;
  readonly name: string;
}

function digitFirst(task: DagTask, { depends, path, name }: InDag & { depends: boolean }): LintFinding[] {
  if (!(depends || task.dependencies?.length) || !/^\d/.test(task.name ?? '')) return [];
  return [
    {
      ...finding(
        [...path, 'name'],
        `the name ${task.name} begins with a digit`,
        'Begin it with a letter, so that conditions can name it',
      ),
      told: `templates.${name}.tasks.${task.name} name cannot begin with a digit when using either 'depends' or 'dependencies'`,
    },
  ];
}

function itemsWanted(task: DagTask, { tasks, path, name }: InDag & { tasks: readonly DagTask[] }): LintFinding[] {
  const findings: LintFinding[] = [];
  for (const [needed, { asksItems }] of askedOf(task.depends)) {
    if (!asksItems) continue;
    const other = tasks.find((each) => each.name === needed);
    if (!other || other.withItems?.length || other.withParam || other.withSequence) continue;
    findings.push({
      ...finding(
        [...path, 'depends'],
        `${needed} is no loop, whose items AnySucceeded and AllFailed ask for`,
        'Write Succeeded or Failed',
      ),
      told: `templates.${name}.tasks.${task.name} dependency '${needed}' uses an items-based condition such as .AnySucceeded or .AllFailed but does not contain any items`,
    });
  }
  return findings;
}

function askedOf(depends: string | undefined): ReturnType<typeof tasksOf> {
  if (!depends) return new Map();
  try {
    return tasksOf(parseDepends(depends));
  } catch (error) {
    // told where the condition is looked at
    if (error instanceof DependsError) return new Map();
    throw error;
  }
}

function lintTarget(
  target: string | undefined,
  { tasks, path, name }: InDag & { tasks: readonly DagTask[] },
): LintFinding[] {
  if (!target || target.includes('{{')) return [];
  return target
    .split(' ')
    .filter((wanted) => !tasks.some((task) => task.name === wanted))
    .map((wanted) => ({
      ...finding(
        path,
        `there is no task ${wanted || 'of an empty name'}`,
        'Write names of tasks, with one space between them',
      ),
      told: `templates.${name}.targets: target '${wanted}' is not defined`,
    }));
}
