import { type Diagnosis, failure } from '@tiphys/diagnosis';
import { signatureRefused, verifyCosign, verifyProvenance } from '@tiphys/registry';
import type { ChartSources } from './chart-source.ts';
import type { ChartPlace } from './chart-source-place.ts';

/** By whom a chart or an artifact has to be signed; each that is given counts. */
export interface ChartProof {
  /** Helm provenance by one of these armored keys, and by one of the ids (16 or 40 hexadecimal digits). */
  readonly provenance?: { readonly armored: readonly string[]; readonly ids: readonly string[] };
  /** Cosign by one of these public keys (PEM). */
  readonly cosign?: { readonly publicKeys: readonly string[] };
}

/** Proves that what the registry or repository has for a revision is signed so. Throws a diagnosis otherwise. */
export async function proveChart(
  sources: ChartSources,
  place: ChartPlace,
  { revision, proof, signal }: { readonly revision: string; readonly proof: ChartProof; readonly signal?: AbortSignal },
): Promise<void> {
  if (proof.provenance) {
    const { armored, ids } = proof.provenance;
    const signed = await sources.signed(place, revision, { signal });
    const { fingerprint } = await verifyProvenance({ ...signed, keyRing: { armored } });
    if (!ids.some((id) => isIdOf(id, fingerprint)))
      throw refused(`${signed.fileName} is signed by the key ${fingerprint}, which the project does not name`);
  }
  if (!proof.cosign) return;
  const reference = await sources.pinned(place, revision, { signal });
  if (!reference) throw refused('only artifacts of OCI registries have signatures by cosign');
  const { access } = place;
  await verifyCosign({ registry: sources.charts.registry, reference, access, ...proof.cosign, signal });
}

function isIdOf(id: string, fingerprint: string): boolean {
  const wanted = id.replace(/^0x/i, '').toUpperCase();
  return wanted.length >= 16 && fingerprint.endsWith(wanted);
}

function refused(message: Diagnosis['message']) {
  return failure(signatureRefused, {
    message,
    remedies: [
      'Sign it with a key that the project names, or name the key in the annotation tiphys.dev/chart-integrity',
    ],
  });
}
