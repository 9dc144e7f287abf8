import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Runtime } from '@tiphys/controller';
import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import type { EventsRuntime } from '@tiphys/events';
import { privateFolder } from '@tiphys/files';
import { GitRepositories, readFetchLimit } from '@tiphys/git';
import { type Client, systemClock } from '@tiphys/kubernetes';
import { Metrics } from '@tiphys/metrics';
import { readOutboundPolicy, setOutboundPolicy, trustHosts } from '@tiphys/outbound';
import type { Log } from '@tiphys/server';
import type { Surroundings } from '../terminal/command-context.ts';
import { dropSession, readSessions, saveSession, sessionFile } from '../terminal/session-file.ts';
import { version } from '../terminal/version.ts';
import { logLine } from './console-log.ts';
import { openControlCluster } from './control-cluster.ts';
import { lockDataFolder } from './data-lock.ts';
import { type FamilyContext, families } from './families/families.ts';
import { localFolders } from './first-application.ts';
import { openMetricsPorts } from './ports/metrics-ports.ts';
import { checkPort, takenPort } from './ports/port-check.ts';
import type { Progress } from './progress.ts';
import { redisAddress } from './redis-address.ts';
import { replicaOf, roleOf } from './role.ts';
import { shardingOf } from './sharding.ts';
import { syncWaveDelayOf } from './sync-wave-delay.ts';
import type { UpOptions } from './up-options.ts';
import { buildWebPage, builtWebPage } from './web-page.ts';

/** Everything that one process runs. */
export interface Instance {
  /** Of API and web page; undefined in a process that only delivers. */
  readonly url: string | undefined;
  readonly namespace: string;
  readonly client: Client;
  /** Of the sandbox; undefined on the user's own cluster. */
  readonly kubeconfigPath: string | undefined;
  /** Initial password of `admin`; empty once it was changed. */
  readonly password: string;
  close(): Promise<void>;
}

type Closer = () => Promise<void> | void;

/** What the caller of a start does in it. */
export interface StartHooks {
  /** Applications are delivered, and the other families are still to come. */
  readonly delivering?: ((instance: Pick<Instance, 'client' | 'namespace'>) => Promise<void>) | undefined;
}

/** Composition root of `tiphys up`: starts the parts bottom up and stops them in reverse. */
export async function startInstance(
  options: UpOptions,
  surroundings: Surroundings,
  progress: Progress,
  hooks: StartHooks = {},
): Promise<Instance> {
  const closers: Closer[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return await start(options, surroundings, progress, hooks, closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  options: UpOptions,
  surroundings: Surroundings,
  progress: Progress,
  hooks: StartHooks,
  closers: Closer[],
  close: () => Promise<void>,
): Promise<Instance> {
  const { workdir, env, signal } = surroundings;
  const role = roleOf(options, env);
  const selfRole = role === 'controller' ? (await import('./self-management.ts')).selfRoleOf(role, env) : undefined;
  // who proves a version or guards it works with what the installation has made
  const beside = selfRole === 'candidate' || selfRole === 'guard' || options.soleToken !== undefined;
  // before anything is begun: nobody should wait for a start that cannot end well
  const dataDir = options.data ? resolve(workdir, options.data) : undefined;
  if (dataDir) {
    privateFolder(dataDir);
    closers.push(lockDataFolder(dataDir));
  }
  if (!role || role === 'server') await checkPort(options);
  const { soleToken } = options;
  const webDir =
    soleToken !== undefined || (role && role !== 'server')
      ? undefined
      : (builtWebPage() ?? (await progress.step('Web page built (once for each version)', () => buildWebPage(signal))));
  const scratch = dataDir ?? mkdtempSync(join(tmpdir(), 'tiphys-'));
  if (!dataDir) closers.push(() => rmSync(scratch, { recursive: true, force: true }));

  const metrics = new Metrics({
    version,
    applicationLabels: options.metricsApplicationLabels,
    applicationConditions: options.metricsApplicationConditions,
    clusterLabels: options.metricsClusterLabels,
  });
  // on a laptop one's own hosts are where one tries things out
  const own = !options.kubeconfig && !options.role;
  setOutboundPolicy(readOutboundPolicy(env.TIPHYS_OUTBOUND, { loopback: own, private: true }));
  const { client, config, kubeconfigPath } = await openControlCluster(options, {
    role,
    surroundings,
    progress,
    dataDir,
    scratch,
    closers,
    onRequest: metrics.requested,
  });

  const namespace = options.namespace;
  const git = new GitRepositories({
    cacheDir: join(scratch, 'git'),
    clock: systemClock,
    localRepositories: { below: localFolders(options, workdir), except: [scratch] },
    limits: readFetchLimit(env.TIPHYS_GIT_MAX_FETCH),
    onRequest: metrics.repositories.begin,
  });
  closers.push(() => git.close());
  const log: Log = (level, message, fields) => {
    if (level === 'warn' || level === 'error') progress.note(logLine(message, fields));
  };
  if (!beside && (!role || !families[role] || families[role].ofApplications))
    await progress.step('Custom resources and settings', async () =>
      (await import('@tiphys/applications')).ensureControlPlane(
        client.as({ component: 'cli', purpose: 'install' }),
        namespace,
      ),
    );
  const plugins = options.plugins
    ? await (await import('./serve-plugins.ts')).servePlugins(resolve(workdir, options.plugins), (line) =>
        progress.note(line),
      )
    : undefined;
  if (plugins) closers.push(() => plugins.close());
  const abort = new AbortController();
  closers.push(() => abort.abort(new Error('stopped')));
  const onError = (key: string, error: unknown) => log('error', `${key}: ${formatDiagnosis(diagnosisOf(error))}`);
  const familyContext = {
    client,
    config,
    log,
    namespace,
    clock: systemClock,
    signal: abort.signal,
    onError,
    metrics: metrics.families.registry,
    requests: metrics.listen,
    git,
    scratch,
    dataDir,
    env,
    sandbox: kubeconfigPath !== undefined,
    simulated: kubeconfigPath !== undefined && options.runtime === 'simulated',
    host: options.host,
    alone: role !== undefined && Object.hasOwn(families, role),
  };
  const openPorts = async () => {
    if (!options.metrics) return;
    const ports = await openMetricsPorts(options, { role, metrics, client, namespace, progress });
    closers.push(async () => void (await Promise.all(ports.map((port) => port.close()))));
  };
  if (role && Object.hasOwn(families, role)) {
    await startFamilies([role], familyContext, progress, closers);
    await openPorts();
    return { url: undefined, namespace, client, kubeconfigPath, password: '', close };
  }
  const core = await import('./core-parts.ts');
  const delivers = role !== 'server' && selfRole !== 'candidate';
  const self = await core.openSelfManagement(selfRole, { client, namespace, onError });
  const history = await core.openUpHistory({ place: env.TIPHYS_HISTORY, role, scratch, onError });
  if (history) closers.push(() => history.close());
  const applications = await progress.step(role === 'server' ? 'View of the cluster' : 'Controllers', () =>
    core.startApplications({
      client,
      namespace,
      delivers,
      permit: self?.permit,
      guard: self?.guard(),
      checks: core.objectChecks,
      applicationNamespaces: env.ARGOCD_APPLICATION_NAMESPACES || undefined,
      gitModulesEnabled: env.ARGOCD_GIT_MODULES_ENABLED || undefined,
      verifiesSignatures: !['false', 'no'].includes((env.ARGOCD_GPG_ENABLED ?? '').toLowerCase()),
      execProviders: env.TIPHYS_EXEC_PROVIDERS?.split(',').filter(Boolean),
      enabledEvents: env.ARGOCD_ENABLE_K8S_EVENT,
      redis: redisAddress(options, env),
      trustFolders: { tls: env.ARGOCD_TLS_DATA_PATH || undefined, ssh: env.ARGOCD_SSH_DATA_PATH || undefined },
      git,
      cacheDir: scratch,
      plugins: {
        pluginFolders: [
          env.ARGOCD_PLUGINSOCKFILEPATH || core.defaultSocketFolder,
          ...(plugins ? [plugins.socketFolder] : []),
        ],
        ...(env.ARGOCD_ASK_PASS_SOCK ? { askPassSocket: env.ARGOCD_ASK_PASS_SOCK } : {}),
      },
      clock: systemClock,
      signal: abort.signal,
      metrics: metrics.controller,
      onRender: metrics.repositories.rendered,
      onLoad: metrics.repositories.followLoad,
      onRepositories: trustHosts,
      sharding: shardingOf(env),
      syncWaveDelay: syncWaveDelayOf(env),
      history,
      onRequest: metrics.requested,
      onError,
    }),
  );
  closers.push(() => applications.close());
  const { backend } = applications;
  const applicationSets = await core.startApplicationSets({
    ...familyContext,
    shared: applications.shared,
    delivers,
    permit: self?.permit,
  });
  closers.push(() => applicationSets.close());
  await hooks.delivering?.({ client, namespace });
  const others = Object.keys(families).filter((name) => !families[name]?.withApplications);
  const started = role
    ? new Map<string, Runtime>()
    : await startFamilies(
        others,
        { ...familyContext, backend, applications: applications.shared.applications },
        progress,
        closers,
      );
  await openPorts();
  const shared = { client, namespace, backend, ...core.environmentOptions(env), ...replicaOf(role, env), log };
  if (self && selfRole) closers.push(core.runSelfManagement(self, { applications, selfRole }));
  if (role === 'controller' && !beside) {
    const checks = await core.startRepositoryChecks(shared);
    closers.push(() => checks.close());
    return { url: undefined, namespace, client, kubeconfigPath, password: '', close };
  }
  const silent = { url: undefined, namespace, client, kubeconfigPath, password: '', close };
  if (selfRole === 'guard') return silent;
  const asCandidate = (port: number) =>
    closers.push(core.runAsCandidate(applications, { client, namespace, onError, port }));
  if (selfRole === 'candidate' && core.isSilent(env)) {
    asCandidate(0);
    return silent;
  }
  const workflows = await core.openWorkflowPages({ ...familyContext, backend });
  if (workflows) closers.push(() => workflows.close());
  const listen = () =>
    core
      .startServer({
        ...shared,
        applications: applications.shared.applications,
        applicationSets: applicationSets.backend,
        history,
        eventWays: (started.get('events') as EventsRuntime | undefined)?.access,
        workflows,
        applicationNamespaces: env.ARGOCD_APPLICATION_NAMESPACES || undefined,
        port: options.port,
        host: options.host,
        // in a pod anyone who routes to Argo CD expects what it served; on a laptop nobody would know the certificate
        ownCertificate: role === 'server' && soleToken === undefined,
        ...(soleToken === undefined ? {} : { soleToken }),
        ...(webDir ? { webDir } : {}),
        clock: systemClock,
        version,
        metrics: metrics.server,
      })
      .catch(async (error: unknown) => {
        throw (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? await takenPort(options) : error;
      });
  const server = await progress.step('API and web page', listen, ({ url }) => ({ text: url, done: true }));
  closers.push(() => server.close());
  if (selfRole === 'candidate') {
    asCandidate(Number(new URL(server.url).port));
    return silent;
  }

  if (soleToken !== undefined) return { url: server.url, namespace, client, kubeconfigPath, password: '', close };
  const password = await initialPassword(client, namespace);
  await keepSession({ url: server.url, password, kubeconfig: kubeconfigPath, file: sessionFile(env) }, progress);
  // what the sandbox forgets, the command line need not remember
  if (!dataDir && kubeconfigPath) closers.push(() => dropSession(sessionFile(env), server.url));
  return { url: server.url, namespace, client, kubeconfigPath, password, close };
}

async function initialPassword(client: Client, namespace: string): Promise<string> {
  const secret = await client.find({
    apiVersion: 'v1',
    kind: 'Secret',
    namespace,
    name: 'argocd-initial-admin-secret',
  });
  const encoded = ((secret?.data ?? {}) as Record<string, string>).password;
  return encoded ? Buffer.from(encoded, 'base64').toString('utf8') : '';
}

/** The command line of the same user is logged in already: `npx tiphys app list` just works. */
async function keepSession(
  { url, password, kubeconfig, file }: { url: string; password: string; kubeconfig: string | undefined; file: string },
  progress: Progress,
): Promise<void> {
  // a certificate of the control plane is for its clients' address, not for this one
  if (!password || url.startsWith('https:')) return;
  const response = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  if (!response.ok)
    return progress.note(
      `The command line is not logged in: the server answered ${response.status}. Use tiphys login.`,
    );
  const { token } = (await response.json()) as { token: string };
  const { current } = readSessions(file);
  // a server that runs keeps the commands that name none
  const own = current === undefined || current === url || !(await answers(current));
  saveSession(file, url, { token, current: own, kubeconfig });
}

async function answers(server: string): Promise<boolean> {
  try {
    return (await fetch(`${server}/healthz`, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}

/** Starts families, one after the other, each loaded only now; gives them by their names. */
async function startFamilies(
  wanted: readonly string[],
  context: FamilyContext,
  progress: Progress,
  closers: Closer[],
): Promise<ReadonlyMap<string, Runtime>> {
  const started = new Map<string, Runtime>();
  for (const name of wanted) {
    const family = families[name];
    if (!family) continue;
    const runtime = await progress.step(family.title, () => family.start(context));
    closers.push(() => runtime.close());
    started.set(name, runtime);
  }
  return started;
}
