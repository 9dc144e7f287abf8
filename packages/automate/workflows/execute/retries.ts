import { goDurationOrSeconds } from '@tiphys/go';
import { humanDuration } from '../model/duration.ts';
import { isEnded, isFailedOrError, isFulfilled } from '../model/phases.ts';
import { isPodTemplate } from '../model/template-type.ts';
import { secondsBetween, timeOf } from '../model/time.ts';
import type { NodeStatus, RetryStrategy, Template } from '../model/types.ts';
import { halted, type Outcome } from '../operation/halt.ts';
import { addChild, attemptsOf, initTemplateNode, markError, markPhase } from '../operation/nodes.ts';
import type { Operation } from '../operation/operation.ts';
import { releaseLocks } from '../operation/synchronize.ts';
import { expressionHolds } from '../text/expression.ts';
import type { Variables } from '../text/variables.ts';
import { substituteParameters } from '../values/arguments.ts';
import { measureAttempt, measureEnd } from '../values/measure.ts';
import type { Work } from './call.ts';
import { executeTemplate, failNode, freshNode, podNameOf, rethrowForeign } from './execute-template.ts';
import { runWork } from './run-work.ts';
import { isTransientMessage } from './transient.ts';

/** The retry strategy of a template, or the workflow's. */
export function retryStrategyOf(op: Operation, template: Template): RetryStrategy | undefined {
  return template.retryStrategy ?? op.spec.retryStrategy;
}

/**
 * Runs a template as attempts, which are children of one Retry node. A finished attempt either decides the node or is followed by
 * another, perhaps after a while.
 */
export function runWithRetries(op: Operation, work: Work): Outcome {
  const strategy = retryStrategyOf(op, work.template) as RetryStrategy;
  const parent =
    op.node(work.nodeName) ??
    initTemplateNode(op, work.template, { ...freshNode(work, 'Running'), type: 'Retry', awaitsResult: false });
  if (parent.phase === 'Pending') markPhase(op, parent, 'Running');
  let verdict: Verdict;
  try {
    verdict = judge(op, parent, strategy);
  } catch (error) {
    rethrowForeign(error);
    const { message } = error as Error;
    return { node: markError(op, parent, message), halt: halted(message) };
  }
  if (verdict.kind === 'wait') return { node: parent };
  if (verdict.kind === 'decided') return decided(op, parent, work);
  return attempt(op, parent, work, verdict.deadline);
}

type Verdict =
  | { readonly kind: 'attempt'; readonly deadline?: number | undefined }
  | { readonly kind: 'wait' }
  | { readonly kind: 'decided' };

const go: Verdict = { kind: 'attempt' };
const settled: Verdict = { kind: 'decided' };

/** What follows from the attempts so far. */
function judge(op: Operation, parent: NodeStatus, strategy: RetryStrategy): Verdict {
  if (isEnded(parent)) return settled;
  const attempts = attemptsOf(op, parent);
  const last = attempts.at(-1);
  if (!last) return go;
  if (last.daemoned) parent.daemoned = true;
  if (!isEnded(last)) {
    if (last.daemoned && last.phase) markPhase(op, parent, last.phase);
    return go;
  }
  if (!isFailedOrError(last.phase)) {
    if (last.outputs) parent.outputs = structuredClone(last.outputs);
    markPhase(op, parent, 'Succeeded');
    return settled;
  }
  const decide = (message: string | undefined) => {
    markPhase(op, parent, last.phase ?? 'Failed', message ?? '');
    return settled;
  };
  if (op.shutdown) return decide(`Stopped with strategy '${op.shutdown}'`);
  if (op.deadline !== undefined && op.now > op.deadline)
    return decide(`retry exceeded workflow deadline ${new Date(op.deadline).toISOString()}`);
  const pause = backoff(op, strategy, attempts);
  if (pause.message !== undefined) return decide(pause.message);
  const refusal = refusalOf(op, strategy, last);
  if (refusal) return decide(last.message ? `${last.message} (not tried again: ${refusal})` : refusal);
  const limit = limitOf(strategy);
  if (limit !== undefined && attempts.length > limit) return decide('No more retries left');
  if (strategy.expression && !expressionHolds(strategy.expression, lastRetry(attempts)))
    return decide(`retryStrategy.expression evaluated to false${valuesIn(strategy.expression, lastRetry(attempts))}`);
  if (pause.wait !== undefined) {
    op.requeueAfter(pause.wait);
    parent.message = `Backoff for ${humanDuration(pause.length ?? 0)}`;
    return { kind: 'wait' };
  }
  if (strategy.backoff) delete parent.message;
  return { kind: 'attempt', deadline: pause.deadline };
}

interface Backoff {
  /** Milliseconds until the next attempt may begin. */
  readonly wait?: number;
  readonly length?: number;
  /** When attempts must have ended. */
  readonly deadline?: number;
  /** Why there is no further attempt. */
  readonly message?: string;
}

function backoff(op: Operation, { backoff: settings }: RetryStrategy, attempts: readonly NodeStatus[]): Backoff {
  if (!settings) return {};
  const first = timeOf(attempts[0]?.startedAt) ?? op.now;
  const longest = settings.maxDuration ? milliseconds(settings.maxDuration) : undefined;
  const deadline = longest === undefined ? undefined : first + longest;
  if (deadline !== undefined && op.now > deadline) return { message: 'Max duration limit exceeded' };
  if (!settings.duration) throw new RetryError('no base duration specified for retryStrategy');
  const factor = settings.factor === undefined ? 0 : wholeNumber(settings.factor);
  const base = milliseconds(settings.duration);
  const grown = factor > 0 ? base * factor ** (attempts.length - 1) : base;
  const length = Math.min(grown, settings.cap ? milliseconds(settings.cap) : Number.POSITIVE_INFINITY, 2 ** 53);
  const ready = (timeOf(attempts.at(-1)?.finishedAt) ?? op.now) + length;
  if (deadline !== undefined && ready > deadline) return { message: 'Backoff would exceed max duration limit' };
  const limits = deadline === undefined ? {} : { deadline };
  return op.now < ready ? { wait: ready - op.now, length, ...limits } : limits;
}

class RetryError extends Error {
  override name = 'OperationError';
}

function milliseconds(text: string): number {
  const value = goDurationOrSeconds(text);
  if (value === undefined) throw new RetryError(`unable to parse ${text} as a duration`);
  return value;
}

function wholeNumber(value: number | string): number {
  const number = Number(value);
  if (!Number.isInteger(number)) throw new RetryError(`value '${value}' cannot be resolved to an int`);
  return number;
}

function limitOf({ limit }: RetryStrategy): number | undefined {
  return limit === undefined ? undefined : wholeNumber(limit);
}

/** Which rule forbids another attempt after one that ended like this; undefined if the policy allows it. */
function refusalOf(op: Operation, strategy: RetryStrategy, last: NodeStatus): string | undefined {
  const policy = strategy.retryPolicy || (strategy.expression ? 'Always' : 'OnFailure');
  const word = strategy.retryPolicy ? `retryPolicy ${policy}` : `retryPolicy ${policy}, which is the default,`;
  switch (policy) {
    case 'Always':
      return undefined;
    case 'OnError':
      return last.phase === 'Error' ? undefined : `${word} is for nodes in Error, this one is ${last.phase}`;
    case 'OnFailure':
      return last.phase === 'Failed' ? undefined : `${word} is for Failed nodes, this one is in ${last.phase}`;
    case 'OnTransientError':
      if (isTransientMessage(last.message ?? '', op.facts.settings.transientErrorPattern)) return undefined;
      return `${word} is for transient errors, this is none; TRANSIENT_ERROR_PATTERN of the controller can name others`;
    default:
      throw new RetryError(`${String(policy)} is not a valid RetryPolicy`);
  }
}

/** The values that an expression looked at, each cut to what a message can hold. */
function valuesIn(expression: string, variables: Variables): string {
  const seen = [...variables].filter(([name]) => expression.includes(name));
  const texts = seen.map(([name, value]) => `${name} is ${JSON.stringify(String(value).slice(0, 200))}`);
  return texts.length > 0 ? `: ${texts.join(', ')}` : '';
}

/** `lastRetry.*` and `retries` as a retry's expression sees them: of the attempt that has just ended. */
function lastRetry(attempts: readonly NodeStatus[]): Variables {
  const last = attempts.at(-1);
  return new Map([
    ['retries', String(attempts.length - 1)],
    ['lastRetry.exitCode', last?.outputs?.exitCode ?? '-1'],
    ['lastRetry.status', last?.phase ?? ''],
    ['lastRetry.duration', String(last ? secondsBetween(last.startedAt, last.finishedAt) : 0)],
    ['lastRetry.message', last?.message ?? ''],
  ]);
}

function decided(op: Operation, parent: NodeStatus, { template }: Work): Outcome {
  const last = attemptsOf(op, parent).at(-1);
  if (last?.outputs) parent.outputs = structuredClone(last.outputs);
  measureEnd(op, parent, template);
  releaseLocks(op, template.synchronization, parent.id);
  return { node: parent };
}

function attempt(op: Operation, parent: NodeStatus, work: Work, deadline: number | undefined): Outcome {
  const attempts = attemptsOf(op, parent);
  const last = attempts.at(-1);
  const goesOn = last !== undefined && !isEnded(last);
  const number = goesOn ? attempts.length - 1 : attempts.length;
  const nodeName = goesOn ? last.name : `${work.nodeName}(${number})`;
  const child: Work = { ...work, nodeName, flag: { ...work.flag, retried: true }, deadline: deadline ?? work.deadline };
  addChild(parent, op.idOf(nodeName));
  let template: Template;
  try {
    template = substituteParameters(op, work.template, attemptLocals(op, { work, nodeName, number, last }));
  } catch (error) {
    rethrowForeign(error);
    const { message } = error as Error;
    return { node: failNode(op, child, message), halt: halted(message) };
  }
  const outcome = runWork(op, { ...child, template });
  const node = op.node(nodeName);
  if (last && !goesOn && node) measureAttempt(op, last, work.template);
  if (outcome.halt?.kind === 'error' && node) markError(op, node, outcome.halt.message);
  // a parallelism limit can keep the attempt from being made
  if (!node) parent.children = (parent.children ?? []).filter((id) => id !== op.idOf(nodeName));
  if (node && isEnded(node)) return executeTemplate(op, work);
  if (node?.daemoned && !isEnded(node)) {
    parent.daemoned = true;
    if (node.phase) markPhase(op, parent, node.phase);
  }
  if (isFulfilled(parent)) releaseLocks(op, work.template.synchronization, parent.id);
  return { node: parent, halt: outcome.halt?.kind === 'error' ? undefined : outcome.halt };
}

interface Attempt {
  readonly work: Work;
  readonly nodeName: string;
  readonly number: number;
  readonly last: NodeStatus | undefined;
}

function attemptLocals(op: Operation, { work, nodeName, number, last }: Attempt): Map<string, string> {
  const locals = new Map([
    ['retries', String(number)],
    ['lastRetry.exitCode', last?.outputs?.exitCode ?? '0'],
    ['lastRetry.duration', String(last ? secondsBetween(last.startedAt, last.finishedAt) : 0)],
    ['lastRetry.status', last?.phase ?? ''],
    ['lastRetry.message', last?.message ?? ''],
  ]);
  if (isPodTemplate(work.template)) locals.set('pod.name', podNameOf(op, nodeName, work.template));
  return locals;
}
