import { LuaSyntaxError } from '../syntax/syntax-error.ts';
import type { Expression, FunctionBody, LocalVariable, Statement } from '../syntax/tree.ts';
import { operations as op } from './operations.ts';
import type { LuaValue, Prototype } from './value.ts';

/** The instructions of a function and those inside it. Throws `LuaSyntaxError` for a goto without its label. */
export function compileFunction(body: FunctionBody): Prototype {
  return new Compiler(body).compile();
}

const binaryOperations: Readonly<Record<string, number>> = {
  '+': op.add,
  '-': op.subtract,
  '*': op.multiply,
  '/': op.divide,
  '%': op.modulo,
  '^': op.power,
  '==': op.equal,
  '~=': op.notEqual,
  '<': op.less,
  '<=': op.lessOrEqual,
  '>': op.greater,
  '>=': op.greaterOrEqual,
};

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
  readonly #code: number[] = [];
  readonly #lines: number[] = [];
  readonly #constants: LuaValue[] = [];
  readonly #places = new Map<LuaValue, number>();
  readonly #prototypes: Prototype[] = [];
  readonly #callNames = new Map<number, string>();
  #breaks: number[] = [];
  #blocks: BlockLabels[] = [];
  #line = 0;

  constructor(body: FunctionBody) {
    this.#function = body;
  }

  compile(): Prototype {
    const { name, line, parameters, variadic, captures, slots, body } = this.#function;
    this.#block(body);
    this.#emit(op.return, 0);
    return {
      name,
      line,
      code: Int32Array.from(this.#code),
      lines: Int32Array.from(this.#lines),
      constants: this.#constants,
      prototypes: this.#prototypes,
      slots,
      parameters: parameters.length,
      shared: parameters.filter(({ captured }) => captured).map(({ slot }) => slot),
      variadic,
      captures: captures.map(({ from }) => (typeof from === 'number' ? -1 - from : from.slot)),
      callNames: this.#callNames,
    };
  }

  #emit(operation: number, a = 0, b = 0): number {
    this.#lines.push(this.#line);
    return this.#code.push(operation, a, b) - 3;
  }

  #here(): number {
    return this.#code.length;
  }

  /** Lets the jump at a place lead here; `operand` 1 is a, 2 is b. */
  #land(at: number, operand = 1): void {
    this.#code[at + operand] = this.#here();
  }

  #constant(value: LuaValue): number {
    // -0 and 0 are one key of a map, and two constants.
    if (Object.is(value, -0)) return this.#constants.push(value) - 1;
    let place = this.#places.get(value);
    if (place === undefined) {
      place = this.#constants.push(value) - 1;
      this.#places.set(value, place);
    }
    return place;
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
      if (label) this.#code[jump.at + 1] = label.at;
      else if (outer) outer.waiting.push(jump);
      else throw new LuaSyntaxError(`no label ${jump.name} for goto`, jump.line, jump.name);
    }
  }

  #statement(statement: Statement): void {
    this.#line = statement.line;
    switch (statement.kind) {
      case 'declare':
        this.#values(statement.values, statement.variables.length);
        for (const variable of statement.variables.toReversed()) this.#declare(variable);
        return;
      case 'declare function':
        // Its cell has to be there before the function takes it.
        this.#emit(op.constant, this.#constant(undefined));
        this.#declare(statement.variable);
        this.#closure(statement.body);
        this.#emit(statement.variable.captured ? op.setCell : op.setLocal, statement.variable.slot);
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
        this.#breaks.push(this.#emit(op.jump));
        return;
      case 'goto':
        this.#blocks.at(-1)?.waiting.push({ name: statement.label, at: this.#emit(op.jump), line: statement.line });
        return;
      case 'label': {
        const labels = this.#blocks.at(-1)?.labels ?? [];
        if (labels.some(({ name }) => name === statement.label))
          throw new LuaSyntaxError(`label ${statement.label} is there twice`, statement.line, statement.label);
        labels.push({ name: statement.label, at: this.#here() });
      }
    }
  }

  #declare(variable: LocalVariable): void {
    this.#emit(variable.captured ? op.newCell : op.setLocal, variable.slot);
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
        this.#line = target.line;
        this.#emit(op.setIndexAt, 2 * (indexed - below) + i);
      } else this.#store(target);
    }
    if (indexed > 0) this.#emit(op.pop, 2 * indexed);
  }

  #prepare(target: Expression, whole = false): void {
    if (target.kind !== 'index') return;
    this.#expression(target.object);
    if (whole || !isName(target.key)) this.#expression(target.key);
  }

  #store(target: Expression): void {
    this.#line = target.line;
    if (target.kind === 'local') this.#emit(target.variable.captured ? op.setCell : op.setLocal, target.variable.slot);
    else if (target.kind === 'captured') this.#emit(op.setCaptured, target.index);
    else if (target.kind === 'global') this.#emit(op.setGlobal, this.#constant(target.name));
    else if (target.kind === 'index' && isName(target.key)) this.#emit(op.setField, this.#constant(target.key.value));
    else this.#emit(op.setIndex);
  }

  #while({ condition, body }: Statement & { kind: 'while' }): void {
    const start = this.#here();
    this.#expression(condition);
    const exit = this.#emit(op.jumpIfFalse);
    this.#loop(() => {
      this.#block(body);
      this.#emit(op.jump, start);
      this.#land(exit);
    });
  }

  #repeat({ condition, body }: Statement & { kind: 'repeat' }): void {
    const start = this.#here();
    this.#loop(() => {
      this.#inBlock(() => {
        for (const statement of body) this.#statement(statement);
        this.#expression(condition);
        this.#emit(op.jumpIfFalse, start);
      });
    });
  }

  #if({ branches, otherwise }: Statement & { kind: 'if' }): void {
    const exits: number[] = [];
    for (const { condition, body } of branches) {
      this.#expression(condition);
      const next = this.#emit(op.jumpIfFalse);
      this.#block(body);
      exits.push(this.#emit(op.jump));
      this.#land(next);
    }
    this.#block(otherwise);
    for (const exit of exits) this.#land(exit);
  }

  #count({ variable, state, bounds, body }: Statement & { kind: 'count' }): void {
    for (const bound of bounds) this.#expression(bound);
    if (bounds.length === 2) this.#emit(op.constant, this.#constant(1));
    const skip = this.#emit(op.countStart, state);
    const start = this.#here();
    this.#declare(variable);
    this.#loop(() => {
      this.#block(body);
      this.#emit(op.countNext, state, start);
      this.#land(skip, 2);
    });
  }

  #iterate({ variables, state, values, body, line }: Statement & { kind: 'iterate' }): void {
    this.#values(values, 3);
    for (const slot of [state + 2, state + 1, state]) this.#emit(op.setLocal, slot);
    const start = this.#here();
    this.#line = line;
    this.#callNames.set(this.#emit(op.iterate, state, variables.length), '(for iterator)');
    for (const variable of variables.slice(1).toReversed()) this.#declare(variable);
    const exit = this.#emit(op.iterateTest, state);
    this.#declare(variables[0] as LocalVariable);
    this.#loop(() => {
      this.#block(body);
      this.#emit(op.jump, start);
      this.#land(exit, 2);
    });
  }

  /** The breaks inside lead to what comes after it. */
  #loop(compile: () => void): void {
    const outer = this.#breaks;
    this.#breaks = [];
    compile();
    for (const at of this.#breaks) this.#land(at);
    this.#breaks = outer;
  }

  #return(values: readonly Expression[]): void {
    const [only] = values;
    if (values.length === 1 && (only?.kind === 'call' || only?.kind === 'method')) {
      this.#call(only, 'tail');
      return;
    }
    const spread = this.#list(values);
    this.#emit(spread ? op.returnSpread : op.return, values.length);
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
        this.#emit(op.pop, 1);
      }
    }
    for (let i = values.length; i < wanted; i++) this.#emit(op.constant, this.#constant(undefined));
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
    this.#line = expression.line;
    switch (expression.kind) {
      case 'constant':
        this.#emit(op.constant, this.#constant(expression.value));
        return;
      case 'varargs':
        this.#emit(op.varargs, wanted);
        return;
      case 'function':
        this.#closure(expression.body);
        return;
      case 'local':
        this.#emit(expression.variable.captured ? op.cell : op.local, expression.variable.slot);
        return;
      case 'captured':
        this.#emit(op.captured, expression.index);
        return;
      case 'global':
        this.#emit(op.global, this.#constant(expression.name));
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
        const decided = this.#emit(expression.kind === 'and' ? op.and : op.or);
        this.#expression(expression.right);
        this.#land(decided);
        return;
      }
      case 'binary':
        this.#binary(expression);
        return;
      case 'unary':
        this.#expression(expression.operand);
        this.#line = expression.line;
        this.#emit({ not: op.not, '-': op.negate, '#': op.length }[expression.operator]);
        return;
      case 'table':
        this.#table(expression);
        return;
    }
  }

  #index({ object, key, line }: Expression & { kind: 'index' }): void {
    this.#expression(object);
    if (isName(key)) {
      this.#line = line;
      this.#emit(op.field, this.#constant(key.value));
      return;
    }
    this.#expression(key);
    this.#line = line;
    this.#emit(op.index);
  }

  #call(call: Expression & { kind: 'call' | 'method' }, wanted: number | 'tail'): void {
    let extra = 0;
    if (call.kind === 'method') {
      this.#expression(call.object);
      this.#line = call.line;
      this.#emit(op.method, this.#constant(call.name));
      extra = 1;
    } else this.#expression(call.callee);
    const spread = this.#list(call.values);
    this.#line = call.line;
    const count = call.values.length + extra;
    const at =
      wanted === 'tail'
        ? this.#emit(spread ? op.tailCallSpread : op.tailCall, count, -1)
        : this.#emit(spread ? op.callSpread : op.call, count, wanted);
    this.#callNames.set(at, nameOf(call));
    // Where the callee is a builtin, its results are there and have to be returned.
    if (wanted === 'tail') this.#emit(op.returnSpread, 1);
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
      this.#line = line;
      this.#emit(op.concat, parts.length);
      return;
    }
    this.#expression(left);
    this.#expression(right);
    this.#line = line;
    this.#emit(binaryOperations[operator] as number);
  }

  #table({ items, fields }: Expression & { kind: 'table' }): void {
    this.#emit(op.table);
    let next = 0;
    const itemsUpTo = (end: number) => {
      for (; next < end; next++) {
        const item = items[next] as Expression;
        const spread = next === items.length - 1 && isMulti(item);
        this.#expression(item, spread ? -1 : 1);
        this.#emit(spread ? op.setItems : op.setItem, next + 1);
      }
    };
    for (const { key, value, before } of fields) {
      itemsUpTo(before);
      this.#expression(key);
      this.#expression(value);
      this.#emit(op.setEntry);
    }
    itemsUpTo(items.length);
  }

  #closure(body: FunctionBody): void {
    this.#emit(op.closure, this.#prototypes.push(compileFunction(body)) - 1);
  }
}

function isMulti({ kind }: Expression): boolean {
  return kind === 'call' || kind === 'method' || kind === 'varargs';
}

function isName(key: Expression): key is Expression & { kind: 'constant'; value: string } {
  return key.kind === 'constant' && typeof key.value === 'string';
}

function nameOf(call: Expression & { kind: 'call' | 'method' }): string {
  if (call.kind === 'method') return call.name;
  const { callee } = call;
  if (callee.kind === 'global') return callee.name;
  if (callee.kind === 'local') return callee.variable.name;
  return callee.kind === 'index' && isName(callee.key) ? callee.key.value : '?';
}
