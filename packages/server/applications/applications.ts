import { type Application, names } from '@tiphys/api';
import {
  type Client,
  type Clock,
  Informer,
  type InformerChange,
  isConflict,
  isNotFound,
  type KubeObject,
} from '@tiphys/kubernetes';
import { Code, permissionDenied, RpcError } from '../rpc/rpc-error.ts';

export const applicationKind = { apiVersion: names.apiVersion, kind: 'Application' } as const;

/** The applications of the control plane's namespace: lists and watches from a copy kept by a watch, single reads and changes at the API server. */
export class Applications {
  readonly namespace: string;
  readonly #client: Client;
  readonly #informer: Informer<Application>;

  constructor(client: Client, namespace: string, clock: Clock) {
    this.#client = client;
    this.namespace = namespace;
    this.#informer = new Informer<Application>(client, { ref: { ...applicationKind, namespace }, clock });
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#informer.start(signal);
    await this.#informer.synced;
  }

  /** Those that the watch last saw. */
  list(): Application[] {
    return [...this.#informer.list()];
  }

  known(name: string): Application | undefined {
    return this.#informer.get(this.namespace, name);
  }

  get resourceVersion(): string {
    return this.#informer.state().resourceVersion;
  }

  subscribe(listener: (change: InformerChange<Application>) => void): () => void {
    return this.#informer.subscribe(listener);
  }

  /** As it is stored; throws NotFound. Only the control plane's namespace is served. */
  async get(name: string, namespace = this.namespace): Promise<Application> {
    this.assertNamespace(namespace);
    return { ...(await this.#client.get<Application>({ ...applicationKind, namespace, name })), ...applicationKind };
  }

  async find(name: string): Promise<Application | undefined> {
    const found = await this.#client.find<Application>({ ...applicationKind, namespace: this.namespace, name });
    return found && { ...found, ...applicationKind };
  }

  async create(application: Application): Promise<Application> {
    const created = await this.#client.create<Application>({
      ...application,
      ...applicationKind,
      metadata: { ...application.metadata, namespace: this.namespace },
    });
    return await this.#settled(created);
  }

  /** Reads, changes and writes until no other write comes between, at most ten times. `change` returns the new object. */
  async change(
    name: string,
    change: (current: Application) => Application | Promise<Application>,
  ): Promise<Application> {
    for (let attempt = 0; attempt < 10; attempt++) {
      const current = await this.get(name);
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

  async mergePatch(name: string, patch: unknown): Promise<Application> {
    const patched = await this.#client.patch<Application>(
      { ...applicationKind, namespace: this.namespace, name },
      'merge',
      patch,
    );
    return await this.#settled({ ...patched, ...applicationKind });
  }

  async delete(name: string): Promise<void> {
    await this.#client.delete({ ...applicationKind, namespace: this.namespace, name });
  }

  assertNamespace(namespace: string): void {
    if (namespace !== this.namespace) throw permissionDenied(`namespace '${namespace}' is not permitted`);
  }

  /** Resolves with the first state of the application, from now on, that the condition accepts. */
  async until(
    name: string,
    condition: (application: Application) => boolean,
    signal: AbortSignal,
  ): Promise<Application> {
    return await new Promise((resolve, reject) => {
      const unsubscribe = this.subscribe(({ type, object }) => {
        if (object.metadata.name !== name) return;
        if (type === 'deleted') finish(() => reject(new RpcError(Code.NotFound, notFoundMessage(name))));
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
    const name = application.metadata.name as string;
    const wanted = version(application);
    if (version(this.known(name)) >= wanted) return application;
    const timeout = AbortSignal.timeout(2000);
    await this.until(name, (seen) => version(seen) >= wanted, timeout).catch(() => undefined);
    return application;
  }
}

function version(object: KubeObject | undefined): number {
  return Number(object?.metadata.resourceVersion ?? -1);
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
