import { Lexer, type Token } from './lexer.ts';
import { FunctionScope } from './scope.ts';
import { LuaSyntaxError } from './syntax-error.ts';
import type { BinaryOperator, Expression, FunctionBody, Statement, TableField } from './tree.ts';

/** Left and right binding power of the binary operators; the right one is lower where they associate to the right. */
const powers: Readonly<Record<string, readonly [number, number]>> = {
  or: [1, 1],
  and: [2, 2],
  '<': [3, 3],
  '>': [3, 3],
  '<=': [3, 3],
  '>=': [3, 3],
  '~=': [3, 3],
  '==': [3, 3],
  '..': [5, 4],
  '+': [6, 6],
  '-': [6, 6],
  '*': [7, 7],
  '/': [7, 7],
  '%': [7, 7],
  '^': [10, 9],
};
const unaryPower = 8;
const maxDepth = 150;

/** Reads a chunk (one character a byte). Throws `LuaSyntaxError`. */
export function parseChunk(source: string): FunctionBody {
  return new Parser(source).chunk();
}

class Parser {
  readonly #lexer: Lexer;
  #token: Token;
  #ahead: Token | undefined;
  #scope = new FunctionScope();
  #depth = 0;
  #loops = 0;

  constructor(source: string) {
    this.#lexer = new Lexer(source);
    this.#token = this.#lexer.next();
  }

  chunk(): FunctionBody {
    this.#scope.variadic = true;
    const body = this.#block();
    if (!this.#is('end of text')) throw this.#unexpected('the end of the text');
    return {
      name: 'main chunk',
      line: 0,
      parameters: [],
      variadic: true,
      captures: [],
      slots: this.#scope.slots,
      body,
    };
  }

  #block(): Statement[] {
    return this.#scope.block(() => this.#statements());
  }

  #statements(): Statement[] {
    return this.#nested(() => {
      const statements: Statement[] = [];
      while (!['end of text', 'end', 'else', 'elseif', 'until'].includes(this.#token.kind)) {
        const last = this.#is('return');
        const statement = this.#statement();
        if (statement) statements.push(statement);
        while (this.#accept(';'));
        if (last && !['end of text', 'end', 'else', 'elseif', 'until'].includes(this.#token.kind))
          throw this.#unexpected('the end of the block after return');
      }
      return statements;
    });
  }

  #statement(): Statement | undefined {
    const { line, kind } = this.#token;
    switch (kind) {
      case ';':
        this.#advance();
        return undefined;
      case 'if':
        return this.#if(line);
      case 'while': {
        this.#advance();
        const condition = this.#expression();
        this.#expect('do');
        const body = this.#loop(() => this.#block());
        this.#close('end', 'while', line);
        return { kind: 'while', line, condition, body };
      }
      case 'do': {
        this.#advance();
        const body = this.#block();
        this.#close('end', 'do', line);
        return { kind: 'block', line, body };
      }
      case 'for':
        return this.#for(line);
      case 'repeat':
        return this.#repeat(line);
      case 'function':
        return this.#functionStatement(line);
      case 'local':
        return this.#local(line);
      case 'return': {
        this.#advance();
        const over = ['end of text', 'end', 'else', 'elseif', 'until', ';'].includes(this.#token.kind);
        return { kind: 'return', line, values: over ? [] : this.#expressions() };
      }
      case 'break':
        if (this.#loops === 0) throw this.#fail('break outside a loop');
        this.#advance();
        return { kind: 'break', line };
      case 'goto':
        this.#advance();
        return { kind: 'goto', line, label: this.#name() };
      case '::': {
        this.#advance();
        const label = this.#name();
        this.#expect('::');
        return { kind: 'label', line, label };
      }
      default:
        return this.#expressionStatement(line);
    }
  }

  #if(line: number): Statement {
    const branches: { condition: Expression; body: Statement[] }[] = [];
    do {
      this.#advance();
      const condition = this.#expression();
      this.#expect('then');
      branches.push({ condition, body: this.#block() });
    } while (this.#is('elseif'));
    const otherwise = this.#accept('else') ? this.#block() : [];
    this.#close('end', 'if', line);
    return { kind: 'if', line, branches, otherwise };
  }

  #for(line: number): Statement {
    this.#advance();
    const first = this.#name();
    return this.#scope.block(() => {
      const state = this.#scope.hide(3);
      if (this.#accept('=')) {
        const bounds = [this.#expression()];
        this.#expect(',');
        bounds.push(this.#expression());
        if (this.#accept(',')) bounds.push(this.#expression());
        this.#expect('do');
        const variable = this.#scope.declare(first);
        const body = this.#loop(() => this.#block());
        this.#close('end', 'for', line);
        return { kind: 'count', line, variable, state, bounds, body };
      }
      const names = [first];
      while (this.#accept(',')) names.push(this.#name());
      this.#expect('in');
      const values = this.#expressions();
      this.#expect('do');
      const variables = names.map((name) => this.#scope.declare(name));
      const body = this.#loop(() => this.#block());
      this.#close('end', 'for', line);
      return { kind: 'iterate', line, variables, state, values, body };
    });
  }

  /** The condition sees the locals of the body. */
  #repeat(line: number): Statement {
    this.#advance();
    return this.#scope.block(() => {
      const body = this.#loop(() => this.#statements());
      this.#close('until', 'repeat', line);
      return { kind: 'repeat', line, body, condition: this.#expression() };
    });
  }

  #functionStatement(line: number): Statement {
    this.#advance();
    let name = this.#name();
    let target = this.#variable(name, line);
    while (this.#is('.') || this.#is(':')) {
      const method = this.#is(':');
      this.#advance();
      name = this.#name();
      target = { kind: 'index', line, object: target, key: { kind: 'constant', line, value: name } };
      if (method) {
        return { kind: 'assign', line, targets: [target], values: [this.#functionExpression(line, name, true)] };
      }
    }
    return { kind: 'assign', line, targets: [target], values: [this.#functionExpression(line, name, false)] };
  }

  #local(line: number): Statement {
    this.#advance();
    if (this.#accept('function')) {
      const variable = this.#scope.declare(this.#name());
      return { kind: 'declare function', line, variable, body: this.#functionBody(line, variable.name, false) };
    }
    const names = [this.#name()];
    while (this.#accept(',')) names.push(this.#name());
    const values = this.#accept('=') ? this.#expressions() : [];
    const variables = names.map((name) => this.#scope.make(name));
    for (const variable of variables) this.#scope.show(variable);
    return { kind: 'declare', line, variables, values };
  }

  #expressionStatement(line: number): Statement {
    const first = this.#suffixed();
    if (this.#is('=') || this.#is(',')) {
      const targets = [first];
      while (this.#accept(',')) targets.push(this.#suffixed());
      this.#expect('=');
      for (const { kind } of targets) {
        if (!['local', 'captured', 'global', 'index'].includes(kind)) throw this.#fail('this cannot be assigned to');
      }
      return { kind: 'assign', line, targets, values: this.#expressions() };
    }
    if (first.kind !== 'call' && first.kind !== 'method')
      throw this.#fail('a statement was expected: an expression alone does nothing');
    return { kind: 'evaluate', line, call: first };
  }

  #expressions(): Expression[] {
    const list = [this.#expression()];
    while (this.#accept(',')) list.push(this.#expression());
    return list;
  }

  #expression(limit = 0): Expression {
    return this.#nested(() => {
      let left = this.#unary();
      for (;;) {
        const { kind: operator, line } = this.#token;
        const power = powers[operator];
        if (!power || power[0] <= limit) return left;
        this.#advance();
        const right = this.#expression(power[1]);
        left =
          operator === 'and' || operator === 'or'
            ? { kind: operator, line, left, right }
            : { kind: 'binary', line, operator: operator as BinaryOperator, left, right };
      }
    });
  }

  #unary(): Expression {
    const { kind, line } = this.#token;
    if (kind !== 'not' && kind !== '-' && kind !== '#') return this.#simple();
    this.#advance();
    const operand = this.#expression(unaryPower);
    if (kind === '-' && operand.kind === 'constant' && typeof operand.value === 'number')
      return { ...operand, value: -operand.value };
    return { kind: 'unary', line, operator: kind, operand };
  }

  #simple(): Expression {
    const { kind, line, text, number } = this.#token;
    const constant = (value: undefined | boolean | number | string): Expression => {
      this.#advance();
      return { kind: 'constant', line, value };
    };
    switch (kind) {
      case 'nil':
        return constant(undefined);
      case 'true':
        return constant(true);
      case 'false':
        return constant(false);
      case 'number':
        return constant(number);
      case 'string':
        return constant(text);
      case '...':
        if (!this.#scope.variadic) throw this.#fail('... outside a function with variable arguments');
        this.#advance();
        return { kind: 'varargs', line };
      case '{':
        return this.#table(line);
      case 'function':
        this.#advance();
        return this.#functionExpression(line, '', false);
      default:
        return this.#suffixed();
    }
  }

  #suffixed(): Expression {
    const { line } = this.#token;
    let expression: Expression;
    if (this.#accept('(')) {
      expression = { kind: 'parenthesis', line, inner: this.#expression() };
      this.#close(')', '(', line);
    } else if (this.#is('name')) {
      expression = this.#variable(this.#name(), line);
    } else {
      throw this.#unexpected('an expression');
    }
    for (;;) {
      const { kind, line, fresh } = this.#token;
      if (kind === '.') {
        this.#advance();
        const at = this.#token.line;
        expression = {
          kind: 'index',
          line,
          object: expression,
          key: { kind: 'constant', line: at, value: this.#name() },
        };
      } else if (kind === '[') {
        this.#advance();
        expression = { kind: 'index', line, object: expression, key: this.#expression() };
        this.#close(']', '[', line);
      } else if (kind === ':') {
        this.#advance();
        const name = this.#name();
        expression = { kind: 'method', line, object: expression, name, values: this.#arguments() };
      } else if (kind === '(' || kind === 'string' || kind === '{') {
        if (kind === '(' && fresh && ['call', 'method', 'parenthesis'].includes(expression.kind))
          throw this.#fail('ambiguous: is this a call, or a new statement? Write a semicolon or join the lines');
        expression = { kind: 'call', line, callee: expression, values: this.#arguments() };
      } else return expression;
    }
  }

  #arguments(): Expression[] {
    const { kind, line, text } = this.#token;
    if (kind === 'string') {
      this.#advance();
      return [{ kind: 'constant', line, value: text }];
    }
    if (kind === '{') return [this.#table(line)];
    this.#expect('(');
    if (this.#accept(')')) return [];
    const values = this.#expressions();
    this.#close(')', '(', line);
    return values;
  }

  #table(line: number): Expression {
    this.#advance();
    const items: Expression[] = [];
    const fields: TableField[] = [];
    while (!this.#is('}')) {
      const at = this.#token.line;
      if (this.#accept('[')) {
        const key = this.#expression();
        this.#close(']', '[', at);
        this.#expect('=');
        fields.push({ key, value: this.#expression(), before: items.length });
      } else if (this.#is('name') && this.#peek().kind === '=') {
        const key: Expression = { kind: 'constant', line: at, value: this.#name() };
        this.#advance();
        fields.push({ key, value: this.#expression(), before: items.length });
      } else items.push(this.#expression());
      if (!this.#accept(',') && !this.#accept(';')) break;
    }
    this.#close('}', '{', line);
    return { kind: 'table', line, items, fields };
  }

  #functionExpression(line: number, name: string, method: boolean): Expression {
    return { kind: 'function', line, body: this.#functionBody(line, name, method) };
  }

  #functionBody(line: number, name: string, method: boolean): FunctionBody {
    const scope = new FunctionScope(this.#scope);
    const loops = this.#loops;
    this.#scope = scope;
    this.#loops = 0;
    const parameters = method ? [scope.declare('self')] : [];
    this.#expect('(');
    while (!this.#is(')')) {
      if (this.#accept('...')) {
        scope.variadic = true;
        break;
      }
      parameters.push(scope.declare(this.#name()));
      if (!this.#accept(',')) break;
    }
    this.#expect(')');
    const body = this.#block();
    this.#close('end', 'function', line);
    this.#scope = scope.parent as FunctionScope;
    this.#loops = loops;
    const { captures, slots, variadic } = scope;
    return { name, line, parameters, variadic, captures, slots, body };
  }

  #variable(name: string, line: number): Expression {
    const variable = this.#scope.local(name);
    if (variable) return { kind: 'local', line, variable };
    const index = this.#scope.capture(name);
    return index === undefined ? { kind: 'global', line, name } : { kind: 'captured', line, index };
  }

  #loop<T>(read: () => T): T {
    this.#loops++;
    const result = read();
    this.#loops--;
    return result;
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > maxDepth) throw this.#fail('nested too deeply');
    const result = read();
    this.#depth--;
    return result;
  }

  #is(kind: string): boolean {
    return this.#token.kind === kind;
  }

  #accept(kind: string): boolean {
    if (this.#token.kind !== kind) return false;
    this.#advance();
    return true;
  }

  #expect(kind: string): void {
    if (!this.#accept(kind)) throw this.#unexpected(kind);
  }

  #close(kind: string, opened: string, line: number): void {
    if (!this.#accept(kind)) throw this.#unexpected(`${kind} to close ${opened} of line ${line}`);
  }

  #name(): string {
    const { text } = this.#token;
    if (!this.#accept('name')) throw this.#unexpected('a name');
    return text;
  }

  #peek(): Token {
    this.#ahead ??= this.#lexer.next();
    return this.#ahead;
  }

  #advance(): void {
    this.#token = this.#ahead ?? this.#lexer.next();
    this.#ahead = undefined;
  }

  #unexpected(wanted: string): LuaSyntaxError {
    const found = this.#is('end of text') ? 'the end of the text' : this.#token.text || this.#token.kind;
    return this.#fail(`found ${found.slice(0, 40)} where ${wanted} was expected`);
  }

  #fail(message: string): LuaSyntaxError {
    return new LuaSyntaxError(message, this.#token.line, this.#token.text.slice(0, 40));
  }
}
