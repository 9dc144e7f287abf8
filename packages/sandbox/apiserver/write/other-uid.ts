import { conflict, type Resource, type StatusError } from '@tiphys/apimachinery';
import type { Operation } from '../request/operation.ts';

/** Resources that etcd knows by an older name. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  '/endpoints': 'services/endpoints',
  '/nodes': 'minions',
  '/replicationcontrollers': 'controllers',
  '/services': 'services/specs',
  'apiextensions.k8s.io/customresourcedefinitions': 'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices': 'apiregistration.k8s.io/apiservices',
  'networking.k8s.io/ingresses': 'ingress',
};

function folderOf({ group, plural, custom }: Resource): string {
  return custom === undefined ? (OLD_NAMES[`${group}/${plural}`] ?? plural) : `${group}/${plural}`;
}

/** The refusal of a write that names another uid than the object has, in the words of kube-apiserver's storage. */
export function otherUid({ resource, info, dryRun }: Operation, wanted: string, found: string): StatusError {
  const namespace = resource.namespaced ? `${info.namespace}/` : '';
  const key = `${dryRun ? '' : '/registry'}/${folderOf(resource)}/${namespace}${info.name}`;
  return conflict(
    { group: resource.group, name: resource.plural },
    info.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`,
  );
}
