import type { DagTask } from '../model/types.ts';
import { OperationError } from '../operation/halt.ts';
import { type Depends, parseDepends, tasksOf } from '../text/depends.ts';

/** What a DAG says about the order of its tasks. */
export class DagPlan {
  readonly tasks: ReadonlyMap<string, DagTask>;
  readonly #depends = new Map<string, Depends | undefined>();
  readonly #dependencies = new Map<string, readonly string[]>();

  constructor(tasks: readonly DagTask[]) {
    this.tasks = new Map(tasks.map((task) => [task.name, task]));
  }

  /** Throws an `OperationError` for a name that no task has. */
  task(name: string): DagTask {
    const task = this.tasks.get(name);
    if (!task) throw new OperationError(`target ${name} does not exist`);
    return task;
  }

  /** The condition under which a task runs; undefined if it always does. Throws an error if it cannot be read. */
  depends(name: string): Depends | undefined {
    if (!this.#depends.has(name)) this.#depends.set(name, dependsOf(this.task(name)));
    return this.#depends.get(name);
  }

  /** Tasks that a task waits for. */
  dependencies(name: string): readonly string[] {
    let names = this.#dependencies.get(name);
    if (!names) {
      const depends = this.depends(name);
      names = depends ? [...tasksOf(depends).keys()] : [];
      this.#dependencies.set(name, names);
    }
    return names;
  }

  /** Tasks that no other one waits for, in order of their names. */
  leaves(): string[] {
    const waitedFor = new Set([...this.tasks.keys()].flatMap((name) => this.dependencies(name)));
    return [...this.tasks.keys()].filter((name) => !waitedFor.has(name)).sort();
  }

  /** All tasks that a task waits for, near and far. */
  ancestors(name: string): string[] {
    const found = new Set<string>();
    const stack = [...this.dependencies(name)];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (found.has(next) || next === name) continue;
      found.add(next);
      stack.push(...this.dependencies(next));
    }
    return [...found];
  }
}

function dependsOf({ depends, dependencies }: DagTask): Depends | undefined {
  if (depends) return parseDepends(depends);
  if (!dependencies?.length) return undefined;
  return { kind: 'and', of: dependencies.map((task) => ({ kind: 'task', task, result: undefined })) };
}
