import type { FieldErrors } from '@tiphys/apimachinery';

const RULE_LIMIT = 10_000_000;
const TOTAL_LIMIT = 100_000_000;
const ADVICE =
  'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';

function excess(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${shown} (${ADVICE})`;
}

/** The estimated costs of the rules of one schema: each has a limit, and all together. */
export class RuleCosts {
  #total = 0;
  #most: { path: string; cost: number }[] = [];

  /** Adds the cost of a rule or a message and tells when it is too much by itself. */
  add(kind: 'rule' | 'messageExpression', path: string, cost: number, errors: FieldErrors): void {
    if (cost > RULE_LIMIT) errors.forbidden(path, excess(`estimated ${kind} cost`, cost, RULE_LIMIT));
    this.#total = Math.min(this.#total + cost, 2 ** 64);
    if (cost < TOTAL_LIMIT / 100) return;
    this.#most = [...this.#most, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4);
  }

  /** Tells which rules make the whole schema too expensive. */
  finish(path: string, errors: FieldErrors): void {
    if (this.#total <= TOTAL_LIMIT) return;
    for (const rule of this.#most)
      errors.forbidden(
        rule.path,
        'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      );
    errors.forbidden(
      path,
      excess(
        'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema',
        this.#total,
        TOTAL_LIMIT,
      ),
    );
  }
}
