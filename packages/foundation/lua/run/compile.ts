import { isMulti, isName, nameOf } from '../syntax/expressions.ts';
import { LuaSyntaxError } from '../syntax/syntax-error.ts';
import type { Expression, FunctionBody, LocalVariable, Statement } from '../syntax/tree.ts';
import { CodeBuffer } from './code-buffer.ts';
import { binaryOperations, operations as op } from './operations.ts';
import type { Prototype } from './value.ts';

/** The instructions of a function and those inside it. Throws `LuaSyntaxError` for a goto without its label, and for what is too deep. */
export function compileFunction(body: FunctionBody): Prototype {
  try {
    return new Compiler(body).compile();
  } catch (error) {
    // operators, fields and calls in a row nest to the left: the parser reads them without end, what compiles them goes down
    if (error instanceof RangeError) throw new LuaSyntaxError('chunk has too many syntax levels', 1, '');
    throw error;
  }
}

interface Label {
  readonly name: string;
  readonly at: number;
}

/** The labels of a block and the jumps out of it that wait for theirs. */
interface BlockLabels {
  readonly labels: Label[];
  waiting: { readonly name: string; readonly at: number; readonly line: number }[];
}

class Compiler {
  readonly #function: FunctionBody;
  readonly #code = new CodeBuffer();
  readonly #prototypes: Prototype[] = [];
  readonly #callNames = new Map<number, string>();
  #breaks: number[] = [];
  #blocks: BlockLabels[] = [];

  constructor(body: FunctionBody) {
    this.#function = body;
  }

  compile(): Prototype {
    const { name, line, parameters, variadic, captures, slots, body } = this.#function;
    this.#block(body);
    this.#code.emit(op.return, 0);
    return {
      name,
      line,
      ...this.#code.finish(),
      prototypes: this.#prototypes,
      slots,
      parameters: parameters.length,
      shared: parameters.filter(({ captured }) => captured).map(({ slot }) => slot),
      variadic,
      captures: captures.map(({ from }) => (typeof from === 'number' ? -1 - from : from.slot)),
      callNames: this.#callNames,
    };
  }

  #block(statements: readonly Statement[]): void {
    this.#inBlock(() => {
      for (const statement of statements) this.#statement(statement);
    });
  }

  /** Jumps that found no label here wait for one around. */
  #inBlock(compile: () => void): void {
    const block: BlockLabels = { labels: [], waiting: [] };
    this.#blocks.push(block);
    compile();
    this.#blocks.pop();
    const outer = this.#blocks.at(-1);
    for (const jump of block.waiting) {
      const label = block.labels.find(({ name }) => name === jump.name);
      if (label) this.#code.aim(jump.at, label.at);
      else if (outer) outer.waiting.push(jump);
      else throw new LuaSyntaxError(`no label ${jump.name} for goto`, jump.line, jump.name);
    }
  }

  #statement(statement: Statement): void {
    this.#code.line = statement.line;
    switch (statement.kind) {
      case 'declare':
        this.#values(statement.values, statement.variables.length);
        for (const variable of statement.variables.toReversed()) this.#declare(variable);
        return;
      case 'declare function':
        // Its cell has to be there before the function takes it.
        this.#code.emit(op.constant, this.#code.constant(undefined));
        this.#declare(statement.variable);
        this.#closure(statement.body);
        this.#code.emit(statement.variable.captured ? op.setCell : op.setLocal, statement.variable.slot);
        return;
      case 'assign':
        this.#assign(statement.targets, statement.values);
        return;
      case 'evaluate':
        this.#expression(statement.call, 0);
        return;
      case 'block':
        this.#block(statement.body);
        return;
      case 'while':
        this.#while(statement);
        return;
      case 'repeat':
        this.#repeat(statement);
        return;
      case 'if':
        this.#if(statement);
        return;
      case 'count':
        this.#count(statement);
        return;
      case 'iterate':
        this.#iterate(statement);
        return;
      case 'return':
        this.#return(statement.values);
        return;
      case 'break':
        this.#breaks.push(this.#code.emit(op.jump));
        return;
      case 'goto':
        this.#blocks
          .at(-1)
          ?.waiting.push({ name: statement.label, at: this.#code.emit(op.jump), line: statement.line });
        return;
      case 'label': {
        const labels = this.#blocks.at(-1)?.labels ?? [];
        if (labels.some(({ name }) => name === statement.label))
          throw new LuaSyntaxError(`label ${statement.label} is there twice`, statement.line, statement.label);
        labels.push({ name: statement.label, at: this.#code.here() });
      }
    }
  }

  #declare(variable: LocalVariable): void {
    this.#code.emit(variable.captured ? op.newCell : op.setLocal, variable.slot);
  }

  #assign(targets: readonly Expression[], values: readonly Expression[]): void {
    const [only] = targets;
    if (targets.length === 1 && only) {
      this.#prepare(only);
      this.#values(values, 1);
      this.#store(only);
      return;
    }
    for (const target of targets) this.#prepare(target, true);
    this.#values(values, targets.length);
    // Objects and keys lie below the values, in the order of the targets.
    let below = targets.filter(({ kind }) => kind === 'index').length;
    const indexed = below;
    for (let i = targets.length - 1; i >= 0; i--) {
      const target = targets[i] as Expression;
      if (target.kind === 'index') {
        below--;
        this.#code.line = target.line;
        this.#code.emit(op.setIndexAt, 2 * (indexed - below) + i);
      } else this.#store(target);
    }
    if (indexed > 0) this.#code.emit(op.pop, 2 * indexed);
  }

  #prepare(target: Expression, whole = false): void {
    if (target.kind !== 'index') return;
    this.#expression(target.object);
    if (whole || !isName(target.key)) this.#expression(target.key);
  }

  #store(target: Expression): void {
    this.#code.line = target.line;
    if (target.kind === 'local')
      this.#code.emit(target.variable.captured ? op.setCell : op.setLocal, target.variable.slot);
    else if (target.kind === 'captured') this.#code.emit(op.setCaptured, target.index);
    else if (target.kind === 'global') this.#code.emit(op.setGlobal, this.#code.constant(target.name));
    else if (target.kind === 'index' && isName(target.key))
      this.#code.emit(op.setField, this.#code.constant(target.key.value));
    else this.#code.emit(op.setIndex);
  }

  #while({ condition, body }: Statement & { kind: 'while' }): void {
    const start = this.#code.here();
    this.#expression(condition);
    const exit = this.#code.emit(op.jumpIfFalse);
    this.#loop(() => {
      this.#block(body);
      this.#code.emit(op.jump, start);
      this.#code.land(exit);
    });
  }

  #repeat({ condition, body }: Statement & { kind: 'repeat' }): void {
    const start = this.#code.here();
    this.#loop(() => {
      this.#inBlock(() => {
        for (const statement of body) this.#statement(statement);
        this.#expression(condition);
        this.#code.emit(op.jumpIfFalse, start);
      });
    });
  }

  #if({ branches, otherwise }: Statement & { kind: 'if' }): void {
    const exits: number[] = [];
    for (const { condition, body } of branches) {
      this.#expression(condition);
      const next = this.#code.emit(op.jumpIfFalse);
      this.#block(body);
      exits.push(this.#code.emit(op.jump));
      this.#code.land(next);
    }
    this.#block(otherwise);
    for (const exit of exits) this.#code.land(exit);
  }

  #count({ variable, state, bounds, body }: Statement & { kind: 'count' }): void {
    for (const bound of bounds) this.#expression(bound);
    if (bounds.length === 2) this.#code.emit(op.constant, this.#code.constant(1));
    const skip = this.#code.emit(op.countStart, state);
    const start = this.#code.here();
    this.#declare(variable);
    this.#loop(() => {
      this.#block(body);
      this.#code.emit(op.countNext, state, start);
      this.#code.land(skip, 2);
    });
  }

  #iterate({ variables, state, values, body, line }: Statement & { kind: 'iterate' }): void {
    this.#values(values, 3);
    for (const slot of [state + 2, state + 1, state]) this.#code.emit(op.setLocal, slot);
    const start = this.#code.here();
    this.#code.line = line;
    this.#callNames.set(this.#code.emit(op.iterate, state, variables.length), '(for iterator)');
    for (const variable of variables.slice(1).toReversed()) this.#declare(variable);
    const exit = this.#code.emit(op.iterateTest, state);
    this.#declare(variables[0] as LocalVariable);
    this.#loop(() => {
      this.#block(body);
      this.#code.emit(op.jump, start);
      this.#code.land(exit, 2);
    });
  }

  /** The breaks inside lead to what comes after it. */
  #loop(compile: () => void): void {
    const outer = this.#breaks;
    this.#breaks = [];
    compile();
    for (const at of this.#breaks) this.#code.land(at);
    this.#breaks = outer;
  }

  #return(values: readonly Expression[]): void {
    const [only] = values;
    if (values.length === 1 && (only?.kind === 'call' || only?.kind === 'method')) {
      this.#call(only, 'tail');
      return;
    }
    const spread = this.#list(values);
    this.#code.emit(spread ? op.returnSpread : op.return, values.length);
  }

  /** Pushes exactly so many values. */
  #values(values: readonly Expression[], wanted: number): void {
    for (const [i, value] of values.entries()) {
      const last = i === values.length - 1;
      if (last && isMulti(value) && wanted > i) {
        this.#expression(value, wanted - i);
        return;
      }
      if (i < wanted) this.#expression(value);
      else if (isMulti(value)) this.#expression(value, 0);
      else {
        this.#expression(value);
        this.#code.emit(op.pop, 1);
      }
    }
    for (let i = values.length; i < wanted; i++) this.#code.emit(op.constant, this.#code.constant(undefined));
  }

  /** Pushes each value; the last one as a pack, if it can be several: then the result is true. */
  #list(values: readonly Expression[]): boolean {
    for (const [i, value] of values.entries()) {
      const spread = i === values.length - 1 && isMulti(value);
      this.#expression(value, spread ? -1 : 1);
      if (spread) return true;
    }
    return false;
  }

  /** Pushes the value; of calls and `...` so many (0: none, below 0: all as one pack). */
  #expression(expression: Expression, wanted = 1): void {
    this.#code.line = expression.line;
    switch (expression.kind) {
      case 'constant':
        this.#code.emit(op.constant, this.#code.constant(expression.value));
        return;
      case 'varargs':
        this.#code.emit(op.varargs, wanted);
        return;
      case 'function':
        this.#closure(expression.body);
        return;
      case 'local':
        this.#code.emit(expression.variable.captured ? op.cell : op.local, expression.variable.slot);
        return;
      case 'captured':
        this.#code.emit(op.captured, expression.index);
        return;
      case 'global':
        this.#code.emit(op.global, this.#code.constant(expression.name));
        return;
      case 'index':
        this.#index(expression);
        return;
      case 'call':
      case 'method':
        this.#call(expression, wanted);
        return;
      case 'parenthesis':
        this.#expression(expression.inner);
        return;
      case 'and':
      case 'or': {
        this.#expression(expression.left);
        const decided = this.#code.emit(expression.kind === 'and' ? op.and : op.or);
        this.#expression(expression.right);
        this.#code.land(decided);
        return;
      }
      case 'binary':
        this.#binary(expression);
        return;
      case 'unary':
        this.#expression(expression.operand);
        this.#code.line = expression.line;
        this.#code.emit({ not: op.not, '-': op.negate, '#': op.length }[expression.operator]);
        return;
      case 'table':
        this.#table(expression);
        return;
    }
  }

  #index({ object, key, line }: Expression & { kind: 'index' }): void {
    this.#expression(object);
    if (isName(key)) {
      this.#code.line = line;
      this.#code.emit(op.field, this.#code.constant(key.value));
      return;
    }
    this.#expression(key);
    this.#code.line = line;
    this.#code.emit(op.index);
  }

  #call(call: Expression & { kind: 'call' | 'method' }, wanted: number | 'tail'): void {
    let extra = 0;
    if (call.kind === 'method') {
      this.#expression(call.object);
      this.#code.line = call.line;
      this.#code.emit(op.method, this.#code.constant(call.name));
      extra = 1;
    } else this.#expression(call.callee);
    const spread = this.#list(call.values);
    this.#code.line = call.line;
    const count = call.values.length + extra;
    const at =
      wanted === 'tail'
        ? this.#code.emit(spread ? op.tailCallSpread : op.tailCall, count, -1)
        : this.#code.emit(spread ? op.callSpread : op.call, count, wanted);
    this.#callNames.set(at, nameOf(call));
    // Where the callee is a builtin, its results are there and have to be returned.
    if (wanted === 'tail') this.#code.emit(op.returnSpread, 1);
  }

  #binary({ operator, left, right, line }: Expression & { kind: 'binary' }): void {
    if (operator === '..') {
      const parts = [left];
      for (let rest = right; ; ) {
        if (rest.kind !== 'binary' || rest.operator !== '..') {
          parts.push(rest);
          break;
        }
        parts.push(rest.left);
        rest = rest.right;
      }
      for (const part of parts) this.#expression(part);
      this.#code.line = line;
      this.#code.emit(op.concat, parts.length);
      return;
    }
    this.#expression(left);
    this.#expression(right);
    this.#code.line = line;
    this.#code.emit(binaryOperations[operator] as number);
  }

  #table({ items, fields }: Expression & { kind: 'table' }): void {
    this.#code.emit(op.table);
    let next = 0;
    const itemsUpTo = (end: number) => {
      for (; next < end; next++) {
        const item = items[next] as Expression;
        const spread = next === items.length - 1 && isMulti(item);
        this.#expression(item, spread ? -1 : 1);
        this.#code.emit(spread ? op.setItems : op.setItem, next + 1);
      }
    };
    for (const { key, value, before } of fields) {
      itemsUpTo(before);
      this.#expression(key);
      this.#expression(value);
      this.#code.emit(op.setEntry);
    }
    itemsUpTo(items.length);
  }

  #closure(body: FunctionBody): void {
    this.#code.emit(op.closure, this.#prototypes.push(compileFunction(body)) - 1);
  }
}
