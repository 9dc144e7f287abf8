import { randomBytes, randomInt } from 'node:crypto';
import { names } from '@tiphys/api';
import { type Clock, isAlreadyExists, type KubeObject, timestamp } from '@tiphys/kubernetes';
import { type ControlPlane, encodeSecret, partOf } from './control-plane.ts';
import type { PasswordHashes } from './password-hashes.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Creates what a fresh control plane needs and leaves alone what is there: the ConfigMaps, the signing key, the admin
 * password (also kept in `argocd-initial-admin-secret` until the operator deletes it), the Secret of notifications, which
 * `argocd admin notifications` asks for, and the project `default`.
 * Several replicas may do so at once.
 */
export async function initializeControlPlane(
  plane: ControlPlane,
  passwords: PasswordHashes,
  clock: Clock,
): Promise<void> {
  for (const name of names.installedConfigMaps)
    await createIfMissing(plane, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels: { ...partOf, 'app.kubernetes.io/name': name } },
    });
  await initializeSecret(plane, passwords, clock);
  const { notifications } = names.secrets;
  await createIfMissing(plane, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: notifications, labels: { ...partOf, 'app.kubernetes.io/name': notifications } },
    type: 'Opaque',
  });
  await createIfMissing(plane, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'default' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    },
  });
}

async function initializeSecret(plane: ControlPlane, passwords: PasswordHashes, clock: Clock): Promise<void> {
  const settings = plane.configMap('argocd-cm');
  let initial: string | undefined;
  await plane.change('Secret', 'argocd-secret', async (data) => {
    const after = { ...data };
    if (!after['server.secretkey']) after['server.secretkey'] = randomBytes(32).toString('base64');
    initial = undefined;
    if (!after['admin.password'] && settings['admin.enabled'] !== 'false') {
      initial = randomPassword();
      after['admin.password'] = await passwords.make(initial);
      after['admin.passwordMtime'] = timestamp(clock.now());
    }
    return Object.keys(after).length === Object.keys(data).length ? undefined : after;
  });
  if (initial === undefined) return;
  await createIfMissing(plane, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'argocd-initial-admin-secret', labels: partOf },
    type: 'Opaque',
    data: encodeSecret({ password: initial }),
  });
}

async function createIfMissing(plane: ControlPlane, object: KubeObject): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  if (await plane.client.find({ apiVersion, kind, namespace: plane.namespace, name: metadata.name as string })) return;
  try {
    await plane.client.create({ ...object, metadata: { ...metadata, namespace: plane.namespace } });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** 20 letters and digits: 119 bits. */
function randomPassword(): string {
  return Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('');
}
