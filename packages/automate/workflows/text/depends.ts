/** Results of a task that `depends` may ask for. */
export const taskResults = [
  'Succeeded',
  'Failed',
  'Errored',
  'Skipped',
  'Omitted',
  'Daemoned',
  'AnySucceeded',
  'AllFailed',
] as const;

export type TaskResult = (typeof taskResults)[number];

/** A condition on the results of tasks. A task without a result stands for what lets a plain dependency go on. */
export type Depends =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Depends[] }
  | { readonly kind: 'not'; readonly of: Depends }
  | { readonly kind: 'task'; readonly task: string; readonly result: TaskResult | undefined }
  | { readonly kind: 'constant'; readonly value: boolean };

/** A `depends` that cannot be read. */
export class DependsError extends Error {
  override name = 'DependsError';
}

/** Reads a `depends`, such as `(a.Succeeded || a.Skipped) && !b.Failed`. Throws a `DependsError`. */
export function parseDepends(text: string): Depends {
  const tokens =
    text.match(/\s+|&&|\|\||[!()]|[A-Za-z0-9_][A-Za-z0-9_.-]*|./gsu)?.filter((token) => token.trim()) ?? [];
  const reader = { tokens, at: 0, text };
  const depends = readOr(reader);
  if (reader.at < tokens.length) throw new DependsError(`unexpected '${tokens[reader.at]}' in '${text}'`);
  return depends;
}

interface Reader {
  readonly tokens: readonly string[];
  readonly text: string;
  at: number;
}

function readOr(reader: Reader): Depends {
  return readList(reader, 'or', ['||', 'or'], readAnd);
}

function readAnd(reader: Reader): Depends {
  return readList(reader, 'and', ['&&', 'and'], readNot);
}

function readList(
  reader: Reader,
  kind: 'and' | 'or',
  words: readonly string[],
  read: (reader: Reader) => Depends,
): Depends {
  const of = [read(reader)];
  while (words.includes(reader.tokens[reader.at] ?? '')) {
    reader.at += 1;
    of.push(read(reader));
  }
  return of.length === 1 ? (of[0] as Depends) : { kind, of };
}

function readNot(reader: Reader): Depends {
  const token = reader.tokens[reader.at];
  reader.at += 1;
  if (token === '!' || token === 'not') return { kind: 'not', of: readNot(reader) };
  if (token === '(') {
    const inner = readOr(reader);
    if (reader.tokens[reader.at] !== ')') throw new DependsError(`a parenthesis of '${reader.text}' is not closed`);
    reader.at += 1;
    return inner;
  }
  if (token === 'true' || token === 'false') return { kind: 'constant', value: token === 'true' };
  if (!token || !/^[A-Za-z0-9_]/.test(token))
    throw new DependsError(`expected a task in '${reader.text}', found ${token ? `'${token}'` : 'its end'}`);
  return readTask(token);
}

function readTask(token: string): Depends {
  const [task = '', result, more] = token.split('.');
  if (result === undefined) return { kind: 'task', task, result: undefined };
  if (more !== undefined || !(taskResults as readonly string[]).includes(result))
    throw new DependsError(`task result '${token.slice(task.length + 1)}' for task '${task}' is invalid`);
  return { kind: 'task', task, result: result as TaskResult };
}

/** Every task that a condition names, each once, with whether it asks for the results of its items. */
export function tasksOf(depends: Depends): Map<string, { asksItems: boolean }> {
  const tasks = new Map<string, { asksItems: boolean }>();
  const visit = (node: Depends): void => {
    if (node.kind === 'and' || node.kind === 'or') node.of.forEach(visit);
    else if (node.kind === 'not') visit(node.of);
    else if (node.kind === 'task') {
      const asksItems = node.result === 'AnySucceeded' || node.result === 'AllFailed';
      tasks.set(node.task, { asksItems: asksItems || (tasks.get(node.task)?.asksItems ?? false) });
    }
  };
  visit(depends);
  return tasks;
}

/** True if the condition holds for what `has` says of each task. */
export function dependsHolds(
  depends: Depends,
  has: (task: string, result: TaskResult | undefined) => boolean,
): boolean {
  switch (depends.kind) {
    case 'and':
      return depends.of.every((part) => dependsHolds(part, has));
    case 'or':
      return depends.of.some((part) => dependsHolds(part, has));
    case 'not':
      return !dependsHolds(depends.of, has);
    case 'constant':
      return depends.value;
    default:
      return has(depends.task, depends.result);
  }
}
