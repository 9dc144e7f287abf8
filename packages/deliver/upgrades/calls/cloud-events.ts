import type { AuditEvent } from './audit-events.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An event in the words of a cloud as one of `audit.k8s.io`; undefined for what is none. */
export function cloudEvent(value: Fields): AuditEvent | undefined {
  return googleEvent(value) ?? azureEvent(value);
}

/**
 * An entry of Cloud Logging of GKE: a `google.cloud.audit.AuditLog` that names the API by `resourceName` (`core/v1/namespaces/a/pods/b`) and the verb by the
 * end of `methodName` (`io.k8s.core.v1.pods.list`). It does not name the pod.
 */
function googleEvent({ protoPayload, labels, timestamp, receiveTimestamp }: Fields): AuditEvent | undefined {
  const payload = fieldsOf(protoPayload);
  const path = textOf(payload['resourceName']);
  const method = textOf(payload['methodName']);
  if (!path || !method.startsWith('io.k8s.')) return undefined;
  const [group = '', version = '', ...rest] = path.split('/');
  const [resource = ''] = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest;
  return {
    stage: 'ResponseComplete',
    verb: method.slice(method.lastIndexOf('.') + 1),
    user: { username: textOf(fieldsOf(payload['authenticationInfo'])['principalEmail']) },
    userAgent: textOf(fieldsOf(payload['requestMetadata'])['callerSuppliedUserAgent']),
    objectRef: { resource, apiGroup: group === 'core' ? '' : group, apiVersion: version },
    requestReceivedTimestamp: textOf(timestamp) || textOf(receiveTimestamp),
    annotations: fieldsOf(labels) as Record<string, string>,
  };
}

/** A row of the tables AKSAudit and AKSAuditAdmin, whose columns are the fields of an event in capitals. */
function azureEvent(value: Fields): AuditEvent | undefined {
  if (typeof value['Verb'] !== 'string' || value['ObjectRef'] === undefined) return undefined;
  return {
    stage: textOf(value['Stage']),
    verb: value['Verb'],
    user: fieldsOf(value['User']) as AuditEvent['user'] & object,
    userAgent: textOf(value['UserAgent']),
    objectRef: fieldsOf(value['ObjectRef']) as AuditEvent['objectRef'] & object,
    requestReceivedTimestamp: textOf(value['RequestReceivedTime']) || textOf(value['TimeGenerated']),
    annotations: fieldsOf(value['Annotations']) as Record<string, string>,
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Fields that an export gives as an object, or as its JSON. */
function fieldsOf(value: unknown): Fields {
  if (typeof value === 'object' && value !== null) return value as Fields;
  if (typeof value !== 'string' || !value.startsWith('{')) return {};
  try {
    return JSON.parse(value) as Fields;
  } catch {
    return {};
  }
}
