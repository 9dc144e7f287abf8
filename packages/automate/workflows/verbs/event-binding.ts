import type { Program } from '@tiphys/expr';
import { compile, ExpressionError } from '@tiphys/expr';
import { encodeJson } from '@tiphys/template';
import type { Arguments, Meta, Workflow, WorkflowSpec } from '../model/types.ts';
import { environmentOf } from '../text/expression.ts';
import { fromGo, toGo } from '../text/variables.ts';
import { VerbError } from './submit.ts';
import { workflowFrom } from './workflow-from.ts';

/** A WorkflowEventBinding: which events start which workflow. */
export interface EventBinding {
  readonly metadata: Meta;
  readonly spec: {
    readonly event: { readonly selector: string };
    readonly submit?: {
      readonly workflowTemplateRef: { readonly name: string; readonly clusterScope?: boolean };
      readonly metadata?: Meta;
      readonly arguments?: Arguments;
    };
  };
}

/** `namespace`, `discriminator`, `metadata` and `payload` of an event. */
export type EventEnvironment = Readonly<Record<string, unknown>>;

/** The spec of a template, which has to be there. */
type ReadTemplate = (named: { name: string; isCluster: boolean }) => Promise<WorkflowSpec>;

/** The workflow that an event starts by a binding; undefined if its selector does not fit, or it starts none. Throws a `VerbError`. */
export async function eventWorkflow(
  binding: EventBinding,
  env: EventEnvironment,
  readTemplate: ReadTemplate,
): Promise<Workflow | undefined> {
  const { event, submit } = binding.spec;
  const matched = evaluate(event.selector, env, 'failed to evaluate workflow template expression');
  if (typeof matched !== 'boolean')
    throw new VerbError('failed to evaluate workflow template expression: unable to cast expression result to bool');
  if (!matched || !submit) return undefined;
  const { name, clusterScope: isCluster = false } = submit.workflowTemplateRef;
  const { workflowMetadata } = (await readTemplate({ name, isCluster })) as { workflowMetadata?: Meta };
  const workflow = workflowFrom(isCluster ? { clusterTemplate: name } : { template: name });
  const { metadata } = workflow;
  const own = submit.metadata ?? {};
  metadata.labels = { ...metadata.labels, ...workflowMetadata?.labels, ...texts(own.labels, env, 'label') };
  metadata.annotations = { ...workflowMetadata?.annotations, ...texts(own.annotations, env, 'annotation') };
  if (own.name) metadata.name = text(own.name, env, 'name');
  if (own.generateName) metadata.generateName = text(own.generateName, env, 'generateName');
  const parameters = (submit.arguments?.parameters ?? []).map((parameter) => {
    const source = (parameter.valueFrom as { event?: string } | undefined)?.event;
    if (source === undefined)
      throw new VerbError(`malformed workflow template parameter "${parameter.name}": valueFrom is nil`);
    const value = evaluate(
      source,
      env,
      `failed to evaluate workflow template parameter "${parameter.name}" expression`,
    );
    return { name: parameter.name, value: typeof value === 'string' ? value : encodeJson(toGo(value)) };
  });
  if (parameters.length > 0) workflow.spec.arguments = { parameters };
  return workflow;
}

function texts(given: Meta['labels'], env: EventEnvironment, what: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given ?? {}).map(([key, source]) => [key, text(source, env, `${what} "${key}"`)]),
  );
}

function text(source: string, env: EventEnvironment, what: string): string {
  const value = evaluate(source, env, `failed to evaluate workflow ${what} expression`);
  if (typeof value === 'string') return value;
  throw new VerbError(`workflow ${what} expression must evaluate to a string, not a ${typeof value}`);
}

function evaluate(source: string, env: EventEnvironment, doing: string): unknown {
  try {
    const program: Program = compile(source);
    const { values } = environmentOf(new Map());
    for (const [name, value] of Object.entries(env)) values.set(name, toGo(value));
    return fromGo(program.run(values, { now: Date.now }));
  } catch (error) {
    if (error instanceof ExpressionError) throw new VerbError(`${doing}: ${error.goMessage}`);
    throw error;
  }
}
