import { isArtifact, keyOf, withKey } from '../model/artifacts.ts';
import { anyText } from '../model/go-text.ts';
import type { Arguments, Artifact, NodeStatus, Outputs, Template, TemplateCall, ValueFrom } from '../model/types.ts';
import { OperationError } from '../operation/halt.ts';
import { lastAttemptOf } from '../operation/nodes.ts';
import type { Operation } from '../operation/operation.ts';
import { resolveTemplate, type TemplateScope } from '../operation/templates.ts';
import { compileExpression, environmentOf } from '../text/expression.ts';
import { substituteText } from '../text/substitute.ts';
import { merged, type Value, type Variables } from '../text/variables.ts';
import { absentArgument } from './arguments.ts';

/** `steps` or `tasks`: what names of nodes begin with in a template. */
export type NodeWord = 'steps' | 'tasks';

/** Variables inside one steps or DAG template: its inputs, and what its nodes gave. */
export class Scope {
  readonly values = new Map<string, Value>();

  constructor(template: Template | undefined) {
    for (const { name, value } of template?.inputs?.parameters ?? [])
      this.values.set(`inputs.parameters.${name}`, value === undefined ? '' : anyText(value));
    for (const artifact of template?.inputs?.artifacts ?? [])
      this.values.set(`inputs.artifacts.${artifact.name}`, artifact);
  }

  set(name: string, value: Value | undefined): void {
    if (value !== undefined) this.values.set(name, value);
  }

  /** What text may use: everything but artifacts, with the workflow's variables below. */
  texts(globals: Variables = new Map()): Map<string, Value> {
    const texts = new Map([...this.values].filter(([, value]) => !isArtifact(value)));
    return merged(texts, globals);
  }

  /** Arguments that are nothing but the output of a node that did not run count as not given. */
  withoutAbsent(args: Arguments | undefined): Arguments {
    if (!args?.parameters) return args ?? {};
    const parameters = args.parameters.map((parameter) =>
      parameter.value !== undefined && this.#isAbsent(anyText(parameter.value))
        ? { ...parameter, value: absentArgument }
        : parameter,
    );
    return { ...args, parameters };
  }

  #isAbsent(text: string): boolean {
    if (!text.startsWith('{{') || !text.endsWith('}}')) return false;
    const name = text.slice(2, -2).trim();
    return !name.includes('{{') && !name.includes('}}') && this.values.get(name) === null;
  }

  /** Throws an error if nothing stands for the reference. */
  lookup(reference: string): { value: Value; isAbsent: boolean } {
    const name = reference.replace(/^\{\{/, '').replace(/\}\}$/, '').trim();
    if (name.startsWith('=')) {
      const value = compileExpression(name.slice(1)).evaluate(environmentOf(this.values)) as Value;
      if (value === null || value === undefined) throw unresolvable(name);
      return { value, isAbsent: false };
    }
    const value = this.values.get(name);
    if (value === undefined) throw unresolvable(name);
    return { value, isAbsent: value === null };
  }

  /** The value of an output parameter of a steps or DAG template. */
  parameter({ parameter, expression, default: fallback }: ValueFrom, name: string): string {
    try {
      if (expression) return expressionText(expression, this.values);
      if (!parameter) return '';
      const { value, isAbsent } = this.lookup(parameter);
      if (typeof value === 'string') return value;
      if (isAbsent && fallback !== undefined) return anyText(fallback);
      if (isAbsent)
        throw new OperationError(
          `output parameter "${name}": "${parameter}" is an absent optional (skipped/omitted node output with no default)`,
        );
      throw new OperationError(`output parameter "${name}": "${parameter}" is not a text`);
    } catch (error) {
      if (fallback !== undefined) return anyText(fallback);
      throw error;
    }
  }

  /** The artifact that `from` or `fromExpression` means. Throws an error if there is none. */
  artifact(wanted: Artifact): Artifact {
    const value = wanted.fromExpression
      ? compileExpression(wanted.fromExpression).evaluate(environmentOf(this.values))
      : this.lookup(wanted.from ?? '').value;
    if (!isArtifact(value))
      throw new OperationError(`Variable {{${wanted.from ?? wanted.fromExpression}}} is not an artifact`);
    const found = structuredClone(value) as Artifact;
    if (!wanted.subPath) return found;
    const below = substituteText(wanted.subPath, this.texts());
    const key = keyOf(found);
    if (key === undefined) {
      if (found.optional) return found;
      throw new OperationError(`artifact ${wanted.name}: subPath "${below}" needs an artifact with a key`);
    }
    return withKey(found, `${key.replace(/\/$/, '')}/${below.replace(/^\//, '')}`);
  }

  /** Puts in what one node gave: `steps.NAME.id`, `.outputs.result` and so on. */
  addNode(op: Operation, word: NodeWord, name: string, node: NodeStatus): void {
    const shown = lastAttemptOf(op, node) ?? node;
    const prefix = `${word}.${name}`;
    this.set(`${prefix}.id`, shown.id);
    this.set(`${prefix}.startedAt`, shown.startedAt ?? undefined);
    this.set(`${prefix}.finishedAt`, shown.finishedAt ?? undefined);
    this.set(`${prefix}.ip`, shown.podIP);
    this.set(`${prefix}.status`, shown.phase);
    this.set(`${prefix}.hostNodeName`, shown.hostNodeName);
    this.addOutputs(prefix, shown.outputs);
  }

  addOutputs(prefix: string, outputs: Outputs | undefined): void {
    if (!outputs) return;
    this.set(`${prefix}.outputs.result`, outputs.result);
    this.set(`${prefix}.exitCode`, outputs.exitCode);
    for (const { name, value } of outputs.parameters ?? [])
      if (value !== undefined) this.set(`${prefix}.outputs.parameters.${name}`, anyText(value));
    for (const artifact of outputs.artifacts ?? []) this.set(`${prefix}.outputs.artifacts.${artifact.name}`, artifact);
  }

  /** Puts in what a node that did not run would have given: the defaults of its template's outputs, or nothing. */
  addAbsent(
    op: Operation,
    absent: { word: NodeWord; name: string; node: NodeStatus; call: TemplateCall; scope: TemplateScope },
  ): void {
    const { word, name, node, call, scope } = absent;
    if (node.outputs || (node.phase !== 'Skipped' && node.phase !== 'Omitted')) return;
    let template: Template;
    try {
      ({ template } = resolveTemplate(op, scope, call));
    } catch {
      // a node that did not run may name a template that is not there
      return;
    }
    const prefix = `${word}.${name}.outputs`;
    for (const { name: parameter, valueFrom } of template.outputs?.parameters ?? []) {
      const fallback = valueFrom?.default;
      this.set(`${prefix}.parameters.${parameter}`, fallback === undefined ? null : anyText(fallback));
    }
    this.set(`${prefix}.result`, null);
    if (word !== 'steps') return;
    for (const artifact of template.outputs?.artifacts ?? [])
      this.set(`${prefix}.artifacts.${artifact.name}`, { name: artifact.name, optional: true });
  }

  /** Puts in the outputs of the workflow itself. */
  addWorkflowOutputs(outputs: Outputs | undefined): void {
    this.addOutputs('workflow', outputs);
  }
}

function expressionText(expression: string, variables: Variables): string {
  const value = compileExpression(expression).evaluate(environmentOf(variables));
  if (value === null || value === undefined)
    throw new OperationError(`failed to evaluate expression ${JSON.stringify(expression)}`);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function unresolvable(name: string): OperationError {
  return new OperationError(`Unable to resolve: "${name}"`);
}
