import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Application, ApplicationSource } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { DesiredObject } from '@tiphys/engine';
import { type Client, isAlreadyExists, isConflict, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { applicationKey } from '../spec/application-key.ts';
import { ApplicationSecrets, isOf } from './application-secret.ts';
import type { RenderedSources } from './source-renderer.ts';

const recordedManifestsTooBig = defineDiagnosis(
  'RecordedManifestsTooBig',
  'The manifests of an application are too big to be recorded, so that a bad revision could not be taken back',
);
const recordedManifestsInvalid = defineDiagnosis(
  'RecordedManifestsInvalid',
  'The Secret with the recorded manifests of an application is not there or cannot be read',
);

/** Label of the Secrets that hold the manifests of the last good revision. */
const recordedManifestsLabel = 'tiphys.dev/recorded-manifests';
/** What Kubernetes allows a Secret to hold, less some room, before base64 is undone. */
const maxBytes = 1_048_576 - 16_384;
/** Manifests beyond are not unpacked, in bytes. */
const maxUnpacked = 256 * 1024 * 1024;
const maxAttempts = 5;

/** What is recorded, without the manifests. */
export interface RecordedHead {
  /** Of each source, in their order. */
  readonly revisions: readonly string[];
  readonly sources: readonly ApplicationSource[];
  readonly sourceTypes: readonly string[];
  /** Digest of what was rendered, as `renderDigest` tells it. */
  readonly render: string;
  /** When it was found good, RFC 3339. */
  readonly at: string;
}

interface Known {
  readonly uid: string;
  readonly head: RecordedHead | undefined;
}

/** One digest of what all sources of an application gave: equal ones are the same objects. */
export function renderDigest({ renders }: Pick<RenderedSources, 'renders'>): string {
  return createHash('sha256')
    .update(renders.map(({ digest }) => digest).join('\n'))
    .digest('hex')
    .slice(0, 32);
}

/**
 * The manifests of the last good revision of applications whose delivery is gated by health: a Secret for each in the namespace of
 * the control plane, since manifests may hold Secrets. They can be synced without their repository.
 */
export class RecordedManifests {
  readonly #client: Client;
  readonly #secrets: ApplicationSecrets;
  readonly #known = new Map<string, Known>();

  constructor(parts: { client: Client; namespace: string }) {
    this.#client = parts.client;
    const { namespace } = parts;
    this.#secrets = new ApplicationSecrets({ namespace, prefix: 'tiphys-recorded-', label: recordedManifestsLabel });
  }

  /** What is recorded of an application, as this process knows it; undefined if nothing is. */
  async head(application: Application): Promise<RecordedHead | undefined> {
    const known = this.#known.get(applicationKey(application));
    if (known && known.uid === application.metadata.uid) return known.head;
    return this.#reread(application);
  }

  /** The recorded manifests in the form of a render. Throws a diagnosis if they are not there or are not those of `render`. */
  async load(application: Application, render?: string): Promise<{ head: RecordedHead; rendered: RenderedSources }> {
    const secret = await this.#find(application);
    const head = secret ? headOf(secret) : undefined;
    if (!secret || !head) throw this.#invalid(application, 'it is not there');
    if (render !== undefined && head.render !== render)
      throw this.#invalid(application, 'it holds other manifests by now');
    try {
      const packed = Buffer.from(dataOf(secret)['manifests.json.gz'] ?? '', 'base64');
      const text = (await promisify(gunzip)(packed, { maxOutputLength: maxUnpacked })).toString('utf8');
      const objects = JSON.parse(text) as DesiredObject[];
      const sourceTypes = head.sourceTypes as RenderedSources['sourceTypes'];
      const rendered = {
        revisions: head.revisions,
        sourceTypes,
        objects,
        warnings: [],
        generated: new Map(),
        renders: [],
      };
      return { head, rendered };
    } catch {
      // The text may hold Secrets: not even a part of it is told.
      throw this.#invalid(application, 'it is damaged');
    }
  }

  /** Records a good state in place of the one before; the same one again costs nothing. */
  async record(application: Application, head: RecordedHead, objects: readonly DesiredObject[]): Promise<void> {
    const before = await this.head(application);
    if (before && before.render === head.render && before.revisions.join() === head.revisions.join()) return;
    const packed = await promisify(gzip)(Buffer.from(JSON.stringify(objects)));
    const bytes = Math.ceil(packed.length / 3) * 4;
    if (bytes > maxBytes) throw tooBig(application, bytes);
    const secret = this.#secrets.make(application, {
      'head.json': Buffer.from(JSON.stringify({ version: 1, ...head })).toString('base64'),
      'manifests.json.gz': packed.toString('base64'),
    });
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const stored = await this.#client.find(this.#secrets.ref(application.metadata));
      try {
        if (stored)
          await this.#client.update({
            ...secret,
            metadata: { ...secret.metadata, resourceVersion: stored.metadata.resourceVersion ?? '' },
          });
        else await this.#client.create(secret);
        this.#known.set(applicationKey(application), { uid: application.metadata.uid ?? '', head });
        return;
      } catch (error) {
        if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
      }
    }
    throw this.#invalid(application, `somebody else wrote it ${maxAttempts} times in a row`);
  }

  /** Whether an object is one of these Secrets: it is never shown. */
  holds(object: { kind: string; namespace: string; name: string }): boolean {
    return this.#secrets.holds(object);
  }

  /** Deletes what is recorded of an application that is gone. */
  async remove(key: string): Promise<void> {
    if (!this.#known.delete(key)) return;
    const [namespace = '', name = ''] = key.split('/');
    try {
      await this.#client.delete(this.#secrets.ref({ namespace, name }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #reread(application: Application): Promise<RecordedHead | undefined> {
    const secret = await this.#find(application);
    const head = secret ? headOf(secret) : undefined;
    this.#known.set(applicationKey(application), { uid: application.metadata.uid ?? '', head });
    return head;
  }

  /** That of an application of the same name which was deleted is none of this one's. */
  async #find(application: Application): Promise<KubeObject | undefined> {
    const secret = await this.#client.find(this.#secrets.ref(application.metadata));
    return secret && isOf(secret, application) ? secret : undefined;
  }

  #invalid(application: Application, why: string) {
    const { name, namespace } = this.#secrets.ref(application.metadata);
    return failure(recordedManifestsInvalid, {
      message: `The recorded manifests of ${application.metadata.name} cannot be used: ${why}`,
      place: { object: `Secret ${namespace}/${name}` },
      remedies: [
        'Commit a correction: what is good next is recorded again',
        { text: 'Or go back by Git', paste: `argocd app rollback ${application.metadata.name}` },
      ],
    });
  }
}

function dataOf(secret: KubeObject): Record<string, string> {
  return (secret.data ?? {}) as Record<string, string>;
}

/** Undefined for what cannot be read: it is recorded anew. */
function headOf(secret: KubeObject): RecordedHead | undefined {
  try {
    const { version, ...head } = JSON.parse(Buffer.from(dataOf(secret)['head.json'] ?? '', 'base64').toString('utf8'));
    return version === 1 && Array.isArray(head.revisions) && Array.isArray(head.sources) ? head : undefined;
  } catch {
    return undefined;
  }
}

function tooBig(application: Application, bytes: number) {
  return failure(recordedManifestsTooBig, {
    message: `The manifests of ${application.metadata.name} take ${bytes} bytes packed; at most ${maxBytes} can be recorded, so a bad revision is not taken back`,
    place: { object: `Application ${applicationKey(application)}` },
    remedies: ['Split the application', 'Or leave it without a gate'],
  });
}
