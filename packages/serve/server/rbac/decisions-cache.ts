import type { ProjectRoles } from './policy-book.ts';

/** What was decided about an object while its project had these roles. */
interface Decision {
  readonly roles: ProjectRoles['roles'] | undefined;
  readonly allowed: boolean;
}

/** Callers with a resource and an action, and objects of each. */
const most = { callers: 32, objects: 50_000 };

/** Decisions of one policy by who asked, what for. Lists ask about the same thousands of objects again and again. */
export class DecisionCache {
  readonly #callers = new Map<string, Map<string, Decision>>();

  /** Of who asks; those of who asked longest ago are forgotten. */
  of(asked: readonly string[]): Map<string, Decision> {
    const key = JSON.stringify(asked);
    const known = this.#callers.get(key) ?? new Map<string, Decision>();
    this.#callers.delete(key);
    this.#callers.set(key, known);
    const [oldest] = this.#callers.keys();
    if (this.#callers.size > most.callers) this.#callers.delete(oldest as string);
    if (known.size > most.objects) known.clear();
    return known;
  }
}
