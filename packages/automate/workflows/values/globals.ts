import { workflowNames } from '@tiphys/api';
import { anyText, goJson, parametersJson } from '../model/go-text.ts';
import { timeOf, timestamp } from '../model/time.ts';
import { OperationError } from '../operation/halt.ts';
import type { Operation } from '../operation/operation.ts';
import { compileExpression, environmentOf } from '../text/expression.ts';
import { timeLetters } from '../text/strftime.ts';
import { substitute } from '../text/substitute.ts';
import { clockVariable } from '../text/variables.ts';
import { configMapValue } from './arguments.ts';

/** Sets `workflow.*`. Throws an `OperationError` for a parameter without a value. */
export function setGlobals(op: Operation): void {
  op.globals.set(clockVariable, String(op.now));
  const { workflow, spec, globals } = op;
  const { metadata } = workflow;
  const created = timeOf(metadata.creationTimestamp) ?? op.now;
  const set = (name: string, value: string | undefined) =>
    value !== undefined && globals.set(`workflow.${name}`, value);
  set('name', op.name);
  set('namespace', op.namespace);
  set('mainEntrypoint', spec.entrypoint ?? '');
  set('serviceAccountName', spec.serviceAccountName ?? '');
  set('uid', metadata.uid ?? '');
  set('creationTimestamp', timestamp(created));
  for (const [letter, text] of timeLetters(created)) set(`creationTimestamp.${letter}`, text);
  set('creationTimestamp.s', String(Math.floor(created / 1000)));
  set('creationTimestamp.RFC3339', timestamp(created));
  set('scheduledTime', metadata.annotations?.[workflowNames.annotations.scheduledTime]);
  if (spec.priority !== undefined) set('priority', String(spec.priority));
  set('parameters', parametersJson(spec.arguments?.parameters));
  set('parameters.json', parametersJson(spec.arguments?.parameters));
  for (const parameter of spec.arguments?.parameters ?? [])
    set(`parameters.${parameter.name}`, parameterValue(op, parameter));
  for (const { name, value } of op.status.outputs?.parameters ?? [])
    if (value !== undefined) set(`outputs.parameters.${name}`, anyText(value));
  setMetadata(op, set);
  set('status', op.status.phase ?? '');
  set('duration', durationText(op));
}

function durationText({ status, now }: Operation): string {
  const started = timeOf(status.startedAt);
  return started === undefined ? '0.000000' : (((timeOf(status.finishedAt) ?? now) - started) / 1000).toFixed(6);
}

function parameterValue(op: Operation, parameter: { name: string; value?: unknown; valueFrom?: unknown }): string {
  const { name, value, valueFrom } = parameter as import('../model/types.ts').Parameter;
  if (value !== undefined) return anyText(value);
  const reference = valueFrom?.configMapKeyRef;
  if (!reference)
    throw new OperationError(
      `failed to set global parameters: either value or valueFrom must be specified in order to set global parameter ${name}`,
    );
  const found = configMapValue(op, reference.name, reference.key);
  if (found.found) return found.text;
  if (valueFrom?.default !== undefined) return anyText(valueFrom.default);
  throw new OperationError(
    `failed to set global parameters: failed to set global parameter ${name} from configmap with name ${reference.name} and key ${reference.key}: ${found.reason}`,
  );
}

function setMetadata(op: Operation, set: (name: string, value: string) => void): void {
  const { labels = {}, annotations = {} } = op.workflow.metadata;
  const wanted = op.spec.workflowMetadata;
  set('annotations', goJson(annotations));
  set('annotations.json', goJson(annotations));
  set('labels', goJson(labels));
  set('labels.json', goJson(labels));
  for (const [name, value] of Object.entries({ ...annotations, ...wanted?.annotations }))
    set(`annotations.${name}`, value);
  for (const [name, value] of Object.entries({ ...labels, ...wanted?.labels }))
    if (!wanted?.labelsFrom?.[name] || labels[name] !== undefined) set(`labels.${name}`, value);
}

/** Puts workflow variables into the spec, templates aside, which are filled in as they are used. */
export function fillSpec(op: Operation): void {
  const { templates, templateDefaults, hooks, ...rest } = op.spec;
  // what is not decided yet is filled in when the hook runs
  const settled = new Map(op.globals);
  for (const name of ['status', 'failures', 'duration']) settled.delete(`workflow.${name}`);
  op.spec = {
    ...substitute(rest, op.globals),
    ...(hooks ? { hooks: substitute(hooks, settled) } : {}),
    ...(templates ? { templates } : {}),
    ...(templateDefaults ? { templateDefaults } : {}),
  };
}

/** Labels and annotations that the workflow gives itself when it begins. Throws an `OperationError`. */
export function setOwnMetadata(op: Operation): void {
  const wanted = op.spec.workflowMetadata;
  if (!wanted) return;
  const { metadata } = op.workflow;
  const label = (name: string, value: string, source: string) => {
    if (value.length > 63 || !/^(?:[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)?$/.test(value))
      throw new OperationError(`invalid label value "${value}" for label "${name}"${source}`);
    metadata.labels = { ...metadata.labels, [name]: value };
    op.globals.set(`workflow.labels.${name}`, value);
  };
  for (const [name, value] of Object.entries(wanted.labels ?? {})) label(name, value, '');
  for (const [name, value] of Object.entries(wanted.annotations ?? {})) {
    metadata.annotations = { ...metadata.annotations, [name]: value };
    op.globals.set(`workflow.annotations.${name}`, value);
  }
  for (const [name, { expression }] of Object.entries(wanted.labelsFrom ?? {})) {
    let value: unknown;
    try {
      value = compileExpression(expression).evaluate(environmentOf(op.globals));
    } catch (error) {
      throw new OperationError(
        `failed to evaluate label "${name}" expression "${expression}": ${(error as Error).message}`,
      );
    }
    if (typeof value !== 'string')
      throw new OperationError(`failed to evaluate label "${name}" expression "${expression}": it must give a string`);
    label(name, value, ` and expression "${expression}"`);
  }
  fillSpec(op);
}
