import { ApplyError, FieldManager, FieldSet, type KubeObject } from '@tiphys/kubernetes';
import { StatusError } from './errors/status.ts';
import type { Resource } from './resource.ts';
import type { ServerContext } from './server-context.ts';

const managers = new WeakMap<Resource, Map<string, FieldManager>>();

/** The keeper of managed fields for requests to a resource or one of its subresources. */
export function fieldManagerOf(server: ServerContext, resource: Resource, subresource: string): FieldManager {
  let bySubresource = managers.get(resource);
  if (!bySubresource) {
    bySubresource = new Map();
    managers.set(resource, bySubresource);
  }
  let manager = bySubresource.get(subresource);
  if (!manager) {
    manager = build(server, resource, subresource);
    bySubresource.set(subresource, manager);
  }
  return manager;
}

function build({ registry, clock }: ServerContext, resource: Resource, subresource: string): FieldManager {
  const reset = resetFields(resource, subresource);
  return new FieldManager({
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    subresource,
    typeOf: (apiVersion) => versionOf(apiVersion)?.mergeType(),
    convert: (object, apiVersion) => {
      const from = versionOf(object.apiVersion);
      const to = versionOf(apiVersion);
      if (!from || !to) return { ...object, apiVersion };
      // Custom resources are converted from any version to any other.
      return to.fromStored(to.custom === undefined ? from.toStored(object) : object);
    },
    resetFields: () => reset,
    // Custom resources have no fields that are always there.
    ...(resource.custom === undefined
      ? {}
      : { zero: { apiVersion: resource.apiVersion, kind: resource.kind, metadata: {} } }),
    now: () => clock.now(),
  });

  function versionOf(apiVersion: string): Resource | undefined {
    if (apiVersion === resource.apiVersion) return resource;
    const slash = apiVersion.lastIndexOf('/');
    return registry.find(slash < 0 ? '' : apiVersion.slice(0, slash), apiVersion.slice(slash + 1), resource.plural);
  }
}

const METADATA = [['metadata']];

/** Fields besides the spec that a write of the status cannot own, by collection. */
const STATUS_RESETS: Readonly<Record<string, string[][]>> = {
  pods: [
    ['metadata', 'deletionTimestamp'],
    ['metadata', 'ownerReferences'],
  ],
  'apps/deployments': [['metadata', 'labels']],
  'storage.k8s.io/volumeattachments': METADATA,
  'flowcontrol.apiserver.k8s.io/flowschemas': METADATA,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': METADATA,
  'admissionregistration.k8s.io/validatingadmissionpolicies': METADATA,
  'apiregistration.k8s.io/apiservices': METADATA,
};

/** What a request to this endpoint can't change, and so can't own. */
function resetFields(resource: Resource, subresource: string): FieldSet | undefined {
  if (subresource === 'scale' || !resource.strategy.statusSubresource) return undefined;
  if (resource.collection === 'certificates.k8s.io/certificatesigningrequests') {
    const kept = { approval: ['status', 'certificate'], status: ['status', 'conditions'] }[subresource];
    return FieldSet.of(['spec'], kept ?? ['status']);
  }
  if (subresource !== 'status') return FieldSet.of(['status']);
  if (resource.custom !== undefined) return FieldSet.of(['spec']);
  return FieldSet.of(['spec'], ...(STATUS_RESETS[resource.collection] ?? []));
}

/** Runs an apply; its refusals become the API server's. */
export function applyFields(
  manager: FieldManager,
  live: KubeObject | undefined,
  patch: KubeObject,
  options: { manager: string; force: boolean },
): KubeObject {
  try {
    return manager.apply(live, patch, options);
  } catch (error) {
    if (!(error instanceof ApplyError)) throw error;
    if (error.status === 409) {
      const causes = error.conflicts.map(({ message, field }) => ({ reason: 'FieldManagerConflict', message, field }));
      throw new StatusError(409, 'Conflict', error.message, { causes });
    }
    if (error.status === 400) throw new StatusError(400, 'BadRequest', error.message);
    throw new StatusError(500, '', error.message);
  }
}
