import type { Access } from '../access/access.ts';
import { registryAnswerRefused } from '../access/diagnoses.ts';
import { RegistryError } from '../access/registry-error.ts';
import { readFields } from '../http/read-fields.ts';
import { formatOciReference, type OciReference, parseOciReference } from './oci-reference.ts';
import type { Manifest, OciRegistry } from './oci-registry.ts';

/** What an image runs by itself. */
export interface ImageCommand {
  readonly entrypoint?: string[];
  readonly cmd?: string[];
}

/** A configuration has some KiB. */
const maxConfigBytes = 4 << 20;

/** Reads an image's name as container runtimes do: `nginx` is `docker.io/library/nginx:latest`. Throws for what is none. */
export function parseImageReference(image: string): OciReference {
  const [first = '', ...rest] = image.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const named = hasHost ? image : `docker.io/${rest.length > 0 ? image : `library/${image}`}`;
  const { registry, ...reference } = parseOciReference(named);
  const tag = reference.tag || (reference.digest ? '' : 'latest');
  return { ...reference, registry: registry === 'index.docker.io' ? 'docker.io' : registry, tag };
}

/**
 * What an image runs by itself, as its configuration in the registry says; of an index that of `architecture` (as Go names it) on Linux.
 * Throws what keeps it from being known.
 */
export async function imageCommand(
  registry: OciRegistry,
  reference: OciReference,
  { access, architecture, signal }: { access: Access; architecture: string; signal?: AbortSignal },
): Promise<ImageCommand> {
  let manifest = await found(registry, reference, { access, signal });
  if (manifest.manifests.length > 0) {
    const entry = manifest.manifests.find(
      ({ platform }) => platform?.os === 'linux' && platform.architecture === architecture,
    );
    if (!entry) throw unusable(reference, `it has no image for linux/${architecture}`);
    manifest = await found(registry, { ...reference, tag: '', digest: entry.digest }, { access, signal });
  }
  if (!manifest.config) throw unusable(reference, 'its manifest names no configuration');
  const bytes = await registry.blob(reference, manifest.config, access, { maxBytes: maxConfigBytes, signal });
  const { Entrypoint, Cmd } = configOf(reference, bytes);
  return { ...(isTexts(Entrypoint) ? { entrypoint: Entrypoint } : {}), ...(isTexts(Cmd) ? { cmd: Cmd } : {}) };
}

async function found(
  registry: OciRegistry,
  reference: OciReference,
  { access, signal }: { access: Access; signal: AbortSignal | undefined },
): Promise<Manifest> {
  const manifest = await registry.manifest(reference, access, { signal });
  if (!manifest) throw unusable(reference, 'the registry does not have it');
  return manifest;
}

function configOf(reference: OciReference, bytes: Buffer): Readonly<Record<string, unknown>> {
  const fields = readFields(bytes);
  if (!fields) throw unusable(reference, 'its configuration is no JSON object');
  return (fields['config'] ?? {}) as Record<string, unknown>;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function unusable(reference: OciReference, reason: string): RegistryError {
  const image = formatOciReference(reference);
  return new RegistryError(registryAnswerRefused, `${image}: ${reason}`, {
    message: `What ${image} runs can not be read: ${reason}`,
    place: { remote: image },
    remedies: ['Correct the name of the image, or say what it runs: command'],
  });
}
