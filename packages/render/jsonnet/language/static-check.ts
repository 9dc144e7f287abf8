import { JsonnetError } from './jsonnet-error.ts';
import type { Bind, ForSpec, ImportNode, Node } from './syntax.ts';

interface Scope {
  readonly names: ReadonlySet<string>;
  readonly parent: Scope | undefined;
  readonly inObject: boolean;
}

/** Throws for variables that nobody defines, and for `self`, `super` and `$` outside of objects. Gives the imports. */
export function checkNames(root: Node, globals: readonly string[]): ImportNode[] {
  const imports: ImportNode[] = [];
  const scope = (parent: Scope | undefined, names: readonly string[], inObject = parent?.inObject ?? false): Scope => ({
    names: new Set(names),
    parent,
    inObject,
  });
  const withBinds = (parent: Scope, binds: readonly Bind[], inObject = parent.inObject): Scope => {
    const inner = scope(
      parent,
      binds.map(({ name }) => name),
      inObject,
    );
    for (const { body } of binds) visit(body, inner);
    return inner;
  };
  const withSpecs = (specs: readonly ForSpec[], outer: Scope): Scope => {
    let inner = outer;
    for (const { name, over, conditions } of specs) {
      visit(over, inner);
      inner = scope(inner, [name]);
      for (const condition of conditions) visit(condition, inner);
    }
    return inner;
  };
  const outside = (node: Node, what: string): never => {
    throw new JsonnetError('static', what, { spot: node });
  };
  const visit = (node: Node, at: Scope): void => {
    switch (node.kind) {
      case 'literal':
        return;
      case 'import':
        imports.push(node);
        return;
      case 'self':
        if (!at.inObject) outside(node, "Can't use self outside of an object.");
        return;
      case 'dollar':
        if (!at.inObject) outside(node, 'No top-level object found.');
        return;
      case 'super':
      case 'in-super':
        if (!at.inObject) outside(node, "Can't use super outside of an object.");
        visit(node.index, at);
        return;
      case 'variable':
        for (let known: Scope | undefined = at; known; known = known.parent) if (known.names.has(node.name)) return;
        outside(node, `Unknown variable: ${node.name}`);
        return;
      case 'index':
        visit(node.target, at);
        visit(node.index, at);
        return;
      case 'slice':
        for (const part of [node.target, ...node.parts]) if (part) visit(part, at);
        return;
      case 'apply':
        for (const part of [node.target, ...node.positional, ...node.named.map(({ value }) => value)]) visit(part, at);
        return;
      case 'binary':
        visit(node.left, at);
        visit(node.right, at);
        return;
      case 'unary':
        visit(node.operand, at);
        return;
      case 'conditional':
        for (const part of [node.test, node.then, node.otherwise]) if (part) visit(part, at);
        return;
      case 'local':
        visit(node.body, withBinds(at, node.binds));
        return;
      case 'function': {
        const inner = scope(
          at,
          node.parameters.map(({ name }) => name),
        );
        for (const { fallback } of node.parameters) if (fallback) visit(fallback, inner);
        visit(node.body, inner);
        return;
      }
      case 'array':
        for (const item of node.items) visit(item, at);
        return;
      case 'array-comprehension':
        visit(node.body, withSpecs(node.specs, at));
        return;
      case 'object': {
        for (const { name } of node.fields) visit(name, at);
        const inner = withBinds(at, node.locals, true);
        for (const { test, message } of node.asserts) {
          visit(test, inner);
          if (message) visit(message, inner);
        }
        for (const { body } of node.fields) visit(body, inner);
        return;
      }
      case 'object-comprehension': {
        const each = withSpecs(node.specs, at);
        visit(node.field.name, each);
        visit(node.field.body, withBinds(each, node.locals, true));
        return;
      }
      case 'assert':
        visit(node.assertion.test, at);
        if (node.assertion.message) visit(node.assertion.message, at);
        visit(node.rest, at);
        return;
      case 'error':
        visit(node.message, at);
    }
  };
  visit(root, scope(undefined, globals));
  return imports;
}
