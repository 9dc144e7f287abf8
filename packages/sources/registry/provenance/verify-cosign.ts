import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { Access } from '../access/access.ts';
import { signatureRefused } from '../access/diagnoses.ts';
import { RegistryError } from '../access/registry-error.ts';
import type { OciReference } from '../oci/oci-reference.ts';
import type { OciRegistry } from '../oci/oci-registry.ts';

const payloadType = 'application/vnd.dev.cosign.simplesigning.v1+json';
const signatureAnnotation = 'dev.cosignproject.cosign/signature';
const maxPayload = 64 << 10;
const mostSignatures = 100;

export interface CosignQuestion {
  readonly registry: OciRegistry;
  /** Of the artifact, by its digest. */
  readonly reference: OciReference;
  readonly access: Access;
  /** PEM; one of them must have signed. */
  readonly publicKeys: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Proves that one of the keys signed the artifact as `cosign sign --key` does: a payload that names the digest, at the tag
 * `sha256-….sig` of the same repository. Throws a `RegistryError` otherwise: it fails closed.
 */
export async function verifyCosign(question: CosignQuestion): Promise<void> {
  const { registry, reference, access, signal } = question;
  const keys = question.publicKeys.map((pem) => readKey(pem, reference));
  const tag = `${reference.digest.replace(':', '-')}.sig`;
  const place = { ...reference, digest: '', tag };
  const manifest = await registry.manifest(place, access, { signal });
  if (!manifest) throw refused(reference, `it has no signature (tag ${tag})`);
  const layers = manifest.layers.filter(({ mediaType }) => mediaType === payloadType).slice(0, mostSignatures);
  for (const layer of layers) {
    const signature = Buffer.from(layer.annotations?.[signatureAnnotation] ?? '', 'base64');
    if (signature.length === 0) continue;
    const payload = await registry.blob(reference, layer, access, { maxBytes: maxPayload, signal });
    if (keys.some((key) => isSigned(payload, key, signature)) && digestOf(payload) === reference.digest) return;
  }
  throw refused(reference, `none of its ${layers.length} signatures is of a key that the project names`);
}

function isSigned(payload: Buffer, key: KeyObject, signature: Buffer): boolean {
  try {
    const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
    return verify(digest, payload, key, signature);
  } catch {
    // a signature that this kind of key cannot have made
    return false;
  }
}

/** The digest that a payload speaks of. */
function digestOf(payload: Buffer): unknown {
  try {
    const { critical } = JSON.parse(payload.toString('utf8')) as {
      critical?: { image?: { 'docker-manifest-digest'?: unknown } };
    };
    return critical?.image?.['docker-manifest-digest'];
  } catch {
    return undefined;
  }
}

function readKey(pem: string, reference: OciReference): KeyObject {
  try {
    return createPublicKey(pem);
  } catch {
    throw refused(reference, 'a public key of the policy is no PEM');
  }
}

function refused({ registry, repository, digest }: OciReference, reason: string): RegistryError {
  const name = `oci://${registry}/${repository}@${digest}`;
  return new RegistryError(signatureRefused, reason, {
    message: `${name} is not signed as the project wants it: ${reason}`,
    place: { remote: `oci://${registry}/${repository}` },
    remedies: [
      {
        text: 'Sign it with a key that the project names',
        paste: `cosign sign --key KEY ${name.slice('oci://'.length)}`,
      },
    ],
  });
}
