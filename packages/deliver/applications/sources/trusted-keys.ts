import { names } from '@tiphys/api';
import { readSshKeys, type TrustedKeys } from '@tiphys/git';
import type { Informer, KubeObject } from '@tiphys/kubernetes';

/** The public keys that commits are verified with: those of argocd-gpg-keys-cm and of tiphys-ssh-signing-keys. */
export function trustedKeys(configMaps: Pick<Informer<KubeObject>, 'get'>, namespace: string): TrustedKeys {
  const textsOf = (name: string) =>
    Object.values((configMaps.get(namespace, name)?.data ?? {}) as Readonly<Record<string, string>>);
  return {
    openpgp: textsOf(names.configMaps.gpgKeys),
    ssh: textsOf(names.configMaps.sshSigningKeys).flatMap(readSshKeys),
  };
}
