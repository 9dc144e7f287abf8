import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Application } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { DesiredObject, GeneratedField } from '@tiphys/engine';
import type { RecordedValue } from '@tiphys/helm';
import {
  type Client,
  type Informer,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeObject,
  parseApiVersion,
} from '@tiphys/kubernetes';
import { generationKey } from '@tiphys/template';
import { applicationKey } from '../spec/application-key.ts';
import { ApplicationSecrets, isOf } from './application-secret.ts';

const generatedValuesTooBig = defineDiagnosis(
  'GeneratedValuesTooBig',
  'The charts of an application generate more than can be recorded',
);
const generatedValuesInvalid = defineDiagnosis(
  'GeneratedValuesInvalid',
  'The Secret with the generated values of an application cannot be read',
);

const generatedValuesContended = defineDiagnosis(
  'GeneratedValuesContended',
  'Somebody else keeps writing the generated values of an application',
);

/** Label of the Secrets that hold generated values. */
export const generatedValuesLabel = 'tiphys.dev/generated-values';
const dataKey = 'values.json';
/** What Kubernetes allows a Secret to hold, less some room. */
const maxBytes = 1_048_576 - 4_096;

/** A recorded value. */
interface StoredValue extends RecordedValue {
  /** Name of the release that it was generated for. */
  readonly release: string;
}

/** What is recorded for an application. */
interface StoredValues {
  readonly values: readonly StoredValue[];
  /** Digests of the generated fields as the last whole sync desired them, by object and path. */
  readonly fields: Readonly<Record<string, string>>;
  /** The last rotation that was carried out. */
  readonly rotation?: string;
}

interface GeneratedByRender {
  readonly used: readonly RecordedValue[];
  readonly fresh: ReadonlySet<string>;
}

/** Values that the sources of one render used, by release. */
export type UsedValues = ReadonlyMap<string, readonly RecordedValue[]>;

/** Writes that may meet somebody else's before it is given up. */
const maxAttempts = 10;

/** What a render desired, as far as it was generated. */
interface Settled {
  readonly objects: readonly DesiredObject[];
  readonly generated: UsedValues;
}

const nothing: StoredValues = { values: [], fields: {} };

/**
 * Generated values are recorded state: a Secret for each application that has some, in the namespace of the control plane,
 * owned by the Application. Nothing may be applied that is not in it. Every write rests on the version that was read.
 */
export class GeneratedValues {
  readonly #client: Client;
  readonly #secrets: Pick<Informer<KubeObject>, 'get' | 'subscribe'>;
  readonly #namespace: string;
  readonly #own: ApplicationSecrets;
  /** What was written or read past the cache, until the watch has brought it. */
  readonly #written = new Map<string, KubeObject>();
  /** Keys of the applications whose values this process records. */
  readonly #recorded = new Set<string>();
  readonly #parsed = new WeakMap<KubeObject, StoredValues>();

  constructor(parts: {
    client: Client;
    secrets: Pick<Informer<KubeObject>, 'get' | 'subscribe'>;
    namespace: string;
  }) {
    this.#client = parts.client;
    this.#secrets = parts.secrets;
    const { namespace } = parts;
    this.#namespace = namespace;
    this.#own = new ApplicationSecrets({ namespace, prefix: 'tiphys-generated-', label: generatedValuesLabel });
    parts.secrets.subscribe(({ type, object }) => {
      const name = object.metadata.name ?? '';
      const own = this.#written.get(name);
      if (!own) return;
      const gone = type === 'deleted' && own.metadata.uid === object.metadata.uid;
      if (gone || (type !== 'deleted' && !isNewer(own, object))) this.#written.delete(name);
    });
  }

  /**
   * Renders over what is recorded, and records what is new before it gives the result: nothing that could be lost is ever
   * applied. `render` is called again if somebody else has recorded other values meanwhile.
   */
  async recording<T extends { readonly generated?: GeneratedByRender }>(
    application: Application,
    release: string,
    render: (recorded: readonly RecordedValue[]) => Promise<T>,
  ): Promise<T> {
    this.#recorded.add(applicationKey(application));
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const rendered = await render(this.of(application, release));
      const { used = [], fresh } = rendered.generated ?? {};
      if (!fresh?.size) return rendered;
      const values = used.filter((value) => fresh.has(generationKey(value)));
      if (await this.#add(application, release, values)) return rendered;
    }
    throw contended(application, `Secret ${this.#namespace}/${this.#nameOf(application)}`);
  }

  /** The recorded values of a release. */
  of(application: Application, release: string): readonly RecordedValue[] {
    return this.#read(application).values.filter((value) => value.release === release);
  }

  /**
   * The generated fields of which another value is desired than at the last whole sync: since values are recorded, that is a
   * change of what the chart makes of them, or of the values on purpose. Without such a sync nothing is known to have changed.
   */
  changed(application: Application, desired: readonly DesiredObject[]): ReadonlySet<GeneratedField> {
    const { fields } = this.#read(application);
    const changed = new Set<GeneratedField>();
    for (const { object, generated = [] } of desired)
      for (const field of generated) {
        const before = fields[fieldName(object, field)];
        if (before !== undefined && before !== fieldDigest(object, field)) changed.add(field);
      }
    return changed;
  }

  /** Whether the rotation was carried out. */
  hasRotated(application: Application, rotation: string): boolean {
    return this.#read(application).rotation === rotation;
  }

  /** Adds values that were just generated. False if something else is recorded meanwhile: then what was rendered is void. */
  async #add(application: Application, release: string, values: readonly RecordedValue[]): Promise<boolean> {
    const added = new Map(values.map((value) => [generationKey(value), { ...value, release }]));
    return this.#write(application, (stored) => ({
      ...stored,
      values: [
        ...stored.values.filter((value) => value.release !== release || !added.has(generationKey(value))),
        ...added.values(),
      ],
    }));
  }

  /** After a whole sync to `synced`: what it desired is noted; values that neither it nor `tracked` use are forgotten. */
  async settle(application: Application, synced: Settled, tracked: Settled | undefined): Promise<void> {
    if (this.#read(application) === nothing) return;
    const used = new Set(
      [synced, tracked].flatMap((state) =>
        [...(state?.generated ?? [])].flatMap(([release, list]) =>
          list.map((value) => `${release} ${generationKey(value)}`),
        ),
      ),
    );
    const fields = Object.fromEntries(
      synced.objects.flatMap(({ object, generated = [] }) =>
        generated.map((field) => [fieldName(object, field), fieldDigest(object, field)]),
      ),
    );
    await this.#insist(application, ({ values, ...stored }) => ({
      ...stored,
      fields,
      values: values.filter((value) => used.has(`${value.release} ${generationKey(value)}`)),
    }));
  }

  /** Forgets values on purpose, once for each rotation. */
  async forget(application: Application, keys: ReadonlySet<string>, rotation: string): Promise<void> {
    await this.#insist(application, (stored) =>
      stored.rotation === rotation
        ? stored
        : { ...stored, rotation, values: stored.values.filter((value) => !keys.has(generationKey(value))) },
    );
  }

  /** Whether an object is one of these Secrets: it is never shown. */
  holds(object: { kind: string; namespace: string; name: string }): boolean {
    return this.#own.holds(object);
  }

  async #insist(application: Application, change: (stored: StoredValues) => StoredValues): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) if (await this.#write(application, change)) return;
    throw contended(application, `Secret ${this.#namespace}/${this.#nameOf(application)}`);
  }

  /** Removes the values of a deleted application that the garbage collector does not see as its own; only where they were recorded. */
  async remove(key: string): Promise<void> {
    if (!this.#recorded.delete(key)) return;
    const [namespace = '', name = ''] = key.split('/');
    if (namespace === this.#namespace) return;
    const ref = this.#own.ref({ namespace, name });
    this.#written.delete(ref.name);
    try {
      await this.#client.delete(ref);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #nameOf({ metadata }: Application): string {
    return this.#own.nameOf(metadata);
  }

  #secret(application: Application): KubeObject | undefined {
    const name = this.#nameOf(application);
    const seen = this.#secrets.get(this.#namespace, name);
    const own = this.#written.get(name);
    const secret = own && (!seen || isNewer(own, seen)) ? own : seen;
    // That of an application of the same name which was deleted is none of this one's.
    return secret && isOf(secret, application) ? secret : undefined;
  }

  #read(application: Application): StoredValues {
    const secret = this.#secret(application);
    if (!secret) return nothing;
    let stored = this.#parsed.get(secret);
    if (!stored) {
      stored = parse(secret);
      this.#parsed.set(secret, stored);
    }
    return stored;
  }

  /** False after a conflict; what is stored then has been read. */
  async #write(application: Application, change: (stored: StoredValues) => StoredValues): Promise<boolean> {
    const before = this.#read(application);
    const after = change(before);
    if (isDeepStrictEqual(before, after)) return true;
    const secret = this.#object(application, after);
    const known = this.#secret(application);
    try {
      const stored = known
        ? await this.#client.update({
            ...secret,
            metadata: { ...secret.metadata, resourceVersion: known.metadata.resourceVersion ?? '' },
          })
        : await this.#client.create(secret);
      this.#written.set(this.#nameOf(application), stored);
      return true;
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
      await this.#reread(application);
      return false;
    }
  }

  async #reread(application: Application): Promise<void> {
    const name = this.#nameOf(application);
    const ref = this.#own.ref(application.metadata);
    const stored = await this.#client.find(ref);
    if (!stored) {
      this.#written.delete(name);
      return;
    }
    if (isOf(stored, application)) {
      this.#written.set(name, stored);
      return;
    }
    // Left over by an application of the same name: it goes before the collector comes for it.
    const { uid = '', resourceVersion = '' } = stored.metadata;
    try {
      await this.#client.delete(ref, { preconditions: { uid, resourceVersion } });
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  #object(application: Application, stored: StoredValues): KubeObject {
    const text = JSON.stringify({ version: 1, ...stored });
    const bytes = Buffer.byteLength(text);
    if (bytes > maxBytes) throw tooBig(application, stored, bytes);
    return this.#own.make(application, { [dataKey]: Buffer.from(text).toString('base64') });
  }
}

function fieldName({ apiVersion, kind, metadata }: KubeObject, { path }: GeneratedField): string {
  const { group } = parseApiVersion(apiVersion);
  return `${group}/${kind}/${metadata.namespace ?? ''}/${metadata.name ?? ''} ${JSON.stringify(path)}`;
}

const digests = new WeakMap<GeneratedField, string>();

/** Fields belong to one object of one render, which never changes. */
function fieldDigest(object: KubeObject, field: GeneratedField): string {
  const known = digests.get(field);
  if (known !== undefined) return known;
  let value: unknown = object;
  for (const step of field.path) value = (value as Record<string | number, unknown> | undefined)?.[step];
  const digest = createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('hex')
    .slice(0, 20);
  digests.set(field, digest);
  return digest;
}

function isNewer(a: KubeObject, b: KubeObject): boolean {
  return BigInt(a.metadata.resourceVersion ?? '0') > BigInt(b.metadata.resourceVersion ?? '0');
}

function parse({ metadata, data }: KubeObject): StoredValues {
  const encoded = (data as Record<string, string> | undefined)?.[dataKey] ?? '';
  try {
    const { version, values, fields, rotation } = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as {
      version: unknown;
    } & StoredValues;
    if (version !== 1 || !Array.isArray(values)) throw new Error(`found version ${String(version)}, want 1`);
    return { values, fields: fields ?? {}, ...(rotation === undefined ? {} : { rotation }) };
  } catch (error) {
    // The text may hold private keys: not even a part of it is told.
    const why = error instanceof SyntaxError ? 'it is not valid JSON' : (error as Error).message;
    throw failure(generatedValuesInvalid, {
      message: `The generated values of the application cannot be read: ${why}`,
      place: { object: `Secret ${metadata.namespace}/${metadata.name}`, field: `data["${dataKey}"]` },
      remedies: [
        'Restore the Secret from a backup',
        {
          text: 'Or delete it: the live values stay, and count as no drift',
          paste: `kubectl delete secret -n ${metadata.namespace} ${metadata.name}`,
          loses: 'the recorded values',
        },
      ],
    });
  }
}

function contended(application: Application, object: string): Error {
  return failure(
    generatedValuesContended,
    {
      message: `The generated values of ${application.metadata.name} were written by somebody else ${maxAttempts} times in a row`,
      place: { object },
      remedies: ['See who else writes this Secret: managedFields name the managers'],
    },
    { handling: 'retryable' },
  );
}

function tooBig(application: Application, { values }: StoredValues, bytes: number): Error {
  const sizes = Map.groupBy(values, (value) => value.template);
  const biggest = [...sizes]
    .map(([template, list]) => ({ template, bytes: Buffer.byteLength(JSON.stringify(list)), count: list.length }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 5);
  return failure(generatedValuesTooBig, {
    message: `The charts of ${application.metadata.name} generate ${values.length} values with ${bytes} bytes together; at most ${maxBytes} can be recorded, and what is not recorded is not applied`,
    place: { object: `Application ${applicationKey(application)}` },
    evidence: Object.fromEntries(
      biggest.map((entry) => [entry.template, `${entry.count} values, ${entry.bytes} bytes`]),
    ),
    remedies: ['Generate fewer values in loops, or split the application'],
  });
}
