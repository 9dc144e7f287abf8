import {
  type AccessAttributes,
  badRequest,
  FieldErrors,
  ISSUER,
  nodeOfUser,
  type ServerContext,
  timestamp,
  type User,
} from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Operation } from '../request/operation.ts';
import { decide, joined, rulesOf } from './authorization.ts';
import { fieldsAskedFor, type ReviewSelectors, selectorProblems, validateReviewSelectors } from './review-selectors.ts';
import { judgeToken } from './service-account-user.ts';

interface ReviewSpec {
  resourceAttributes?: ReviewSelectors & {
    namespace?: string;
    verb?: string;
    group?: string;
    version?: string;
    resource?: string;
    subresource?: string;
    name?: string;
  };
  nonResourceAttributes?: { path?: string; verb?: string };
  user?: string;
  groups?: string[];
  uid?: string;
  namespace?: string;
  token?: string;
  audiences?: string[];
}

const KINDS = new Set([
  'SelfSubjectAccessReview',
  'SubjectAccessReview',
  'LocalSubjectAccessReview',
  'SelfSubjectRulesReview',
  'SelfSubjectReview',
  'TokenReview',
]);

/** Answers the kinds that are asked by creating them and are never stored. Undefined for other kinds. */
export function review(operation: Operation, object: KubeObject): KubeObject | undefined {
  const { server, user } = operation;
  if (!KINDS.has(object.kind)) return undefined;
  const spec = (object.spec ?? {}) as ReviewSpec;
  if (object.kind !== 'SelfSubjectRulesReview') operation.trackFields(object, undefined);
  switch (object.kind) {
    case 'SelfSubjectAccessReview':
      validateReview({ user: user.name, ...spec });
      return { ...object, status: access(server, user, spec) };
    case 'SubjectAccessReview':
    case 'LocalSubjectAccessReview': {
      validateReview(spec, object.kind === 'LocalSubjectAccessReview' ? operation.info.namespace : undefined);
      const who: User = { name: spec.user ?? '', groups: spec.groups ?? [] };
      const { namespace } = operation.info;
      const metadata = namespace ? { namespace, ...object.metadata } : object.metadata;
      return { ...object, metadata, status: access(server, who, spec) };
    }
    case 'SelfSubjectRulesReview': {
      if (!spec.namespace) throw badRequest('no namespace on request');
      return { ...object, spec: {}, status: rulesReview(server, user, spec.namespace) };
    }
    case 'SelfSubjectReview':
      return {
        ...object,
        metadata: { ...object.metadata, creationTimestamp: timestamp(server.clock) },
        status: { userInfo: userInfo(user) },
      };
    case 'TokenReview': {
      if (!spec.token) throw badRequest('token is required for TokenReview in authentication');
      const audiences = spec.audiences?.length ? spec.audiences : [ISSUER];
      const verdict = judgeToken(spec.token ?? '', server, audiences, () => {});
      const status =
        'problem' in verdict
          ? { user: {}, error: verdict.problem }
          : { authenticated: true, user: userInfo(verdict.user), audiences: verdict.audiences };
      return { ...object, status };
    }
    default:
      return undefined;
  }
}

/** `namespace`: the only one that may be asked about. */
function validateReview(spec: ReviewSpec, namespace?: string): void {
  const errors = new FieldErrors();
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (resourceAttributes && nonResourceAttributes)
    errors.invalid(
      'spec.nonResourceAttributes',
      nonResourceAttributes,
      'cannot be specified in combination with resourceAttributes',
    );
  else if (!resourceAttributes && !nonResourceAttributes)
    errors.invalid(
      'spec.resourceAttributes',
      null,
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
  if (!spec.user && !spec.groups?.length)
    errors.invalid('spec.user', '', 'at least one of user or group must be specified');
  if (resourceAttributes) validateReviewSelectors(resourceAttributes, errors);
  if (namespace !== undefined && resourceAttributes && resourceAttributes.namespace !== namespace)
    errors.invalid(
      'spec.resourceAttributes.namespace',
      resourceAttributes.namespace ?? '',
      'must match metadata.namespace',
    );
  errors.throwIfAny({ group: 'authorization.k8s.io', name: '' }, '');
}

function userInfo(user: User): Record<string, unknown> {
  return {
    username: user.name,
    ...(user.uid ? { uid: user.uid } : {}),
    groups: user.groups,
    ...(user.extra ? { extra: user.extra } : {}),
  };
}

function access(server: ServerContext, user: User, spec: ReviewSpec): Record<string, unknown> {
  const { resourceAttributes: resource, nonResourceAttributes: other } = spec;
  const attributes: AccessAttributes = {
    verb: resource?.verb ?? other?.verb ?? '',
    group: resource?.group ?? '',
    version: resource?.version ?? '',
    resource: resource?.resource ?? '',
    subresource: resource?.subresource ?? '',
    namespace: resource?.namespace ?? '',
    name: resource?.name ?? '',
    fields: fieldsAskedFor(resource?.fieldSelector),
    ...(other ? { path: other.path ?? '' } : {}),
  };
  const { allowed, reason } = decide(server.store, user, attributes);
  const problem = resource ? selectorProblems(resource) : '';
  return { allowed, ...(reason ? { reason } : {}), ...(problem ? { evaluationError: problem } : {}) };
}

function rulesReview(server: ServerContext, user: User, namespace: string): Record<string, unknown> {
  const resourceRules: unknown[] = [];
  const nonResourceRules: unknown[] = [];
  const problems: string[] = [];
  for (const { rule } of rulesOf(server.store, user, namespace, problems)) {
    if (rule.resources?.length) {
      const { verbs, apiGroups, resources, resourceNames } = rule;
      resourceRules.push({ verbs, apiGroups, resources, ...(resourceNames?.length ? { resourceNames } : {}) });
    }
    if (rule.nonResourceURLs?.length)
      nonResourceRules.push({ verbs: rule.verbs, nonResourceURLs: rule.nonResourceURLs });
  }
  // What a node may do depends on what it runs.
  const incomplete = nodeOfUser(user) !== undefined;
  if (incomplete) problems.unshift('node authorizer does not support user rule resolution');
  const evaluationError = problems.length ? { evaluationError: joined(problems) } : {};
  return { resourceRules, nonResourceRules, incomplete, ...evaluationError };
}
