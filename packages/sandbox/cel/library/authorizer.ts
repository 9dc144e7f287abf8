import { isDnsLabel, isDnsSubdomain } from '@tiphys/apimachinery';
import { type Overload, overload } from '../language/functions.ts';
import { CelError, Opaque } from '../language/values.ts';

/** What is asked of an authorizer. */
export interface AccessQuestion {
  readonly verb: string;
  readonly path?: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Of a question about many; RBAC knows no selectors, the node authorizer does. */
  readonly fieldSelector?: string;
}

/** Answers for one user: the reason if allowed, undefined if not. */
export interface AccessAuthorizer {
  readonly allowedBy: (question: AccessQuestion) => string | undefined;
  readonly serviceAccount: (namespace: string, name: string) => AccessAuthorizer;
}

interface Check {
  readonly authorizer: AccessAuthorizer;
  readonly question: Omit<AccessQuestion, 'verb'>;
}

const P = 'kubernetes.authorization';
const EMPTY = { group: '', resource: '', subresource: '', namespace: '', name: '' };

/** The value of the variable `authorizer`. */
export function authorizerValue(authorizer: AccessAuthorizer): Opaque<AccessAuthorizer> {
  return new Opaque(`${P}.Authorizer`, authorizer, 'authorizer');
}

/** The value of `authorizer.requestResource`: a check of one resource. */
export function resourceCheck(authorizer: AccessAuthorizer, question: Omit<AccessQuestion, 'verb'>): Opaque<Check> {
  return new Opaque(`${P}.ResourceCheck`, { authorizer, question }, JSON.stringify(question));
}

function pathCheck({ value }: Opaque<AccessAuthorizer>, path: string): Opaque<Check> {
  if (path.trim() === '') throw new CelError('path must not be empty');
  return new Opaque(`${P}.PathCheck`, { authorizer: value, question: { ...EMPTY, path } }, path);
}

function change(field: keyof AccessQuestion) {
  return ({ value }: Opaque<Check>, text: string): Opaque<Check> =>
    resourceCheck(value.authorizer, { ...value.question, [field]: text });
}

function resource({ value }: Opaque<Check>, name: string): Opaque<Check> {
  if (name.trim() === '') throw new CelError('resource must not be empty');
  return resourceCheck(value.authorizer, { ...value.question, resource: name });
}

function account({ value }: Opaque<AccessAuthorizer>, namespace: string, name: string): Opaque<AccessAuthorizer> {
  if (isDnsSubdomain(name).length) throw new CelError('Invalid service account name');
  if (isDnsLabel(namespace).length) throw new CelError('Invalid service account namespace');
  return authorizerValue(value.serviceAccount(namespace, name));
}

function decide({ value }: Opaque<Check>, verb: string): Opaque<string | undefined> {
  const reason = value.authorizer.allowedBy({ ...value.question, verb });
  return new Opaque(`${P}.Decision`, reason, reason ?? '');
}

const same = (check: Opaque<Check>): Opaque<Check> => check;

/** Checks of what the asking user, or a service account, may do. */
export const authorizer: readonly Overload[] = [
  overload(`${P}.Authorizer.path(string): ${P}.PathCheck`, pathCheck),
  overload(
    `${P}.Authorizer.group(string): ${P}.GroupCheck`,
    ({ value }: Opaque<AccessAuthorizer>, group: string) =>
      new Opaque(`${P}.GroupCheck`, { authorizer: value, question: { ...EMPTY, group } }, group),
  ),
  overload(`${P}.Authorizer.serviceAccount(string, string): ${P}.Authorizer`, account),
  overload(`${P}.GroupCheck.resource(string): ${P}.ResourceCheck`, resource),
  overload(`${P}.ResourceCheck.subresource(string): ${P}.ResourceCheck`, change('subresource')),
  overload(`${P}.ResourceCheck.namespace(string): ${P}.ResourceCheck`, change('namespace')),
  overload(`${P}.ResourceCheck.name(string): ${P}.ResourceCheck`, change('name')),
  overload(`${P}.ResourceCheck.fieldSelector(string): ${P}.ResourceCheck`, change('fieldSelector')),
  // No authorizer knows labels: a check with them is decided as without.
  overload(`${P}.ResourceCheck.labelSelector(string): ${P}.ResourceCheck`, same),
  overload(`${P}.PathCheck.check(string): ${P}.Decision`, decide),
  overload(`${P}.ResourceCheck.check(string): ${P}.Decision`, decide),
  overload(`${P}.Decision.errored(): bool`, () => false),
  overload(`${P}.Decision.error(): string`, () => ''),
  overload(`${P}.Decision.allowed(): bool`, ({ value }: Opaque<string | undefined>) => value !== undefined),
  overload(`${P}.Decision.reason(): string`, ({ value }: Opaque<string | undefined>) => value ?? ''),
];
