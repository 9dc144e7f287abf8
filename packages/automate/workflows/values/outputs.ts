import { anyText, goJson } from '../model/go-text.ts';
import type { Artifact, NodeStatus, Outputs, Parameter, Template } from '../model/types.ts';
import { OperationError } from '../operation/halt.ts';
import type { Operation } from '../operation/operation.ts';
import { loopIndex } from './loops.ts';
import { resolveArtifact } from './references.ts';
import type { NodeWord, Scope } from './scope.ts';

/** The outputs of a steps or DAG template, from what its nodes gave; undefined if it has none. Throws an error. */
export function treeOutputs({ outputs }: Template, scope: Scope): Outputs | undefined {
  const result: Outputs = {};
  if (outputs?.parameters?.length) {
    result.parameters = outputs.parameters.map(({ valueFrom, ...parameter }) => {
      if (!valueFrom) throw new OperationError('output parameters must have a valueFrom specified');
      return { ...parameter, value: scope.parameter(valueFrom, parameter.name) };
    });
  }
  if (outputs?.artifacts?.length) {
    result.artifacts = outputs.artifacts.flatMap((artifact) => {
      if (!artifact.from && !artifact.fromExpression) return [];
      return resolveArtifact(artifact, scope).map((found) => withGlobalName(found, artifact));
    });
  }
  return outputs?.parameters?.length || outputs?.artifacts?.length ? result : undefined;
}

function withGlobalName(found: Artifact, { name, globalName }: Artifact): Artifact {
  return { ...found, name, ...(globalName ? { globalName } : {}) };
}

/** Puts in what the items of a loop gave together: JSON lists of results and of parameters. */
export function addAggregates(
  scope: Scope,
  { word, name }: { word: NodeWord; name: string },
  nodes: readonly NodeStatus[],
): void {
  if (nodes.length === 0) return;
  const items = nodes
    .filter(({ nodeFlag }) => !nodeFlag?.hooked && !nodeFlag?.retried)
    .sort((a, b) => loopIndex(a.name) - loopIndex(b.name))
    .filter(({ outputs, phase }) => outputs && phase === 'Succeeded');
  const results = items.flatMap(({ outputs }) => (outputs?.result === undefined ? [] : [parsed(outputs.result)]));
  const parameters = items
    .map(({ outputs }) => outputs?.parameters ?? [])
    .filter((list) => list.length > 0)
    .map((list) => Object.fromEntries(list.map((parameter) => [parameter.name, textOf(parameter)])));
  const prefix = `${word}.${name}.outputs`;
  scope.set(`${prefix}.result`, goJson(results));
  scope.set(`${prefix}.parameters`, goJson(parameters));
  const names = new Set(parameters.flatMap((list) => Object.keys(list)));
  for (const parameter of names) {
    const values = parameters.flatMap((list) => (list[parameter] === undefined ? [] : [list[parameter]]));
    scope.set(`${prefix}.parameters.${parameter}`, goJson(structured(values) ?? values));
  }
}

function textOf({ value }: Parameter): string {
  return value === undefined ? '' : anyText(value);
}

/** A result as JSON if it is some, else as text. */
function parsed(result: string): unknown {
  try {
    return JSON.parse(result);
  } catch {
    return result;
  }
}

/** Values that are all JSON lists or objects, as such; else undefined. */
function structured(values: readonly string[]): unknown[] | undefined {
  const all = values.map((value) => parsed(value));
  return all.every((value) => value !== null && typeof value === 'object') ? all : undefined;
}

/** Outputs with a `globalName` become the workflow's. */
export function publishOutputs(op: Operation, outputs: Outputs | undefined): void {
  for (const { globalName, value } of outputs?.parameters ?? []) {
    if (!globalName || value === undefined) continue;
    op.globals.set(`workflow.outputs.parameters.${globalName}`, anyText(value));
    op.status.outputs ??= {};
    op.status.outputs.parameters ??= [];
    const list = op.status.outputs.parameters;
    const existing = list.find((parameter) => parameter.name === globalName);
    if (existing) existing.value = value;
    else list.push({ name: globalName, value });
  }
  for (const { globalName, path, ...artifact } of outputs?.artifacts ?? []) {
    if (!globalName) continue;
    op.status.outputs ??= {};
    op.status.outputs.artifacts ??= [];
    const list = op.status.outputs.artifacts;
    const index = list.findIndex(({ name }) => name === globalName);
    const published = { ...artifact, name: globalName };
    if (index < 0) list.push(published);
    else list[index] = published;
  }
}
