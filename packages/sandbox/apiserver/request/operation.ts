import { isDeepStrictEqual } from 'node:util';
import type { Attributes } from '@tiphys/admission-rules';
import {
  FieldErrors,
  fieldManagerOf,
  type Resource,
  type ServerContext,
  validateManager,
  type WriteContext,
} from '@tiphys/apimachinery';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import type { Duplicates } from '../http/parse-body.ts';
import type { RequestInfo } from './request-info.ts';

const VALIDATIONS = ['Ignore', 'Strict', 'Warn'] as const;

/** Subresources that are a connection to something: their requests have no options of a write. */
const CONNECTIONS = ['attach', 'exec', 'portforward', 'proxy'];

/** One write: who asks for what, with which options, and what it has to tell besides its answer. */
export class Operation implements WriteContext {
  readonly server: ServerContext;
  readonly resource: Resource;
  readonly info: RequestInfo;
  readonly user: WriteContext['user'];
  /** Of a deletion its options tell, once they are read. */
  dryRun: boolean;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  /** The `fieldManager` of the query, empty if there is none. */
  readonly givenManager: string;
  readonly fieldManager: string;
  readonly force: boolean | undefined;
  readonly fieldValidationGiven: string;
  readonly #dryRunGiven: readonly string[];
  /** What admission adds to the audit event. */
  readonly annotations = new Map<string, string>();
  /** The object comes from an apply or a Scale, with its managed fields. */
  applied = false;
  /** The `resourceVersion` of a new object, which must have none. */
  givenVersion: string | undefined;
  readonly warnings: string[] = [];
  /** Keys that the body had twice. */
  duplicates: Duplicates | undefined;
  /** The body's bytes. */
  sent: Buffer | undefined;

  constructor(
    server: ServerContext,
    resource: Resource,
    info: RequestInfo,
    query: URLSearchParams,
    user: WriteContext['user'],
    userAgent: string,
  ) {
    this.server = server;
    this.resource = resource;
    this.info = info;
    this.user = user;
    this.#dryRunGiven = query.getAll('dryRun');
    this.dryRun = this.#dryRunGiven.includes('All');
    this.fieldValidationGiven = query.get('fieldValidation') ?? '';
    this.fieldValidation = VALIDATIONS.find((name) => name === this.fieldValidationGiven) ?? 'Warn';
    this.force = query.has('force') ? query.get('force') === 'true' : undefined;
    this.givenManager = query.get('fieldManager') ?? '';
    this.fieldManager = this.givenManager || userAgent.split('/')[0]?.slice(0, 128) || '';
    const options = { create: 'CreateOptions', update: 'UpdateOptions' }[info.verb];
    if (!options || CONNECTIONS.includes(info.subresource)) return;
    const errors = new FieldErrors();
    this.checkOptions(errors);
    errors.throwIfAny({ group: 'meta.k8s.io', name: options }, '');
  }

  /** What is wrong with the options that every write has. */
  checkOptions(errors: FieldErrors): void {
    validateManager(this.givenManager, 'fieldManager', errors);
    if (this.#dryRunGiven.some((value) => value !== 'All')) errors.notSupported('dryRun', this.#dryRunGiven, ['All']);
    const given = this.fieldValidationGiven;
    if (given && !VALIDATIONS.some((name) => name === given))
      errors.notSupported('fieldValidation', given, ['', ...VALIDATIONS]);
  }

  get verb(): string {
    return this.info.verb;
  }

  get subresource(): string {
    return this.info.subresource;
  }

  warn(text: string): void {
    if (!this.warnings.includes(text)) this.warnings.push(text);
  }

  /** What admission is asked about this write; the object may be changed by it. */
  attributes(
    operation: Attributes['operation'],
    object: KubeObject | undefined,
    old: KubeObject | undefined,
    more: { name?: string; kind?: Attributes['kind']; subresource?: string } = {},
  ): Attributes {
    const { server, resource, info, user, dryRun } = this;
    const { group, version, kind } = resource;
    const name = more.name ?? (info.name || object?.metadata?.name || '');
    return {
      server,
      resource,
      subresource: more.subresource ?? info.subresource,
      operation,
      user,
      dryRun,
      name,
      namespace: resource.collection === 'namespaces' ? name : resource.namespaced ? info.namespace : '',
      kind: more.kind ?? { group, version, kind },
      options: this.#options(operation),
      object,
      old,
      warn: (text) => this.warn(text),
      annotate: (key, value) => void this.annotations.set(key, value),
    };
  }

  /** The request's options, as reviews of admission show them. */
  #options(operation: Attributes['operation']): Record<string, unknown> {
    const kinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions', CONNECT: '' };
    const kind = operation === 'UPDATE' && this.verb === 'patch' ? 'PatchOptions' : kinds[operation];
    const given = this.fieldValidationGiven;
    return {
      kind,
      apiVersion: 'meta.k8s.io/v1',
      ...(this.dryRun ? { dryRun: ['All'] } : {}),
      ...(this.force === undefined ? {} : { force: this.force }),
      ...(this.givenManager ? { fieldManager: this.givenManager } : {}),
      ...(given ? { fieldValidation: given } : {}),
    };
  }

  /** The same owner twice counts once, with a warning. */
  dedupeOwners(meta: KubeObject['metadata']): void {
    const owners = meta.ownerReferences;
    if (!owners || owners.length < 2) return;
    const unique = owners.filter(
      (owner, index) => owners.findIndex((other) => isDeepStrictEqual(other, owner)) === index,
    );
    if (unique.length === owners.length) return;
    const repeated = owners.filter((owner, index) => owners.findIndex((other) => other.uid === owner.uid) !== index);
    meta.ownerReferences = unique;
    this.warn(
      `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...new Set(repeated.map(({ uid }) => uid))].join(', ')}`,
    );
  }

  /** Writes down which fields the request's manager owns; an apply has already done so. */
  trackFields(object: KubeObject, old: KubeObject | undefined): void {
    if (this.applied) return;
    const manager = fieldManagerOf(this.server, this.resource, this.subresource);
    const { managedFields } = manager.update(old, old ? object : withoutNulls(object), this.fieldManager).metadata;
    if (managedFields) object.metadata.managedFields = managedFields;
    else delete object.metadata.managedFields;
  }

  /** Runs without collecting warnings a second time. */
  silently<T>(work: () => T): T {
    const count = this.warnings.length;
    try {
      return work();
    } finally {
      this.warnings.splice(count);
    }
  }

  /** A write of an object leaves its status alone, a write of the status everything else. */
  keepOthers(object: KubeObject, old: KubeObject): void {
    if (this.subresource === 'finalize') {
      const { finalizers } = (object.spec ?? {}) as coreV1.NamespaceSpec;
      Object.assign(object, old, { spec: { ...(old.spec as object), finalizers } });
      if (!finalizers?.length) object.spec = {};
    }
    if (this.subresource === 'status') {
      const { metadata, status } = object;
      for (const field of Object.keys(object)) delete object[field];
      // In the order of the old one: lists know an object's kind by its place.
      Object.assign(object, old, { metadata });
      delete object.status;
      if (status !== undefined) object.status = status;
      keepMetadata(object, old, this.resource);
    } else if (this.subresource === '' && this.resource.strategy.statusSubresource) {
      if (old.status === undefined) delete object.status;
      else object.status = old.status;
    }
  }
}

/** Fields that are null in a new object are as good as not set: nobody owns them. */
function withoutNulls(object: KubeObject): KubeObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null)) as KubeObject;
}

const ALL_METADATA = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

/** What a write of the status leaves of the metadata, by collection; most kinds let it change all. */
const KEPT_METADATA: Readonly<Record<string, readonly (typeof ALL_METADATA)[number][]>> = {
  pods: ['ownerReferences'],
  'apps/deployments': ['labels'],
  'networking.k8s.io/servicecidrs': ALL_METADATA,
  'storage.k8s.io/volumeattachments': ALL_METADATA,
  'resource.k8s.io/resourceclaims': ALL_METADATA,
  'admissionregistration.k8s.io/validatingadmissionpolicies': ALL_METADATA,
  'apiregistration.k8s.io/apiservices': ALL_METADATA,
  'flowcontrol.apiserver.k8s.io/flowschemas': ALL_METADATA,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': ALL_METADATA,
};

/** What of the metadata does not go with a status; custom resources keep all of it. */
function keepMetadata(object: KubeObject, old: KubeObject, { custom, collection }: Resource): void {
  const { managedFields, resourceVersion } = object.metadata;
  const { managedFields: _, ...kept } = old.metadata;
  const base = custom === undefined ? { ...object.metadata } : kept;
  for (const field of KEPT_METADATA[collection] ?? []) {
    if (old.metadata[field] === undefined) delete base[field];
    else Object.assign(base, { [field]: old.metadata[field] });
  }
  object.metadata = {
    ...base,
    ...(managedFields ? { managedFields } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}
