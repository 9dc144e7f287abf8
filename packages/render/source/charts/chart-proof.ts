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

/** What was rendered, and how it has to be signed. */
export interface ProofQuestion {
  /** The version, or the digest of an artifact. */
  readonly version: string;
  /** The digest of what it was when it was rendered: this is proved, whatever the version stands for now. */
  readonly content: string;
  readonly proof: ChartProof;
  readonly signal?: AbortSignal;
}

/** Proves that what was rendered is signed so. Throws a diagnosis otherwise. */
export async function proveChart(
  sources: ChartSources,
  place: ChartPlace,
  { version, content, proof, signal }: ProofQuestion,
): Promise<void> {
  if (proof.provenance) {
    const { armored, ids } = proof.provenance;
    const signed = await sources.signed(place, { version, content }, { signal });
    const { fingerprint } = await verifyProvenance({ ...signed, keyRing: { armored } });
    if (!ids.some((id) => isIdOf(id, fingerprint)))
      throw refused(`${signed.fileName} is signed by the key ${fingerprint}, which the project does not name`);
  }
  if (!proof.cosign) return;
  const reference = await sources.pinned(place, { version, content }, { signal });
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
