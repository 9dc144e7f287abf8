import { type ApplicationSet, names } from '@tiphys/api';
import { ApplicationInformer } from '@tiphys/applications';
import type { ApplicationSetBackend } from '@tiphys/applicationsets';
import { Code, RpcError } from '../rpc/rpc-error.ts';
import type { ApplicationsOptions } from './applications.ts';

export const applicationSetKind = { apiVersion: names.apiVersion, kind: 'ApplicationSet' } as const;

export interface ApplicationSetsOptions extends ApplicationsOptions {
  /** What generators would say; absent where nobody evaluates them. */
  readonly backend?: ApplicationSetBackend | undefined;
}

/** The ApplicationSets of the control plane's namespace and of the permitted ones. */
export class ApplicationSets {
  readonly #namespace: string;
  readonly #informer: ApplicationInformer<ApplicationSet>;
  readonly #backend: ApplicationSetBackend | undefined;

  constructor(options: ApplicationSetsOptions) {
    this.#namespace = options.namespace;
    this.#backend = options.backend;
    this.#informer = new ApplicationInformer<ApplicationSet>({ ...options, kind: 'ApplicationSet' });
  }

  start(signal: AbortSignal): Promise<void> {
    return this.#informer.start(signal);
  }

  /** Takes up what is permitted now. */
  update(): Promise<void> {
    return this.#informer.update();
  }

  /** Those that the watch last saw, by name. */
  list(): ApplicationSet[] {
    return [...this.#informer.list()].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  }

  get resourceVersion(): string {
    return this.#informer.state().resourceVersion;
  }

  subscribe(listener: Parameters<ApplicationInformer<ApplicationSet>['subscribe']>[0]): () => void {
    return this.#informer.subscribe(listener);
  }

  /** Upstream's words for a namespace that may hold none. */
  assertNamespace(namespace: string): void {
    if (!this.#informer.permits(namespace))
      throw new RpcError(Code.Unknown, `namespace '${namespace}' is not permitted`);
  }

  /** Who evaluates generators. Throws Unimplemented where nobody does. */
  get backend(): ApplicationSetBackend {
    if (!this.#backend)
      throw new RpcError(Code.Unimplemented, 'The generators of ApplicationSets are not evaluated by this server');
    return this.#backend;
  }

  /** `PROJECT/NAME`, with the namespace in between if it is not the control plane's. */
  rbacName(set: ApplicationSet): string {
    const { namespace, name } = set.metadata;
    const project = projectOf(set);
    return !namespace || namespace === this.#namespace ? `${project}/${name}` : `${project}/${namespace}/${name}`;
  }
}

function sortKey({ metadata }: ApplicationSet): string {
  return `${metadata.name} ${metadata.namespace}`;
}

export function projectOf(set: ApplicationSet): string {
  return set.spec.template?.spec?.project || names.defaults.project;
}
