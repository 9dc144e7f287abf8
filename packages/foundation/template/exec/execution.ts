import { goQuote } from '@tiphys/go';
import { activate } from '../bounds/active-budget.ts';
import { type Budget, LimitError } from '../bounds/budget.ts';
import { TemplateError, type TemplateErrorKind, type TemplateErrorPlace } from '../failure/template-error.ts';
import { formatNode, type PlacedNode } from '../parse/node.ts';
import type { Tree } from '../parse/tree.ts';
import type { CallRoute, Recorder } from '../recorder/recorder.ts';
import { byteLength } from '../text/bytes.ts';
import type { Tracer } from '../trace/tracer.ts';
import type { CallContext, CallSite } from '../value/call-context.ts';
import { FunctionError, type FunctionMap } from '../value/function-spec.ts';
import type { TemplateSet } from '../value/template-set.ts';
import type { CallTrace } from '../value/trace/call-trace.ts';
import type { Value } from '../value/value.ts';
import { type CallPoint, callRoute, type Round } from './call-route.ts';
import { type Body, compiled } from './compile.ts';
import type { MissingKey } from './execute-options.ts';

/** The state of one execution: what Go keeps in `state`, for all templates that run inside it. */
export class Execution implements CallContext {
  set: TemplateSet;
  readonly functions: FunctionMap;
  readonly budget: Budget;
  readonly recorder: Recorder;
  readonly host: unknown;
  readonly missingKey: MissingKey;
  readonly tracer: Tracer | undefined;
  /** Output of the template that is being executed. */
  out = '';
  /** Variables of the running template by slot. */
  vars: Value[] = [];
  /** Last node that was looked at: where an error is. */
  node: PlacedNode | undefined;
  tree: Tree | undefined;
  depth = 0;
  /** The call that is under way, for its site. */
  callNode: PlacedNode | undefined;
  callName = '';
  /** Where the running templates were included, outermost first. */
  readonly callers: CallPoint[] = [];
  /** The rounds of the loops that are under way, outermost first. */
  readonly rounds: Round[] = [];
  /** What the argument of `call` looks like. */
  callee = '';
  /** `fail`, to be handed on. */
  readonly refuse = (words: string): never => this.fail(words);

  constructor(options: {
    set: TemplateSet;
    functions: FunctionMap;
    budget: Budget;
    recorder: Recorder;
    host: unknown;
    missingKey: MissingKey;
    tracer: Tracer | undefined;
  }) {
    this.set = options.set;
    this.functions = options.functions;
    this.budget = options.budget;
    this.recorder = options.recorder;
    this.host = options.host;
    this.missingKey = options.missingKey;
    this.tracer = options.tracer;
  }

  get trace(): CallTrace | undefined {
    return this.tracer;
  }

  site(): CallSite {
    const { template, line, column } = this.place(this.callNode);
    return { template, line, column, name: this.callName };
  }

  route(): CallRoute {
    const { tree, callNode } = this;
    return callRoute(this.callers, tree && { tree, at: callNode?.pos ?? 0 }, this.rounds);
  }

  /** Place of a node of the running template, without its text. */
  place(node: PlacedNode | undefined = this.node): TemplateErrorPlace & { readonly column: number } {
    const { tree } = this;
    if (!tree) return { template: '', line: 0, column: 0 };
    const before = tree.text.slice(0, node?.pos ?? 0);
    const lineStart = before.lastIndexOf('\n') + 1;
    let line = 1;
    for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) line++;
    return { template: tree.parseName, line, column: byteLength(before.slice(lineStart)) };
  }

  writeText(text: string): void {
    this.budget.write(text.length);
    this.out += text;
    this.tracer?.text(this, text.length);
  }

  /** Writes the text of a value. */
  writeValue(text: string, value: Value): void {
    this.budget.write(text.length);
    this.out += text;
    this.tracer?.value(this, text.length, value);
  }

  /** Sets a variable to the value that was evaluated last. */
  setVariable(slot: number, value: Value): void {
    this.vars[slot] = value;
    this.tracer?.setVariable(slot);
  }

  /** Ends the execution with an error at the current node. */
  fail(detail: string, inner?: unknown, kind: TemplateErrorKind = 'execution'): never {
    const name = this.tree?.name ?? '';
    if (!this.tree || !this.node) {
      throw new TemplateError(kind, `template: ${name}: ${detail}`, detail, { template: name, line: 0 }, inner);
    }
    const { template, line, column } = this.place();
    const expression = formatNode(this.node);
    const message = `template: ${template}:${line}:${column}: executing ${goQuote(name)} at <${expression}>: ${detail}`;
    throw new TemplateError(kind, message, detail, { template, line, column, expression }, inner);
  }

  /** Turns what a function threw into the error of the call at the node. */
  failCall(node: PlacedNode, name: string, error: unknown): never {
    if (error instanceof FunctionError) {
      this.node = node;
      this.fail(`error calling ${name}: ${error.message}`, error.inner ?? error);
    }
    if (error instanceof TemplateError && error.kind !== 'limit' && error.kind !== 'cancelled') {
      this.node = node;
      this.fail(`error calling ${name}: ${error.goMessage}`, error);
    }
    throw this.bounded(error);
  }

  /** An exceeded limit or stack as an error with its place; any other error as it is. */
  bounded(error: unknown): unknown {
    if (error instanceof LimitError) {
      return this.#limit(error.limit === 'cancelled' ? 'cancelled' : 'limit', error.message, error);
    }
    if (error instanceof RangeError && error.message.includes('call stack')) {
      return this.#limit('limit', 'templates are nested too deeply for the stack', error);
    }
    return error;
  }

  #limit(kind: TemplateErrorKind, message: string, cause: unknown): unknown {
    try {
      return this.fail(message, cause, kind);
    } catch (error) {
      return error;
    }
  }

  /** Runs a template's body with its own variables; the caller has checked that the template exists. */
  run(tree: Tree, dot: Value): void {
    const body: Body = compiled(tree, this.tracer !== undefined);
    const { vars, node, tree: caller } = this;
    if (caller) this.callers.push({ tree: caller, at: node?.pos ?? 0 });
    if (++this.depth > this.budget.limits.depth) throw new LimitError('depth', this.budget.limits.depth);
    this.tree = tree;
    this.node = tree.root;
    const frame: Value[] = new Array(body.slots).fill(undefined);
    frame[0] = dot;
    this.vars = frame;
    const outer = this.tracer?.enterTemplate();
    body.execute(this, dot);
    if (outer) this.tracer?.leaveTemplate(outer);
    this.depth--;
    if (caller) this.callers.pop();
    this.vars = vars;
    this.node = node;
    this.tree = caller;
  }

  executeTemplate(name: string, data: Value, set: TemplateSet = this.set): string {
    const tree = set.lookup(name);
    if (!tree) {
      throw new FunctionError(
        `template: no template ${goQuote(name)} associated with template ${goQuote(this.tree?.name ?? '')}`,
      );
    }
    const before = activate(this.budget);
    const { out, set: outer, node, tree: caller, vars, depth, callName, callNode } = this;
    const [callers, rounds] = [this.callers.length, this.rounds.length];
    const outerTrace = this.tracer?.begin(this, data);
    this.out = '';
    this.set = set;
    try {
      this.run(tree, data ?? undefined);
      return this.out;
    } catch (error) {
      throw this.bounded(error);
    } finally {
      if (outerTrace) this.tracer?.end(outerTrace, this.out);
      activate(before);
      this.out = out;
      this.set = outer;
      this.node = node;
      this.tree = caller;
      this.vars = vars;
      this.depth = depth;
      this.callers.length = callers;
      this.rounds.length = rounds;
      this.callName = callName;
      this.callNode = callNode;
    }
  }
}
