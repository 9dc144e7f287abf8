import * as kinds from '../diagnoses.ts';
import type { Asked, Explained, Status } from './refusal.ts';

/** What a 403 means: RBAC (C1), a quota (C6), a namespace that goes (C12), or an admission plugin. */
export function forbidden(_status: Status, message: string, asked: Asked): Explained {
  const rbac =
    /User "([^"]*)" cannot (\S+) (?:resource "([^"]*)" in API group "([^"]*)"|path "([^"]*)")(?: (?:in the namespace "([^"]*)"|at the cluster scope))?/.exec(
      message,
    );
  if (rbac) return accessDenied(rbac, message);
  const quota = /exceeded quota: (\S+), requested: (.*?), used: (.*?), limited: (.*)$/s.exec(message);
  if (quota) {
    const [, name, requested, used, limited] = quota;
    return {
      kind: kinds.quotaExceeded,
      message: `ResourceQuota ${asked.namespace ? `${asked.namespace}/` : ''}${name} has no room: wanted ${requested}, used ${used}, limit ${limited}`,
      evidence: { quota: name, requested, used, limited },
      remedies: [`Raise the hard limit of ResourceQuota ${name}, or free what it counts`],
      handling: 'retryable',
    };
  }
  const terminating = /unable to create new content in namespace (\S+) because it is being terminated/.exec(message);
  if (terminating) {
    return {
      kind: kinds.namespaceTerminating,
      message: `Namespace ${terminating[1]} is being deleted, so nothing can be created in it`,
      remedies: [
        {
          text: 'See what holds the namespace: objects with finalizers, or an API group that does not answer',
          paste: `kubectl get namespace ${terminating[1]} -o jsonpath='{.status.conditions}'`,
        },
      ],
      handling: 'retryable',
    };
  }
  const security = /violates PodSecurity "([^"]+)": (.*)$/s.exec(message);
  if (security) {
    return {
      kind: kinds.admissionDenied,
      message: `The pod violates the Pod Security Standard ${security[1]} of its namespace: ${security[2]}`,
      remedies: [
        'Set the security context that it asks for, or another pod-security.kubernetes.io/enforce label on the namespace',
      ],
    };
  }
  const range = /(?:maximum|minimum) \S+ usage per (\S+) is [^,]+, but /.exec(message);
  if (range)
    return {
      kind: kinds.admissionDenied,
      message: `A LimitRange of the namespace forbids it: ${message.slice(range.index)}`,
      remedies: [
        `Ask for what the LimitRange lets a ${range[1]} have, or change the LimitRange (kubectl get limitrange${asked.namespace ? ` -n ${asked.namespace}` : ''})`,
      ],
    };
  return {
    kind: kinds.admissionDenied,
    remedies: ['Change the object to what the message asks for, or the policy of the cluster that forbids it'],
    message: `The API server forbids it: ${message.replace(/^.*? is forbidden: /s, '')}`,
  };
}

function accessDenied(match: RegExpExecArray, message: string): Explained {
  const [, user = '', verb = '', resource, group = '', path, namespace] = match;
  const where = namespace ? ` in namespace ${namespace}` : path ? '' : ' at cluster scope';
  const what = path ? `the path ${path}` : `${resource}${group ? `.${group}` : ''}`;
  const rule = path
    ? `- nonResourceURLs: ["${path}"]\n  verbs: ["${verb}"]`
    : `- apiGroups: ["${group}"]\n  resources: ["${resource}"]\n  verbs: ["${verb}"]`;
  const kind = namespace ? `a Role in namespace ${namespace}` : 'a ClusterRole';
  return {
    kind: kinds.accessDenied,
    message: `${user} may not ${verb} ${what}${where}`,
    evidence: {
      identity: user,
      verb,
      resource: path ?? what,
      namespace: namespace ?? (path ? undefined : 'all (cluster scope)'),
      authorizer: /": (.+)$/s.exec(message.slice(match.index + match[0].length - 1))?.[1],
    },
    remedies: [{ text: `Add this rule to ${kind} that is bound to ${user}`, paste: rule }],
  };
}
