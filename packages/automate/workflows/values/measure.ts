import { anyText } from '../model/go-text.ts';
import { isFulfilled } from '../model/phases.ts';
import { secondsBetween, timeOf } from '../model/time.ts';
import type { MetricTemplate, NodeStatus, Template } from '../model/types.ts';
import type { Operation } from '../operation/operation.ts';
import { substitute, substituteText } from '../text/substitute.ts';
import type { Value } from '../text/variables.ts';
import { whenHolds } from '../text/when.ts';

/** Emits the metrics of a template once: realtime ones when its node begins, the others when it has ended. */
export function measureEnd(op: Operation, node: NodeStatus, template: Template): void {
  const metrics = template.metrics?.prometheus ?? [];
  if (metrics.length === 0) return;
  if (!op.knownBefore.has(node.id) && !op.measured.has(`${node.id} begun`)) {
    op.measured.add(`${node.id} begun`);
    emit(op, metrics.filter(isRealtime), node);
  }
  if (!isFulfilled(node) || op.endedBefore.has(node.id) || op.measured.has(node.id)) return;
  op.measured.add(node.id);
  emit(op, metrics, node);
}

/** Emits the metrics of an attempt that another one follows; those of the last one are its retry node's. */
export function measureAttempt(op: Operation, node: NodeStatus, template: Template): void {
  if (op.measured.has(node.id)) return;
  op.measured.add(node.id);
  emit(op, template.metrics?.prometheus ?? [], node);
}

/** Emits the metrics of the workflow itself. */
export function measureWorkflow(op: Operation, node: NodeStatus | undefined, isEnd: boolean): void {
  const metrics = op.spec.metrics?.prometheus ?? [];
  emit(op, isEnd ? metrics : metrics.filter(isRealtime), node);
}

function isRealtime({ gauge }: MetricTemplate): boolean {
  return gauge?.realtime === true;
}

function emit(op: Operation, metrics: readonly MetricTemplate[], node: NodeStatus | undefined): void {
  for (const metric of metrics) {
    const problem = emitOne(op, metric, node);
    if (problem) reportProblem(op, problem);
  }
}

function emitOne(op: Operation, metric: MetricTemplate, node: NodeStatus | undefined): string | undefined {
  if (!metric.help) return `metric '${metric.name}' must contain a help string under 'help: ' field`;
  const variables = metricVariables(op, node);
  const type = metric.gauge ? 'gauge' : metric.counter ? 'counter' : metric.histogram ? 'histogram' : undefined;
  if (!type) return `metric '${metric.name}' must have gauge, counter or histogram`;
  const shared = { help: metric.help, type } as const;
  try {
    const {
      name,
      labels = [],
      when,
    } = substitute({ name: metric.name, labels: metric.labels, when: metric.when }, variables, 'refuse');
    if (!whenHolds(when ?? '')) return undefined;
    const sample = { ...shared, name, labels: Object.fromEntries(labels.map(({ key, value }) => [key, value])) };
    if (isRealtime(metric)) return emitRealtime(op, { sample, metric, node });
    const text = substituteText((metric.gauge ?? metric.counter ?? metric.histogram)?.value ?? '', variables, 'refuse');
    const value = Number(text);
    if (text.trim() === '' || Number.isNaN(value))
      return `could not construct metric '${name}': strconv.ParseFloat: parsing ${JSON.stringify(text)}: invalid syntax`;
    op.actions.push({
      kind: 'metric',
      metric: {
        ...sample,
        value,
        ...(metric.gauge?.operation ? { operation: metric.gauge.operation } : {}),
        ...(metric.histogram?.buckets ? { buckets: metric.histogram.buckets.map(Number) } : {}),
      },
    });
    return undefined;
  } catch (error) {
    return `unable to substitute parameters for metric '${metric.name}': ${(error as Error).message}`;
  }
}

interface Realtime {
  readonly sample: {
    name: string;
    help: string;
    type: 'gauge' | 'counter' | 'histogram';
    labels: Record<string, string>;
  };
  readonly metric: MetricTemplate;
  readonly node: NodeStatus | undefined;
}

function emitRealtime(op: Operation, { sample, metric, node }: Realtime): string | undefined {
  const reference = /^\{\{\s*([\w.]+)\s*\}\}$/.exec(metric.gauge?.value ?? '')?.[1];
  if (!reference) return 'real time metrics can only be used with metric variables';
  const since =
    reference === 'workflow.duration'
      ? timeOf(op.status.startedAt)
      : reference === 'duration'
        ? timeOf(node?.startedAt)
        : undefined;
  if (since === undefined) return `'${reference}' is not available as a real time metric`;
  const value = node?.finishedAt ? secondsBetween(node.startedAt, node.finishedAt) : (op.now - since) / 1000;
  const goesOn = !node?.finishedAt;
  op.actions.push({ kind: 'metric', metric: { ...sample, value, ...(goesOn ? { realtimeSince: since } : {}) } });
  return undefined;
}

function metricVariables(op: Operation, node: NodeStatus | undefined): Map<string, Value> {
  const variables = new Map<string, Value>(op.globals);
  const end = node?.finishedAt ? secondsBetween(node.startedAt, node.finishedAt) : undefined;
  const duration = end ?? (node ? (op.now - (timeOf(node.startedAt) ?? op.now)) / 1000 : 0);
  variables.set('duration', node ? duration.toFixed(6) : '0');
  variables.set('status', node?.phase ?? 'Pending');
  variables.set('resourcesDuration.cpu', '0');
  variables.set('resourcesDuration.memory', '0');
  if (!node) return variables;
  if (node.children?.length) variables.set('retries', String(node.children.length - 1));
  for (const { name, value } of node.inputs?.parameters ?? [])
    variables.set(`inputs.parameters.${name}`, value === undefined ? '' : anyText(value));
  if (node.outputs?.result !== undefined) variables.set('outputs.result', node.outputs.result);
  if (node.outputs?.exitCode !== undefined) variables.set('exitCode', node.outputs.exitCode);
  for (const { name, value } of node.outputs?.parameters ?? [])
    variables.set(`outputs.parameters.${name}`, value === undefined ? '' : anyText(value));
  for (const [name, seconds] of Object.entries(node.resourcesDuration ?? {}))
    variables.set(`resourcesDuration.${name}`, String(seconds));
  return variables;
}

function reportProblem(op: Operation, message: string): void {
  op.status.conditions ??= [];
  const existing = op.status.conditions.find(({ type }) => type === 'MetricsError');
  if (!existing) op.status.conditions.push({ status: 'True', type: 'MetricsError', message });
  else if (!existing.message?.includes(message)) existing.message = `${existing.message}, ${message}`;
}
