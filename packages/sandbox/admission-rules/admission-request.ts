import type { Resource } from '@tiphys/apimachinery';
import type { Attributes } from './attributes.ts';

/** What a webhook is asked, and CEL calls `request`; without the objects. */
export function admissionRequest(attributes: Attributes, shown: Resource): Record<string, unknown> {
  const { resource, subresource, kind, user } = attributes;
  const own = { group: resource.group, version: resource.version, resource: resource.plural };
  const special = kind.kind !== resource.kind || kind.group !== resource.group;
  const shownKind = special ? kind : { group: shown.group, version: shown.version, kind: shown.kind };
  return {
    kind: { group: shownKind.group, version: shownKind.version, kind: shownKind.kind },
    resource: { group: shown.group, version: shown.version, resource: shown.plural },
    ...(subresource ? { subResource: subresource } : {}),
    requestKind: { group: kind.group, version: kind.version, kind: kind.kind },
    requestResource: own,
    ...(subresource ? { requestSubResource: subresource } : {}),
    ...(attributes.name ? { name: attributes.name } : {}),
    ...(attributes.namespace ? { namespace: attributes.namespace } : {}),
    operation: attributes.operation,
    userInfo: {
      username: user.name,
      ...(user.uid ? { uid: user.uid } : {}),
      groups: user.groups,
      ...(user.extra ? { extra: user.extra } : {}),
    },
    dryRun: attributes.dryRun,
    options: attributes.options,
  };
}
