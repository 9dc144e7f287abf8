import { copyJson } from '@tiphys/controller';
import { hasLocationOrKey } from '../model/artifacts.ts';
import { anyText, parametersJson } from '../model/go-text.ts';
import type { Arguments, Parameter, Template } from '../model/types.ts';
import { OperationError } from '../operation/halt.ts';
import type { Operation } from '../operation/operation.ts';
import { hasTags, substitute, substituteText } from '../text/substitute.ts';
import { Layer } from '../text/variables.ts';

/**
 * Stands for an argument that refers to the output of a node that did not run: as if it was not given. Only this controller writes and
 * reads it.
 */
export const absentArgument = '__argo-internal.absent-optional-output__';

/** A template with its inputs set from arguments or defaults, and all that can be known put in. Throws an error that says what is missing. */
export function processArguments(
  op: Operation,
  template: Template,
  args: Arguments,
  locals: ReadonlyMap<string, string>,
): Template {
  const inputs = template.inputs;
  if (!inputs) return substituteParameters(op, template, locals);
  const parameters = inputs.parameters?.map((input) => {
    const argument = args.parameters?.find(({ name }) => name === input.name);
    return withValue(op, suppliedParameter(input, argument));
  });
  const artifacts = inputs.artifacts?.map((input) => {
    const argument = args.artifacts?.find(({ name }) => name === input.name);
    if (!input.optional && !hasLocationOrKey(input)) {
      if (!argument) throw new OperationError(`inputs.artifacts.${input.name} was not supplied`);
      if (!hasLocationOrKey(argument))
        throw new OperationError(`inputs.artifacts.${input.name} missing location information`);
    }
    if (!argument) return input;
    const { path, mode, recurseMode } = input;
    return JSON.parse(JSON.stringify({ ...argument, path, mode, recurseMode })) as typeof input;
  });
  const filled = { ...inputs, ...(parameters ? { parameters } : {}), ...(artifacts ? { artifacts } : {}) };
  return substituteParameters(op, { ...template, inputs: filled }, locals);
}

function suppliedParameter(input: Parameter, argument: Parameter | undefined): Parameter {
  const own: Parameter = { ...input };
  if (own.value === undefined && own.default !== undefined) own.value = own.default;
  if (argument?.value !== undefined && anyText(argument.value) === absentArgument) {
    if (own.value === undefined && !own.valueFrom) {
      throw new OperationError(
        `inputs.parameters.${input.name}: argument references an absent optional (skipped/omitted node output with no default)`,
      );
    }
    return own;
  }
  if (!argument) return own;
  delete own.value;
  delete own.valueFrom;
  if (argument.value !== undefined) own.value = argument.value;
  else if (argument.valueFrom) own.valueFrom = argument.valueFrom;
  return own;
}

function withValue(op: Operation, parameter: Parameter): Parameter {
  const reference = parameter.valueFrom?.configMapKeyRef;
  if (!reference) {
    if (parameter.value === undefined) throw new OperationError(`inputs.parameters.${parameter.name} was not supplied`);
    return parameter;
  }
  const name = substituteText(reference.name, op.globals, 'refuse');
  const key = substituteText(reference.key, op.globals, 'refuse');
  const value = configMapValue(op, name, key);
  if (value.found) return { ...parameter, value: value.text };
  const fallback = parameter.valueFrom?.default;
  if (fallback === undefined) {
    throw new OperationError(`unable to retrieve inputs.parameters.${parameter.name} from ConfigMap: ${value.reason}`);
  }
  return { ...parameter, value: fallback };
}

/** A value of a ConfigMap of the workflow's namespace that is labelled as holding parameters. */
export function configMapValue(
  op: Operation,
  name: string,
  key: string,
): { found: true; text: string } | { found: false; reason: string } {
  const map = op.facts.configMap(op.namespace, name);
  if (!map) return { found: false, reason: `ConfigMap '${name}' does not exist` };
  const type = map.metadata.labels?.['workflows.argoproj.io/configmap-type'];
  if (type !== 'Parameter') {
    return {
      found: false,
      reason: `ConfigMap '${name}' needs to have the label workflows.argoproj.io/configmap-type: Parameter to load parameters`,
    };
  }
  const text = map.data?.[key];
  return text === undefined
    ? { found: false, reason: `ConfigMap '${name}' does not have the key '${key}'` }
    : { found: true, text };
}

/** A copy of a template with workflow variables, local ones and its own inputs put in, in that order. Throws a `SubstitutionError`. */
export function substituteParameters(op: Operation, template: Template, locals: ReadonlyMap<string, string>): Template {
  if (!hasTags(template)) return copyJson(template);
  const outer = new Layer(op.globals, locals);
  const once = substitute(template, outer);
  const own = new Layer(outer);
  const { parameters = [], artifacts = [] } = once.inputs ?? {};
  for (const { name, value } of parameters)
    if (value !== undefined) own.set(`inputs.parameters.${name}`, anyText(value));
  own.set('inputs.parameters', parametersJson(parameters));
  for (const { name, path } of artifacts) if (path) own.set(`inputs.artifacts.${name}.path`, path);
  for (const { name, path } of once.outputs?.artifacts ?? []) if (path) own.set(`outputs.artifacts.${name}.path`, path);
  for (const { name, valueFrom } of once.outputs?.parameters ?? [])
    if (valueFrom?.path) own.set(`outputs.parameters.${name}.path`, valueFrom.path);
  return substitute(once, own);
}
