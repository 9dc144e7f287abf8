import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { KubeObject } from '@tiphys/kubernetes';

/** Objects that came last are kept as they are: those that change often, and those that a sync is about to look at. */
const recent = 2_000;
/** What packing knows of other objects of a kind: the beginning of the first one. */
const dictionarySize = 8 * 1024;
const window = { level: 1, windowBits: 14, memLevel: 6 };

/** A live object that takes little room while nobody reads it. */
export class KeptObject {
  readonly #apiVersion: string;
  readonly #uid: string | undefined;
  readonly #version: string | undefined;
  #whole: KubeObject | undefined;
  #packed: string | undefined;
  #dictionary: Buffer | undefined;
  /** The unpacked object for as long as somebody uses it. */
  #used: WeakRef<KubeObject> | undefined;

  constructor(object: KubeObject) {
    this.#apiVersion = object.apiVersion;
    this.#uid = object.metadata.uid;
    this.#version = object.metadata.resourceVersion;
    this.#whole = object;
  }

  /** Not a copy: treat as read-only. The same object only for as long as somebody holds it. */
  get object(): KubeObject {
    const known = this.#whole ?? this.#used?.deref();
    if (known) return known;
    const object = this.#unpack();
    this.#used = new WeakRef(object);
    return object;
  }

  /** Bytes of the packed object; 0 while it is whole. */
  get size(): number {
    return this.#packed?.length ?? 0;
  }

  /** Whether it is this very state of the object, as the same version of the API shows it. */
  holds({ apiVersion, metadata }: KubeObject): boolean {
    return (
      apiVersion === this.#apiVersion &&
      metadata.uid !== undefined &&
      metadata.uid === this.#uid &&
      metadata.resourceVersion === this.#version
    );
  }

  /** Packs the object, with what is known of others of its kind. */
  pack(dictionaryOf: (kind: string, text: string) => Buffer): void {
    const whole = this.#whole;
    if (!whole) return;
    const text = JSON.stringify(whole);
    this.#dictionary = dictionaryOf(`${whole.apiVersion} ${whole.kind}`, text);
    // a string of single bytes is kept without the room that a buffer of its own takes
    this.#packed = deflateRawSync(text, { ...window, dictionary: this.#dictionary }).toString('latin1');
    this.#used = new WeakRef(whole);
    this.#whole = undefined;
  }

  #unpack(): KubeObject {
    const packed = Buffer.from(this.#packed ?? '', 'latin1');
    const options = this.#dictionary ? { ...window, dictionary: this.#dictionary } : window;
    return JSON.parse(inflateRawSync(packed, options).toString('utf8')) as KubeObject;
  }
}

/** Packs all objects but those that came last. */
export class ObjectKeeper {
  readonly #recent = new Set<KeptObject>();
  readonly #dictionaries = new Map<string, Buffer>();
  readonly #limit: number;

  constructor(limit = recent) {
    this.#limit = limit;
  }

  add(kept: KeptObject): void {
    this.#recent.add(kept);
    if (this.#recent.size > this.#limit) this.#packOldest();
  }

  /** Another state took the place of this one: packing it is not worth while. */
  release(kept: KeptObject): void {
    this.#recent.delete(kept);
  }

  #packOldest(): void {
    const [oldest] = this.#recent;
    if (!oldest) return;
    this.#recent.delete(oldest);
    oldest.pack((kind, text) => this.#dictionaryOf(kind, text));
  }

  #dictionaryOf(kind: string, text: string): Buffer {
    const known = this.#dictionaries.get(kind);
    if (known) return known;
    const made = Buffer.from(text.slice(0, dictionarySize));
    this.#dictionaries.set(kind, made);
    return made;
  }
}
