import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Application, ApplicationSpec } from '@tiphys/api';
import { ensureControlPlane, startApplications } from '@tiphys/applications';
import { startApplicationSets } from '@tiphys/applicationsets';
import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { GitRepositories } from '@tiphys/git';
import { openHistory } from '@tiphys/history';
import { type Client, connect, type KubeObject, type RequestRecord, systemClock } from '@tiphys/kubernetes';
import { Metrics, openMetricsPort } from '@tiphys/metrics';
import { startServer } from '@tiphys/server';
import { objectChecks } from '../../../packages/serve/cli/up/object-checks.ts';
import { servePlugins } from '../../../packages/serve/cli/up/serve-plugins.ts';
import { buildWebPage, builtWebPage } from '../../../packages/serve/cli/up/web-page.ts';
import { startCluster, type TestCluster, type TestClusterOptions } from './cluster.ts';
import { startFlows } from './flows.ts';
import { TestRepository } from './repository.ts';

/** How long a state may take before a test gives up and shows what it saw instead. */
const timeout = 180_000;

type MetricsPart = 'controller' | 'server' | 'repositories';

/** Controllers and API with their caches. */
interface WorldProcess {
  readonly url: string;
  /** URLs of the metrics' ports. */
  readonly metrics: Readonly<Record<MetricsPart, string>>;
  close(): Promise<void>;
}

async function startProcess(options: {
  client: Client;
  namespace: string;
  errors: string[];
  web: boolean;
  /** Whether workflows run, and the page has their API. */
  workflows: boolean;
  /** Outlives a restart. */
  historyFile: string;
  /** Folder with the sockets of plugins. */
  pluginFolder: string | undefined;
  /** Folder with the scripts of the page's extensions. */
  extensionsDir: string | undefined;
  /** Folder with style sheets for the page. */
  stylesDir: string | undefined;
  /** Gets who wants to hear of the client's requests. */
  observers: { requested?: (record: RequestRecord) => void };
}): Promise<WorldProcess> {
  const { client, namespace, errors, observers } = options;
  const closers: (() => Promise<void> | void)[] = [];
  const cacheDir = mkdtempSync(join(tmpdir(), 'tiphys-git-'));
  closers.push(() => rmSync(cacheDir, { recursive: true, force: true }));
  const metrics = new Metrics({
    version: '0.0.0',
    applicationLabels: ['team', 'app.kubernetes.io/part-of'],
    applicationConditions: ['ComparisonError'],
  });
  observers.requested = metrics.requested;
  const git = new GitRepositories({
    cacheDir,
    clock: systemClock,
    localRepositories: { below: [tmpdir()], except: [cacheDir] },
    onRequest: metrics.repositories.begin,
  });
  closers.push(() => git.close());
  const abort = new AbortController();
  const onError = (key: string, error: unknown) => void errors.push(`${key}: ${formatDiagnosis(diagnosisOf(error))}`);
  const history = await openHistory(options.historyFile, {
    now: () => systemClock.now(),
    onError: (error) => onError('history', error),
  });
  closers.push(() => history.close());
  const applications = await startApplications({
    client,
    namespace,
    git,
    clock: systemClock,
    signal: abort.signal,
    onError,
    metrics: metrics.controller,
    checks: objectChecks,
    ...(options.pluginFolder ? { plugins: { pluginFolders: [options.pluginFolder] } } : {}),
    syncWaveDelay: 0,
    history,
    onRender: metrics.repositories.rendered,
    onRequest: metrics.requested,
  });
  closers.push(() => applications.close());
  const applicationSets = await startApplicationSets({
    client,
    namespace,
    git,
    clock: systemClock,
    signal: abort.signal,
    onError,
    shared: applications.shared,
    env: {},
  });
  closers.push(() => applicationSets.close());
  const flows = options.workflows ? await startFlows(client, namespace, errors) : undefined;
  if (flows) closers.push(() => flows.close());
  const server = await startServer({
    client,
    workflows: flows?.access,
    namespace,
    backend: applications.backend,
    history,
    applicationSets: applicationSets.backend,
    port: 0,
    host: '127.0.0.1',
    clock: systemClock,
    version: '0.0.0',
    // many worlds, many logins: the hash itself is tested where it is made
    passwordCost: 4,
    metrics: metrics.server,
    ...(options.web ? { webDir: builtWebPage() ?? (await buildWebPage(new AbortController().signal)) } : {}),
    extensionsDir: options.extensionsDir,
    stylesDir: options.stylesDir,
    log: (level, message) => void (level === 'debug' || errors.push(`${level}: ${message}`)),
  });
  closers.push(() => server.close());
  const open = async (part: MetricsPart) => {
    const text = () => metrics.text(part);
    const port = await openMetricsPort({ host: '127.0.0.1', port: 0, flag: '--metrics-ports', metrics: text });
    closers.push(() => port.close());
    return `http://127.0.0.1:${port.port}`;
  };
  return {
    url: server.url,
    metrics: {
      controller: await open('controller'),
      server: await open('server'),
      repositories: await open('repositories'),
    },
    close: async () => {
      for (const closer of closers.splice(0).reverse()) await closer();
    },
  };
}

/** Everything that runs together, in one process, for one test file: cluster, controllers, API, and a repository. */
export class World {
  readonly cluster: TestCluster;
  readonly client: Client;
  /** Namespace of the control plane; a fresh one for each world. */
  readonly namespace: string;
  readonly password: string;
  readonly errors: string[];
  readonly #closers: (() => Promise<void> | void)[];
  readonly #start: () => Promise<WorldProcess>;
  #process: WorldProcess;

  constructor(parts: {
    cluster: TestCluster;
    client: Client;
    namespace: string;
    process: WorldProcess;
    start: () => Promise<WorldProcess>;
    password: string;
    errors: string[];
    closers: (() => Promise<void> | void)[];
  }) {
    this.cluster = parts.cluster;
    this.client = parts.client;
    this.namespace = parts.namespace;
    this.#process = parts.process;
    this.#start = parts.start;
    this.password = parts.password;
    this.errors = parts.errors;
    this.#closers = parts.closers;
  }

  /**
   * `web` builds the web page, if it is not built yet, and serves it; `workflows` runs workflows; `processes` and `alone` as for `startCluster`; `plugins` is a
   * folder of plugin.yaml files that are served, `extensionsDir` one with the scripts of the page's extensions, `stylesDir` one with style sheets for it. On an API server that others use too, `installationID` keeps applications of one name in two worlds apart.
   */
  static async start(
    options: TestClusterOptions & {
      web?: boolean;
      workflows?: boolean;
      plugins?: string;
      extensionsDir?: string;
      stylesDir?: string;
    } = {},
  ): Promise<World> {
    const closers: (() => Promise<void> | void)[] = [];
    const cluster = await startCluster(options);
    closers.push(() => cluster.close());
    const observers: { requested?: (record: RequestRecord) => void } = {};
    const client = connect(cluster.config, {
      caller: { component: 'test', purpose: 'end-to-end tests' },
      clock: systemClock,
      onRequest: (record) => observers.requested?.(record),
    });
    closers.push(() => client.close());
    const namespace = `control-${randomBytes(4).toString('hex')}`;
    await ensureControlPlane(client, namespace);
    if (cluster.kind === 'kube' && !options.alone) {
      const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'argocd-cm' };
      await client.patch(settings, 'merge', { data: { installationID: namespace } });
    }
    const errors: string[] = [];
    const plugins = options.plugins ? await servePlugins(options.plugins, (line) => void errors.push(line)) : undefined;
    if (plugins) closers.push(() => plugins.close());
    const pluginFolder = plugins?.socketFolder;
    const folder = mkdtempSync(join(tmpdir(), 'tiphys-history-'));
    closers.push(() => rmSync(folder, { recursive: true, force: true }));
    const historyFile = join(folder, 'history.db');
    const web = options.web ?? false;
    const workflows = options.workflows ?? false;
    const { extensionsDir, stylesDir } = options;
    const start = () =>
      startProcess({
        client,
        namespace,
        errors,
        observers,
        web,
        workflows,
        pluginFolder,
        extensionsDir,
        stylesDir,
        historyFile,
      });
    const process = await start();
    const secret = await client.get({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace,
      name: 'argocd-initial-admin-secret',
    });
    const password = Buffer.from((secret.data as Record<string, string>).password ?? '', 'base64').toString('utf8');
    return new World({ cluster, client, namespace, process, start, password, errors, closers });
  }

  /** Ends controllers and API and starts them anew, with every cache gone; the cluster stays. */
  async restart(): Promise<void> {
    await this.#process.close();
    this.#process = await this.#start();
    this.#token = undefined;
  }

  /** Another process on the same cluster; it is closed by anyone who asked for it. */
  another(): Promise<WorldProcess> {
    return this.#start();
  }

  /** Ends controllers and API; the cluster stays. */
  async stop(): Promise<void> {
    await this.#process.close();
  }

  get url(): string {
    return this.#process.url;
  }

  get metrics(): WorldProcess['metrics'] {
    return this.#process.metrics;
  }

  async close(): Promise<void> {
    await this.#process.close();
    for (const closer of this.#closers.splice(0).reverse()) await closer();
  }

  repository(files: Readonly<Record<string, string>>): TestRepository {
    const repository = new TestRepository(files);
    this.#closers.unshift(() => repository.remove());
    return repository;
  }

  /** A fresh namespace of the destination cluster. */
  async targetNamespace(): Promise<string> {
    const name = `target-${randomBytes(4).toString('hex')}`;
    await this.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return name;
  }

  async createApplication(
    name: string,
    repository: TestRepository,
    spec: Partial<ApplicationSpec> & { path?: string; targetNamespace: string },
    metadata: object = {},
  ): Promise<Application> {
    const { path, targetNamespace, ...rest } = spec;
    return this.client.create<Application>({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name, namespace: this.namespace, ...metadata },
      spec: {
        project: 'default',
        source: { repoURL: repository.url, path: path ?? '.', targetRevision: 'main' },
        destination: { server: 'https://kubernetes.default.svc', namespace: targetNamespace },
        ...rest,
      },
    });
  }

  applicationRef(name: string) {
    return { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: this.namespace, name };
  }

  application(name: string): Promise<Application> {
    return this.client.get<Application>(this.applicationRef(name));
  }

  /** The application as soon as the condition holds; fails with what it looked like at the end. */
  waitForApplication(name: string, what: string, holds: (application: Application) => boolean): Promise<Application> {
    return this.waitFor<Application>(
      this.applicationRef(name),
      `Application ${name}: ${what}`,
      (object) => object !== undefined && holds(object),
      (object) => JSON.stringify(object?.status, undefined, 1),
    ) as Promise<Application>;
  }

  healthy(name: string): Promise<Application> {
    return this.waitForApplication(
      name,
      'Synced and Healthy',
      ({ status }) =>
        status?.sync?.status === 'Synced' &&
        status.health?.status === 'Healthy' &&
        status.operationState?.phase !== 'Running',
    );
  }

  /** Follows one object by a watch until the condition holds; undefined stands for its absence. */
  async waitFor<T extends KubeObject>(
    ref: { apiVersion: string; kind: string; namespace?: string; name: string },
    what: string,
    holds: (object: T | undefined) => boolean,
    show: (object: T | undefined) => string = (object) => JSON.stringify(object, undefined, 1),
  ): Promise<T | undefined> {
    const signal = AbortSignal.timeout(timeout);
    let last: T | undefined;
    try {
      for (;;) {
        const list = await this.client.list<T>(ref, { fieldSelector: `metadata.name=${ref.name}` });
        last = list.items[0];
        if (holds(last)) return last;
        for await (const { type, object } of this.client.watch<T>(ref, {
          resourceVersion: list.metadata.resourceVersion ?? '0',
          fieldSelector: `metadata.name=${ref.name}`,
          signal,
        })) {
          if (type === 'BOOKMARK' || object.metadata.name !== ref.name) continue;
          last = type === 'DELETED' ? undefined : object;
          if (holds(last)) return last;
        }
        signal.throwIfAborted();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new Error(
        `Waited ${timeout / 1000} s for ${what}; it is ${show(last)}\nReported: ${this.errors.slice(-10).join('\n')}`,
      );
    }
  }

  /** A request of the REST API as admin. */
  async rest<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: T }> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${await this.token()}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as T };
  }

  #token: string | undefined;

  /** A session of admin. */
  async token(): Promise<string> {
    this.#token ??= await this.#login();
    return this.#token;
  }

  async #login(): Promise<string> {
    const response = await fetch(`${this.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: this.password }),
    });
    return ((await response.json()) as { token: string }).token;
  }
}
