import { type Application, names } from '@tiphys/api';
import { ApplicationInformer } from '@tiphys/applications';
import type { Diagnosis } from '@tiphys/diagnosis';
import {
  type Client,
  type Clock,
  type InformerChange,
  isConflict,
  isNotFound,
  type KubeObject,
} from '@tiphys/kubernetes';
import { Code, permissionDenied, RpcError } from '../rpc/rpc-error.ts';

export const applicationKind = { apiVersion: names.apiVersion, kind: 'Application' } as const;

export interface ApplicationsOptions {
  readonly client: Client;
  /** Of the control plane. */
  readonly namespace: string;
  readonly clock: Clock;
  /** What `application.namespaces` permits now. */
  readonly permitted: () => readonly string[];
  readonly onError: (problem: Diagnosis) => void;
  /** Of a process that follows the applications anyway: it starts and updates the view itself. */
  readonly view?: ApplicationInformer | undefined;
}

/** Names an application: the control plane's namespace goes without saying. */
export interface ApplicationName {
  readonly name: string;
  readonly namespace: string;
}

/** So long it is remembered what was deleted, in milliseconds: a client that deletes opens its watch after that. */
const deletionsKept = 30_000;

/**
 * The applications of the control plane's namespace and of the permitted ones: lists and watches from a copy kept by watches,
 * single reads and changes at the API server. Every method refuses a namespace that is not permitted.
 */
export class Applications {
  readonly namespace: string;
  /** Entries of `application.namespaces`, as they are now. */
  readonly permitted: () => readonly string[];
  readonly #client: Client;
  readonly #informer: ApplicationInformer;
  /** Whether nobody else looks after the informer. */
  readonly #alone: boolean;
  readonly #clock: Clock;
  readonly #deleted = new Map<string, { readonly last: Application; readonly at: number }>();

  constructor(options: ApplicationsOptions) {
    this.#client = options.client;
    this.namespace = options.namespace;
    this.permitted = options.permitted;
    this.#clock = options.clock;
    this.#alone = options.view === undefined;
    this.#informer = options.view ?? new ApplicationInformer(options);
    this.#informer.subscribe(({ type, object }) => {
      this.#forgetDeletions();
      const { namespace, name } = refOf(object);
      if (type === 'deleted') this.#deleted.set(`${namespace}/${name}`, { last: object, at: this.#clock.now() });
      else this.#deleted.delete(`${namespace}/${name}`);
    });
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#alone) await this.#informer.start(signal);
  }

  /** Takes up what is permitted now. */
  async update(): Promise<void> {
    if (this.#alone) await this.#informer.update();
  }

  /** Those that the watch last saw. */
  list(): Application[] {
    return [...this.#informer.list()];
  }

  known({ namespace, name }: ApplicationName): Application | undefined {
    return this.#informer.get(namespace, name);
  }

  /** What the application was, if it was deleted within the last half minute and there is no other one of the name. */
  deletedLately({ namespace, name }: ApplicationName): Application | undefined {
    this.#forgetDeletions();
    return this.permits(namespace) ? this.#deleted.get(`${namespace}/${name}`)?.last : undefined;
  }

  #forgetDeletions(): void {
    const oldest = this.#clock.now() - deletionsKept;
    for (const [key, { at }] of this.#deleted) if (at < oldest) this.#deleted.delete(key);
  }

  get resourceVersion(): string {
    return this.#informer.state().resourceVersion;
  }

  subscribe(listener: (change: InformerChange<Application>) => void): () => void {
    return this.#informer.subscribe(listener);
  }

  /** As it is stored; throws NotFound. */
  async get(ref: ApplicationName): Promise<Application> {
    this.assertNamespace(ref.namespace);
    return { ...(await this.#client.get<Application>({ ...applicationKind, ...ref })), ...applicationKind };
  }

  async find(ref: ApplicationName): Promise<Application | undefined> {
    if (!this.#informer.permits(ref.namespace)) return undefined;
    const found = await this.#client.find<Application>({ ...applicationKind, ...ref });
    return found && { ...found, ...applicationKind };
  }

  async create(application: Application): Promise<Application> {
    const namespace = application.metadata.namespace || this.namespace;
    this.assertNamespace(namespace);
    const created = await this.#client.create<Application>({
      ...application,
      ...applicationKind,
      metadata: { ...application.metadata, namespace },
    });
    return await this.#settled(created);
  }

  /** Reads, changes and writes until no other write comes between, at most ten times. `change` returns the new object. */
  async change(
    ref: ApplicationName,
    change: (current: Application) => Application | Promise<Application>,
  ): Promise<Application> {
    for (let attempt = 0; attempt < 10; attempt++) {
      const current = await this.get(ref);
      try {
        return await this.#settled(
          await this.#client.update<Application>({ ...(await change(current)), ...applicationKind }),
        );
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
    throw new RpcError(Code.Internal, 'Failed to update application. Too many conflicts');
  }

  async mergePatch(ref: ApplicationName, patch: unknown): Promise<Application> {
    this.assertNamespace(ref.namespace);
    const patched = await this.#client.patch<Application>({ ...applicationKind, ...ref }, 'merge', patch);
    return await this.#settled({ ...patched, ...applicationKind });
  }

  async delete(ref: ApplicationName): Promise<void> {
    this.assertNamespace(ref.namespace);
    await this.#client.delete({ ...applicationKind, ...ref });
  }

  permits(namespace: string): boolean {
    return this.#informer.permits(namespace);
  }

  assertNamespace(namespace: string): void {
    if (!this.#informer.permits(namespace)) throw permissionDenied(`namespace '${namespace}' is not permitted`);
  }

  /** Resolves with the first state of the application, from now on, that the condition accepts. */
  async until(
    ref: ApplicationName,
    condition: (application: Application) => boolean,
    signal: AbortSignal,
  ): Promise<Application> {
    return await new Promise((resolve, reject) => {
      const unsubscribe = this.subscribe(({ type, object }) => {
        if (object.metadata.name !== ref.name || object.metadata.namespace !== ref.namespace) return;
        if (type === 'deleted') finish(() => reject(new RpcError(Code.NotFound, notFoundMessage(ref.name))));
        else if (condition(object)) finish(() => resolve(object));
      });
      const onAbort = () => finish(() => reject(new RpcError(Code.Canceled, 'application refresh deadline exceeded')));
      signal.addEventListener('abort', onAbort, { once: true });
      function finish(end: () => void) {
        unsubscribe();
        signal.removeEventListener('abort', onAbort);
        end();
      }
      if (signal.aborted) onAbort();
    });
  }

  /** Waits, at most two seconds, until lists see a change that was just made: clients list after they write. */
  async #settled(application: Application): Promise<Application> {
    const ref = refOf(application);
    const wanted = version(application);
    if (version(this.known(ref)) >= wanted) return application;
    const timeout = AbortSignal.timeout(2000);
    await this.until(ref, (seen) => version(seen) >= wanted, timeout).catch(() => undefined);
    return application;
  }
}

function version(object: KubeObject | undefined): number {
  return Number(object?.metadata.resourceVersion ?? -1);
}

/** The name under which the application is stored. */
export function refOf({ metadata }: Pick<Application, 'metadata'>): ApplicationName {
  return { namespace: metadata.namespace as string, name: metadata.name as string };
}

/** Name of the project that binds the application. */
export function projectOf(application: Pick<Application, 'spec'>): string {
  return application.spec?.project || names.defaults.project;
}

/** What RBAC calls an application: `project/name`, with the namespace between outside the control plane's. */
export function rbacName(application: Pick<Application, 'spec' | 'metadata'>, controlPlane: string): string {
  const { name, namespace } = application.metadata;
  const project = projectOf(application);
  return namespace && namespace !== controlPlane ? `${project}/${namespace}/${name}` : `${project}/${name}`;
}

export function notFoundMessage(name: string): string {
  return `applications.argoproj.io "${name}" not found`;
}

export function isMissing(error: unknown): boolean {
  return isNotFound(error) || (error instanceof RpcError && error.code === Code.NotFound);
}
