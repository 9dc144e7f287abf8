import { fieldTermsIn, type Resource, type User } from '@tiphys/apimachinery';
import {
  type AccessAuthorizer,
  authorizerValue,
  BOOL,
  compile,
  DYN,
  fromJson,
  INT,
  listOf,
  type MapKey,
  mapOf,
  opaque,
  type Program,
  resourceCheck,
  STRING,
  TIMESTAMP,
  type Type,
  type Value,
} from '@tiphys/cel';
import { admissionRequest } from './admission-request.ts';
import { type Attributes, namespaceOf } from './attributes.ts';

const record = (name: string, fields: Record<string, Type>): Type => ({
  kind: 'object',
  name,
  fields: new Map(Object.entries(fields)),
});

const KIND = record('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const RESOURCE = record('kubernetes.GroupVersionResource', { group: STRING, version: STRING, resource: STRING });
const STRINGS = listOf(STRING);

const REQUEST = record('kubernetes.AdmissionRequest', {
  kind: KIND,
  resource: RESOURCE,
  subResource: STRING,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: record('kubernetes.UserInfo', {
    username: STRING,
    uid: STRING,
    groups: STRINGS,
    extra: mapOf(STRING, STRINGS),
  }),
  dryRun: BOOL,
  options: DYN,
});

const NAMESPACE = record('kubernetes.Namespace', {
  metadata: record('kubernetes.NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: STRINGS,
  }),
  spec: record('kubernetes.NamespaceSpec', { finalizers: STRINGS }),
  status: record('kubernetes.NamespaceStatus', {
    conditions: listOf(
      record('kubernetes.NamespaceCondition', {
        status: STRING,
        type: STRING,
        lastTransitionTime: TIMESTAMP,
        message: STRING,
        reason: STRING,
      }),
    ),
    phase: STRING,
  }),
});

export interface Scope {
  readonly params?: boolean;
  readonly authorizer?: boolean;
  /** Types of `variables`, for policies that have some. */
  readonly variables?: ReadonlyMap<string, Type>;
  /** Types of `object`, `oldObject` and `params`, where they are known. */
  readonly types?: { object?: Type; params?: Type };
}

const compiled = new Map<string, Program>();

/** Compiles an expression of webhooks and policies; throws CelCompileError. */
export function compileAdmission(text: string, scope: Scope): Program {
  const cacheable = !scope.variables?.size && !scope.types;
  const key = `${scope.params} ${scope.authorizer} ${text}`;
  const known = cacheable ? compiled.get(key) : undefined;
  if (known) return known;
  const object = scope.types?.object ?? DYN;
  const variables = new Map<string, Type>([
    ['object', object],
    ['oldObject', object],
    ['namespaceObject', NAMESPACE],
    ['request', REQUEST],
  ]);
  if (scope.params) variables.set('params', scope.types?.params ?? DYN);
  if (scope.authorizer) {
    variables.set('authorizer', opaque('kubernetes.authorization.Authorizer'));
    // The check of types does not know it.
    if (!scope.types) variables.set('authorizer.requestResource', opaque('kubernetes.authorization.ResourceCheck'));
  }
  if (scope.variables)
    variables.set('variables', { kind: 'object', name: 'kubernetes.variables', fields: scope.variables });
  const program = compile(text, variables);
  if (cacheable) {
    if (compiled.size > 1000) compiled.clear();
    compiled.set(key, program);
  }
  return program;
}

/** The variables of an expression about a request, made when they are first asked for. */
export function admissionVariables(
  attributes: Attributes,
  shown: Resource,
  more: (name: string) => Value | undefined = () => undefined,
): (name: string) => Value | undefined {
  const made = new Map<string, Value>();
  return (name) => {
    let value = made.get(name);
    if (value === undefined) {
      value = more(name) ?? variable(attributes, shown, name);
      if (value !== undefined) made.set(name, value);
    }
    return value;
  };
}

function variable(attributes: Attributes, shown: Resource, name: string): Value | undefined {
  const { object, old } = attributes;
  switch (name) {
    case 'object':
      return object && attributes.operation !== 'DELETE' ? fromJson(inVersion(object, attributes, shown)) : null;
    case 'oldObject':
      return old ? fromJson(inVersion(old, attributes, shown)) : null;
    case 'request':
      return fromJson(admissionRequest(attributes, shown));
    case 'namespaceObject': {
      const namespace = namespaceOf(attributes);
      return namespace ? namespaceValue(namespace) : null;
    }
    case 'authorizer':
      return authorizerValue(authorizerOf(attributes, attributes.user));
    case 'authorizer.requestResource':
      return resourceCheck(authorizerOf(attributes, attributes.user), {
        group: attributes.resource.group,
        resource: attributes.resource.plural,
        subresource: attributes.subresource,
        namespace: attributes.namespace,
        name: attributes.name,
      });
    default:
      return undefined;
  }
}

/** An object of the request in the version that it is shown in. */
export function inVersion<T extends object>(object: T, { resource, kind }: Attributes, shown: Resource): T {
  if (shown === resource || kind.kind !== resource.kind) return object;
  return shown.fromStored(resource.toStored(object as never)) as unknown as T;
}

function namespaceValue(namespace: object): Value {
  const value = fromJson(namespace) as ReadonlyMap<MapKey, Value>;
  const result = new Map(value);
  const metadata = new Map(value.get('metadata') as ReadonlyMap<MapKey, Value>);
  const uid = metadata.get('uid');
  if (uid !== undefined) metadata.set('UID', uid);
  result.set('metadata', metadata);
  return result;
}

function authorizerOf(attributes: Attributes, user: User): AccessAuthorizer {
  return {
    allowedBy: ({ fieldSelector, ...question }) =>
      attributes.server.authorizer.allowedBy(user, { version: '*', ...question, fields: fieldTermsIn(fieldSelector) }),
    serviceAccount: (namespace, name) =>
      authorizerOf(attributes, {
        name: `system:serviceaccount:${namespace}:${name}`,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      }),
  };
}
