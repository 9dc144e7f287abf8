import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { command } from './command.ts';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** One layer of an image: a folder that becomes the tree below `/`. */
export interface LayerSource {
  readonly folder: string;
  /** What it holds, for the image's history. */
  readonly title: string;
}

export interface ImageSource {
  readonly architecture: string;
  readonly layers: readonly LayerSource[];
  /** `config` of the OCI image configuration. */
  readonly config: Readonly<Record<string, unknown>>;
}

const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

/**
 * Writes an OCI image layout as one archive, whose bytes depend on the sources alone: sorted names, no owners, one time for all.
 * `ctr images import`, `podman load`, `skopeo` and registries' tools take it.
 */
export function writeOciArchive(
  images: readonly ImageSource[],
  { out, names, created, scratch }: { out: string; names: readonly string[]; created: string; scratch: string },
): { digest: string; size: number } {
  const layout = join(scratch, 'layout');
  rmSync(layout, { recursive: true, force: true });
  mkdirSync(join(layout, 'blobs', 'sha256'), { recursive: true });
  const writer = new LayoutWriter(layout, created);
  const manifests = images.map((image) => ({
    ...writer.manifest(image),
    platform: { os: 'linux', architecture: image.architecture },
  }));
  const [only] = manifests;
  const top =
    manifests.length === 1 && only
      ? only
      : writer.json(types.index, { schemaVersion: 2, mediaType: types.index, manifests });
  const index = {
    schemaVersion: 2,
    mediaType: types.index,
    manifests: names.map((name) => ({
      ...top,
      annotations: { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name.split(':').at(-1) },
    })),
  };
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(join(layout, 'index.json'), JSON.stringify(index));
  mkdirSync(dirname(resolve(out)), { recursive: true });
  tar(layout, resolve(out), created);
  return { digest: top.digest, size: statSync(out).size };
}

class LayoutWriter {
  readonly #layout: string;
  readonly #created: string;

  constructor(layout: string, created: string) {
    this.#layout = layout;
    this.#created = created;
  }

  manifest({ architecture, layers, config }: ImageSource): Descriptor {
    const written = layers.map((layer) => ({ ...this.#layer(layer.folder), title: layer.title }));
    const configuration = this.json(types.config, {
      created: this.#created,
      architecture,
      os: 'linux',
      config,
      rootfs: { type: 'layers', diff_ids: written.map(({ diffId }) => diffId) },
      history: written.map(({ title }) => ({ created: this.#created, created_by: title })),
    });
    return this.json(types.manifest, {
      schemaVersion: 2,
      mediaType: types.manifest,
      config: configuration,
      layers: written.map(({ descriptor }) => descriptor),
    });
  }

  json(mediaType: string, value: object): Descriptor {
    return this.#blob(mediaType, Buffer.from(JSON.stringify(value)));
  }

  #layer(folder: string): { descriptor: Descriptor; diffId: string } {
    const file = join(this.#layout, '..', 'layer.tar');
    tar(folder, file, this.#created);
    const bytes = readFileSync(file);
    rmSync(file);
    return { descriptor: this.#blob(types.layer, gzipSync(bytes, { level: 9 })), diffId: sha256(bytes) };
  }

  #blob(mediaType: string, bytes: Buffer): Descriptor {
    const digest = sha256(bytes);
    writeFileSync(join(this.#layout, 'blobs', digest.replace(':', '/')), bytes);
    return { mediaType, digest, size: bytes.length };
  }
}

function tar(folder: string, file: string, time: string): void {
  const same = ['--sort=name', `--mtime=${time}`, '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
  command('tar', [...same, '-C', folder, '-cf', file, '.']);
}

function sha256(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
