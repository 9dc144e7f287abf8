import { type Attributes, admissionForbidden } from '@tiphys/admission-rules';
import type { StatusError } from '@tiphys/apimachinery';
import { claimOfVolume, type PodObject, volumesOf } from '@tiphys/kinds';
import type { coreV1, KubeObject, storageV1 } from '@tiphys/kubernetes';
import { podNamed } from './node-pods.ts';

/** The drivers that have taken over volumes which Kubernetes once had built in. */
const DRIVERS: Readonly<Record<string, string>> = {
  awsElasticBlockStore: 'ebs.csi.aws.com',
  azureDisk: 'disk.csi.azure.com',
  azureFile: 'file.csi.azure.com',
  cinder: 'cinder.csi.openstack.org',
  gcePersistentDisk: 'pd.csi.storage.gke.io',
  portworxVolume: 'pxd.portworx.com',
  vsphereVolume: 'csi.vsphere.vmware.com',
};

interface TokenSpec {
  audiences?: string[] | null;
  boundObjectRef?: { apiVersion?: string; kind?: string; name?: string; uid?: string } | null;
}

/** A kubelet asks for tokens that are bound to pods on its node, and for audiences that their volumes name. */
export function restrictToken(attributes: Attributes, node: string): void {
  const { operation, subresource, object } = attributes;
  if (operation !== 'CREATE' || subresource !== 'token') return;
  const spec = (object?.spec ?? {}) as TokenSpec;
  const { boundObjectRef: bound } = spec;
  const refuse = (why: string) => admissionForbidden(attributes, why);
  if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name)
    throw refuse('node requested token not bound to a pod');
  if (!bound.uid) throw refuse('node requested token with a pod binding without a uid');
  const pod = podNamed(attributes, bound.name);
  if (bound.uid !== pod.metadata.uid)
    throw refuse(
      `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (pod.spec.nodeName !== node) throw refuse('node requested token bound to a pod scheduled on a different node');
  restrictAudience(attributes, pod, spec.audiences ?? []);
}

function restrictAudience(attributes: Attributes, pod: PodObject, audiences: readonly string[]): void {
  const { server, user, namespace, name } = attributes;
  const refuse = (why: string): StatusError => admissionForbidden(attributes, why);
  if (audiences.length > 1) throw refuse('node may only request 0 or 1 audiences');
  const [audience = ''] = audiences;
  const { found, problems } = audienceInVolumes(attributes, pod, audience);
  if (found) return;
  const quoted = JSON.stringify(audience);
  if (problems.length) {
    const text = problems.length > 1 ? `[${problems.join(', ')}]` : problems.join();
    throw refuse(`error validating audience ${quoted}: ${text}`);
  }
  const verb = 'request-serviceaccounts-token-audience';
  const question = { verb, group: '', version: 'v1', resource: audience, subresource: '', namespace, name };
  if (server.authorizer.allowedBy(user, question) !== undefined) return;
  throw refuse(
    `audience ${quoted} not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`,
  );
}

/** Whether a volume of the pod has tokens for the audience, by itself or through the driver of its storage. */
function audienceInVolumes(
  attributes: Attributes,
  pod: PodObject,
  audience: string,
): { found: boolean; problems: string[] } {
  const problems: string[] = [];
  for (const volume of volumesOf(pod)) {
    const sources = volume.projected?.sources ?? [];
    if (sources.some(({ serviceAccountToken: token }) => token && (token.audience ?? '') === audience))
      return { found: true, problems };
    const claim = claimOfVolume(pod, volume);
    const driver = claim === undefined ? driverOf(volume) : driverOfClaim(attributes, claim, problems);
    if (driver && audiencesOfDriver(attributes, driver, problems).includes(audience)) return { found: true, problems };
  }
  return { found: false, problems };
}

function driverOfClaim({ server, namespace }: Attributes, name: string, problems: string[]): string | undefined {
  const find = (collection: string, key: string, what: string, shown: string): KubeObject | undefined => {
    const found = server.store.collection(collection).get(key)?.object;
    if (!found) problems.push(`${what} ${JSON.stringify(shown)} not found`);
    return found;
  };
  const claim = find('persistentvolumeclaims', `${namespace}/${name}`, 'persistentvolumeclaim', name);
  if (!claim) return undefined;
  const { volumeName = '' } = claim.spec as coreV1.PersistentVolumeClaimSpec;
  const volume = find('persistentvolumes', volumeName, 'persistentvolume', volumeName);
  return volume && driverOf(volume.spec as Sources);
}

type Sources = Record<string, unknown> & { csi?: { driver?: string } };

function driverOf(volume: Sources): string | undefined {
  return volume.csi?.driver ?? Object.entries(DRIVERS).find(([source]) => volume[source])?.[1];
}

function audiencesOfDriver({ server }: Attributes, driver: string, problems: string[]): string[] {
  const found = server.store.collection('storage.k8s.io/csidrivers').get(driver)?.object;
  if (!found) problems.push(`csidriver.storage.k8s.io ${JSON.stringify(driver)} not found`);
  const { tokenRequests = [] } = (found?.spec ?? {}) as storageV1.CSIDriverSpec;
  return tokenRequests.map(({ audience = '' }) => audience);
}
