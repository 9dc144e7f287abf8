import type { WorkflowSpec } from '../model/types.ts';
import { finding, type LintFinding, type Path } from './finding.ts';

/** Fields that hold lists, by what they stand in. */
const lists: Readonly<Record<'arguments' | 'template' | 'call' | 'dag', readonly string[]>> = {
  arguments: ['parameters', 'artifacts'],
  template: ['steps', 'sidecars', 'initContainers', 'volumes'],
  call: ['withItems', 'dependencies'],
  dag: ['tasks'],
};

/** Lists of a spec that are none, so that nothing else can be said of it. */
export function lintShape(spec: WorkflowSpec): LintFinding[] {
  const base: Path = ['spec'];
  if (!isMap(spec)) return [noMap(base, spec)];
  const findings = [...listsIn(spec, ['templates'], base), ...argumentLists(spec.arguments, [...base, 'arguments'])];
  if (Array.isArray(spec.templates))
    for (const [index, template] of spec.templates.entries())
      findings.push(...templateShape(template, [...base, 'templates', index]));
  return findings;
}

function templateShape(template: unknown, path: Path): LintFinding[] {
  if (!isMap(template)) return [noMap(path, template)];
  const { steps, dag } = template;
  const findings = [
    ...listsIn(template, lists.template, path),
    ...argumentLists(template.inputs, [...path, 'inputs']),
    ...argumentLists(template.outputs, [...path, 'outputs']),
  ];
  if (dag !== undefined && dag !== null)
    findings.push(...(isMap(dag) ? listsIn(dag, lists.dag, [...path, 'dag']) : [noMap([...path, 'dag'], dag)]));
  if (Array.isArray(steps))
    for (const [group, calls] of steps.entries()) {
      const at = [...path, 'steps', group];
      if (!Array.isArray(calls)) findings.push(noList(at, calls));
      else for (const [index, call] of calls.entries()) findings.push(...callShape(call, [...at, index]));
    }
  if (isMap(dag) && Array.isArray(dag.tasks))
    for (const [index, task] of dag.tasks.entries())
      findings.push(...callShape(task, [...path, 'dag', 'tasks', index]));
  return findings;
}

function callShape(call: unknown, path: Path): LintFinding[] {
  if (!isMap(call)) return [noMap(path, call)];
  const { inline } = call;
  return [
    ...listsIn(call, lists.call, path),
    ...argumentLists(call.arguments, [...path, 'arguments']),
    ...(inline === undefined || inline === null ? [] : templateShape(inline, [...path, 'inline'])),
  ];
}

function argumentLists(given: unknown, path: Path): LintFinding[] {
  if (given === undefined || given === null) return [];
  if (!isMap(given)) return [noMap(path, given)];
  return [
    ...listsIn(given, lists.arguments, path),
    ...lists.arguments.flatMap((field) => {
      const entries = given[field];
      if (!Array.isArray(entries)) return [];
      return entries.flatMap((entry, index) => (isMap(entry) ? [] : [noMap([...path, field, index], entry)]));
    }),
  ];
}

function listsIn(value: object, fields: readonly string[], path: Path): LintFinding[] {
  return fields.flatMap((field) => {
    const found = (value as Record<string, unknown>)[field];
    return found === undefined || found === null || Array.isArray(found) ? [] : [noList([...path, field], found)];
  });
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`;
}

function noList(path: Path, found: unknown): LintFinding {
  return finding(
    path,
    `${path.at(-1)} is ${kindOf(found)}, it must be a list`,
    'Write a list: its entries begin with -',
  );
}

function noMap(path: Path, found: unknown): LintFinding {
  return finding(path, `${path.at(-1)} is ${kindOf(found)}, it must be a map`, 'Write fields and their values');
}
