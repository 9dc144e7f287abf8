import { powers, unaryPower } from './powers.ts';
import { FunctionScope } from './scope.ts';
import { TokenCursor } from './token-cursor.ts';
import type { BinaryOperator, Expression, FunctionBody, Statement, TableField } from './tree.ts';

const maxDepth = 150;

/** Reads a chunk (one character a byte). Throws `LuaSyntaxError`. */
export function parseChunk(source: string): FunctionBody {
  return new Parser(source).chunk();
}

class Parser {
  readonly #tokens: TokenCursor;
  #scope = new FunctionScope();
  #depth = 0;
  #loops = 0;

  constructor(source: string) {
    this.#tokens = new TokenCursor(source);
  }

  chunk(): FunctionBody {
    this.#scope.variadic = true;
    const body = this.#block();
    if (!this.#tokens.is('end of text')) throw this.#tokens.unexpected('the end of the text');
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
      while (!['end of text', 'end', 'else', 'elseif', 'until'].includes(this.#tokens.token.kind)) {
        const last = this.#tokens.is('return');
        const statement = this.#statement();
        if (statement) statements.push(statement);
        while (this.#tokens.accept(';'));
        if (last && !['end of text', 'end', 'else', 'elseif', 'until'].includes(this.#tokens.token.kind))
          throw this.#tokens.unexpected('the end of the block after return');
      }
      return statements;
    });
  }

  #statement(): Statement | undefined {
    const { line, kind } = this.#tokens.token;
    switch (kind) {
      case ';':
        this.#tokens.advance();
        return undefined;
      case 'if':
        return this.#if(line);
      case 'while': {
        this.#tokens.advance();
        const condition = this.#expression();
        this.#tokens.expect('do');
        const body = this.#loop(() => this.#block());
        this.#tokens.close('end', 'while', line);
        return { kind: 'while', line, condition, body };
      }
      case 'do': {
        this.#tokens.advance();
        const body = this.#block();
        this.#tokens.close('end', 'do', line);
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
        this.#tokens.advance();
        const over = ['end of text', 'end', 'else', 'elseif', 'until', ';'].includes(this.#tokens.token.kind);
        return { kind: 'return', line, values: over ? [] : this.#expressions() };
      }
      case 'break':
        if (this.#loops === 0) throw this.#tokens.fail('break outside a loop');
        this.#tokens.advance();
        return { kind: 'break', line };
      case 'goto':
        this.#tokens.advance();
        return { kind: 'goto', line, label: this.#tokens.name() };
      case '::': {
        this.#tokens.advance();
        const label = this.#tokens.name();
        this.#tokens.expect('::');
        return { kind: 'label', line, label };
      }
      default:
        return this.#expressionStatement(line);
    }
  }

  #if(line: number): Statement {
    const branches: { condition: Expression; body: Statement[] }[] = [];
    do {
      this.#tokens.advance();
      const condition = this.#expression();
      this.#tokens.expect('then');
      branches.push({ condition, body: this.#block() });
    } while (this.#tokens.is('elseif'));
    const otherwise = this.#tokens.accept('else') ? this.#block() : [];
    this.#tokens.close('end', 'if', line);
    return { kind: 'if', line, branches, otherwise };
  }

  #for(line: number): Statement {
    this.#tokens.advance();
    const first = this.#tokens.name();
    return this.#scope.block(() => {
      const state = this.#scope.hide(3);
      if (this.#tokens.accept('=')) {
        const bounds = [this.#expression()];
        this.#tokens.expect(',');
        bounds.push(this.#expression());
        if (this.#tokens.accept(',')) bounds.push(this.#expression());
        this.#tokens.expect('do');
        const variable = this.#scope.declare(first);
        const body = this.#loop(() => this.#block());
        this.#tokens.close('end', 'for', line);
        return { kind: 'count', line, variable, state, bounds, body };
      }
      const names = [first];
      while (this.#tokens.accept(',')) names.push(this.#tokens.name());
      this.#tokens.expect('in');
      const values = this.#expressions();
      this.#tokens.expect('do');
      const variables = names.map((name) => this.#scope.declare(name));
      const body = this.#loop(() => this.#block());
      this.#tokens.close('end', 'for', line);
      return { kind: 'iterate', line, variables, state, values, body };
    });
  }

  /** The condition sees the locals of the body. */
  #repeat(line: number): Statement {
    this.#tokens.advance();
    return this.#scope.block(() => {
      const body = this.#loop(() => this.#statements());
      this.#tokens.close('until', 'repeat', line);
      return { kind: 'repeat', line, body, condition: this.#expression() };
    });
  }

  #functionStatement(line: number): Statement {
    this.#tokens.advance();
    let name = this.#tokens.name();
    let target = this.#variable(name, line);
    while (this.#tokens.is('.') || this.#tokens.is(':')) {
      const method = this.#tokens.is(':');
      this.#tokens.advance();
      name = this.#tokens.name();
      target = { kind: 'index', line, object: target, key: { kind: 'constant', line, value: name } };
      if (method) {
        return { kind: 'assign', line, targets: [target], values: [this.#functionExpression(line, name, true)] };
      }
    }
    return { kind: 'assign', line, targets: [target], values: [this.#functionExpression(line, name, false)] };
  }

  #local(line: number): Statement {
    this.#tokens.advance();
    if (this.#tokens.accept('function')) {
      const variable = this.#scope.declare(this.#tokens.name());
      return { kind: 'declare function', line, variable, body: this.#functionBody(line, variable.name, false) };
    }
    const names = [this.#tokens.name()];
    while (this.#tokens.accept(',')) names.push(this.#tokens.name());
    const values = this.#tokens.accept('=') ? this.#expressions() : [];
    const variables = names.map((name) => this.#scope.make(name));
    for (const variable of variables) this.#scope.show(variable);
    return { kind: 'declare', line, variables, values };
  }

  #expressionStatement(line: number): Statement {
    const first = this.#suffixed();
    if (this.#tokens.is('=') || this.#tokens.is(',')) {
      const targets = [first];
      while (this.#tokens.accept(',')) targets.push(this.#suffixed());
      this.#tokens.expect('=');
      for (const { kind } of targets) {
        if (!['local', 'captured', 'global', 'index'].includes(kind))
          throw this.#tokens.fail('this cannot be assigned to');
      }
      return { kind: 'assign', line, targets, values: this.#expressions() };
    }
    if (first.kind !== 'call' && first.kind !== 'method')
      throw this.#tokens.fail('a statement was expected: an expression alone does nothing');
    return { kind: 'evaluate', line, call: first };
  }

  #expressions(): Expression[] {
    const list = [this.#expression()];
    while (this.#tokens.accept(',')) list.push(this.#expression());
    return list;
  }

  #expression(limit = 0): Expression {
    return this.#nested(() => {
      let left = this.#unary();
      for (;;) {
        const { kind: operator, line } = this.#tokens.token;
        const power = powers[operator];
        if (!power || power[0] <= limit) return left;
        this.#tokens.advance();
        const right = this.#expression(power[1]);
        left =
          operator === 'and' || operator === 'or'
            ? { kind: operator, line, left, right }
            : { kind: 'binary', line, operator: operator as BinaryOperator, left, right };
      }
    });
  }

  #unary(): Expression {
    const { kind, line } = this.#tokens.token;
    if (kind !== 'not' && kind !== '-' && kind !== '#') return this.#simple();
    this.#tokens.advance();
    const operand = this.#expression(unaryPower);
    if (kind === '-' && operand.kind === 'constant' && typeof operand.value === 'number')
      return { ...operand, value: -operand.value };
    return { kind: 'unary', line, operator: kind, operand };
  }

  #simple(): Expression {
    const { kind, line, text, number } = this.#tokens.token;
    const constant = (value: undefined | boolean | number | string): Expression => {
      this.#tokens.advance();
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
        if (!this.#scope.variadic) throw this.#tokens.fail('... outside a function with variable arguments');
        this.#tokens.advance();
        return { kind: 'varargs', line };
      case '{':
        return this.#table(line);
      case 'function':
        this.#tokens.advance();
        return this.#functionExpression(line, '', false);
      default:
        return this.#suffixed();
    }
  }

  #suffixed(): Expression {
    const { line } = this.#tokens.token;
    let expression: Expression;
    if (this.#tokens.accept('(')) {
      expression = { kind: 'parenthesis', line, inner: this.#expression() };
      this.#tokens.close(')', '(', line);
    } else if (this.#tokens.is('name')) {
      expression = this.#variable(this.#tokens.name(), line);
    } else {
      throw this.#tokens.unexpected('an expression');
    }
    for (;;) {
      const { kind, line, fresh } = this.#tokens.token;
      if (kind === '.') {
        this.#tokens.advance();
        const at = this.#tokens.token.line;
        expression = {
          kind: 'index',
          line,
          object: expression,
          key: { kind: 'constant', line: at, value: this.#tokens.name() },
        };
      } else if (kind === '[') {
        this.#tokens.advance();
        expression = { kind: 'index', line, object: expression, key: this.#expression() };
        this.#tokens.close(']', '[', line);
      } else if (kind === ':') {
        this.#tokens.advance();
        const name = this.#tokens.name();
        expression = { kind: 'method', line, object: expression, name, values: this.#arguments() };
      } else if (kind === '(' || kind === 'string' || kind === '{') {
        if (kind === '(' && fresh && ['call', 'method', 'parenthesis'].includes(expression.kind))
          throw this.#tokens.fail('ambiguous: is this a call, or a new statement? Write a semicolon or join the lines');
        expression = { kind: 'call', line, callee: expression, values: this.#arguments() };
      } else return expression;
    }
  }

  #arguments(): Expression[] {
    const { kind, line, text } = this.#tokens.token;
    if (kind === 'string') {
      this.#tokens.advance();
      return [{ kind: 'constant', line, value: text }];
    }
    if (kind === '{') return [this.#table(line)];
    this.#tokens.expect('(');
    if (this.#tokens.accept(')')) return [];
    const values = this.#expressions();
    this.#tokens.close(')', '(', line);
    return values;
  }

  #table(line: number): Expression {
    this.#tokens.advance();
    const items: Expression[] = [];
    const fields: TableField[] = [];
    while (!this.#tokens.is('}')) {
      const at = this.#tokens.token.line;
      if (this.#tokens.accept('[')) {
        const key = this.#expression();
        this.#tokens.close(']', '[', at);
        this.#tokens.expect('=');
        fields.push({ key, value: this.#expression(), before: items.length });
      } else if (this.#tokens.is('name') && this.#tokens.peek().kind === '=') {
        const key: Expression = { kind: 'constant', line: at, value: this.#tokens.name() };
        this.#tokens.advance();
        fields.push({ key, value: this.#expression(), before: items.length });
      } else items.push(this.#expression());
      if (!this.#tokens.accept(',') && !this.#tokens.accept(';')) break;
    }
    this.#tokens.close('}', '{', line);
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
    this.#tokens.expect('(');
    while (!this.#tokens.is(')')) {
      if (this.#tokens.accept('...')) {
        scope.variadic = true;
        break;
      }
      parameters.push(scope.declare(this.#tokens.name()));
      if (!this.#tokens.accept(',')) break;
    }
    this.#tokens.expect(')');
    const body = this.#block();
    this.#tokens.close('end', 'function', line);
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
    if (++this.#depth > maxDepth) throw this.#tokens.fail('nested too deeply');
    const result = read();
    this.#depth--;
    return result;
  }
}
