import type { AccessAttributes, PolicyRule } from './policy-rule.ts';
import type { User } from './user.ts';

/** A rule that a user has, and through which binding. */
export interface GrantedRule {
  readonly rule: PolicyRule;
  readonly reason: string;
}

/** Decides what users may do. */
export interface Authorizer {
  /** Why the user may do it, or undefined if not. */
  allowedBy(user: User, attributes: AccessAttributes): string | undefined;
  /**
   * All rules that bindings give the user: cluster-wide ones, and those of the namespace unless it is empty. What is said of
   * roles that are not there is added to `problems`.
   */
  rulesOf(user: User, namespace: string, problems?: string[]): Iterable<GrantedRule>;
}
