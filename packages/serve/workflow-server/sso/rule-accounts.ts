import { compile, ExpressionError } from '@tiphys/expr';
import type { Client, Clock } from '@tiphys/kubernetes';
import { parseJson } from '@tiphys/template';
import type { ServiceAccount } from '../common/account-token.ts';
import type { Claims } from '../common/caller.ts';

const rule = 'workflows.argoproj.io/rbac-rule';
const precedence = 'workflows.argoproj.io/rbac-rule-precedence';
/** How long the ServiceAccounts of a namespace are not read again; milliseconds. */
const remembered = 10_000;
/** Of how many namespaces ServiceAccounts are remembered. */
const most = 500;

/** A ServiceAccount whose rule a user fits. */
export interface RuleAccount {
  readonly account: ServiceAccount;
  readonly precedence: number;
}

/** ServiceAccounts whose annotations say which users have their rights. */
export class RuleAccounts {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly until: number; readonly accounts: Promise<ServiceAccount[]> }>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * The ServiceAccount of the namespace with the highest precedence whose rule the claims fit; undefined if there is none. Throws for a
   * rule that cannot be evaluated, as what it would have refused is not known.
   */
  async find(claims: Claims, namespace: string): Promise<RuleAccount | undefined> {
    const accounts = await this.#accounts(namespace);
    const values = parseJson(JSON.stringify(claimsAsSent(claims))).value as Map<string, never>;
    for (const account of accounts) {
      const text = account.metadata.annotations?.[rule] ?? '';
      if (holds(text, values, account)) return { account, precedence: precedenceOf(account) };
    }
    return undefined;
  }

  #accounts(namespace: string): Promise<ServiceAccount[]> {
    const now = this.#clock.now();
    const known = this.#known.get(namespace);
    if (known && known.until > now) return known.accounts;
    this.#known.delete(namespace);
    const accounts = this.#read(namespace);
    accounts.catch(() => this.#known.delete(namespace));
    this.#known.set(namespace, { until: now + remembered, accounts });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= most) break;
      this.#known.delete(oldest);
    }
    return accounts;
  }

  async #read(namespace: string): Promise<ServiceAccount[]> {
    const { items } = await this.#client.list<ServiceAccount>({ apiVersion: 'v1', kind: 'ServiceAccount', namespace });
    return items
      .filter(({ metadata }) => metadata.annotations?.[rule] !== undefined)
      .sort(
        (a, b) => precedenceOf(b) - precedenceOf(a) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1),
      );
  }
}

function precedenceOf({ metadata }: ServiceAccount): number {
  const text = metadata.annotations?.[precedence] ?? '';
  return /^[+-]?\d+$/.test(text) ? Number(text) : 0;
}

function holds(text: string, values: Map<string, never>, { metadata }: ServiceAccount): boolean {
  try {
    const result = compile(text, { env: values }).run(values);
    if (typeof result === 'boolean') return result;
    throw new Error(
      `the rule of ServiceAccount ${metadata.namespace}/${metadata.name} is neither true nor false: ${text}`,
    );
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new Error(
      `the rule of ServiceAccount ${metadata.namespace}/${metadata.name} cannot be evaluated: ${error.goMessage}`,
      { cause: error },
    );
  }
}

/** Under the names of a token; what is empty is not there. */
export function claimsAsSent(claims: Claims): Record<string, unknown> {
  const { subject, issuer, groups, email, name, preferredUsername, serviceAccountName, serviceAccountNamespace } =
    claims;
  const all = {
    iss: issuer,
    sub: subject,
    groups: groups?.length ? groups : undefined,
    email,
    name,
    preferred_username: preferredUsername,
    service_account_name: serviceAccountName,
    service_account_namespace: serviceAccountNamespace,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value));
}
