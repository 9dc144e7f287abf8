import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Application } from '@tiphys/api';
import { formatPlace } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { configMap } from '../e2e/support/manifests.ts';
import type { World } from '../e2e/support/world.ts';
import { recordExample } from './examples.ts';
import { type Fault, type Shown, type Stage, shownBy } from './fault.ts';
import { Terminal } from './terminal.ts';

const automated = { automated: { prune: true, selfHeal: true } };
/** No part of a fault may tell it. */
const marker = /MARKER/;

/** Injects one fault, asserts what is shown of it on every surface, ends it, and asserts that nothing is left. */
export async function runFault(world: World, fault: Fault, name: string): Promise<void> {
  const stage = await prepare(world, fault, name);
  try {
    if (!fault.fromStart) {
      await world.healthy(name);
      await fault.inject?.(stage);
    }
    await toldAndMended(stage, fault);
    if (!fault.twice) return;
    await fault.inject?.(stage);
    await toldAndMended(stage, fault);
  } finally {
    await stage.end();
  }
}

async function toldAndMended(stage: Stage, fault: Fault): Promise<void> {
  const application = await stage.until(`diagnosis ${fault.code}`, (current) => isTold(current, fault));
  await assertShown(stage, fault, application);
  if (fault.cluster) await clusterListed(stage, 'Failed', (find(application, fault) as Shown).message);
  if (!fault.mend) return;
  await fault.mend(stage);
  const recovered = await stage.until(
    `the end of ${fault.code}`,
    (current) => find(current, fault) === undefined && (fault.recovers === false || isWell(current)),
  );
  assert.ok(!JSON.stringify(recovered.status?.conditions ?? []).includes(fault.code));
  await untilListed(stage, recovered);
  if (fault.cluster) await clusterListed(stage, 'Successful');
}

interface ListedCluster {
  readonly name?: string;
  readonly connectionState?: { readonly status?: string; readonly message?: string };
}

/** What the API and `tiphys cluster list` say of the cluster of the stage: its state, and why. */
async function clusterListed({ world, name }: Stage, wanted: string, message = ''): Promise<void> {
  const terminal = await Terminal.of(world);
  const words = firstSentence(message);
  for (const deadline = Date.now() + 60_000; ; await pause(100)) {
    const { body } = await world.rest<{ items?: ListedCluster[] }>('GET', '/api/v1/clusters');
    const state = (body.items ?? []).find((each) => each.name === name)?.connectionState;
    const printed = (await terminal.run('cluster', 'list')).split('\n').find((line) => line.includes(` ${name} `));
    const told = [`${state?.status} ${plain(state?.message ?? '')}`, plain(printed ?? '')];
    if (told.every((text) => text.includes(wanted) && text.includes(words))) return;
    assert.ok(Date.now() < deadline, `the lists of clusters lack ${wanted} ${words}: ${told.join('; ')}`);
  }
}

interface ListedRepository {
  readonly repo: string;
  readonly connectionState?: { readonly status?: string; readonly message?: string };
}

/** The list of repositories tells nothing any more of what is over. */
async function untilListed({ world }: Stage, { spec }: Application): Promise<void> {
  const url = spec.source?.repoURL;
  for (const deadline = Date.now() + 60_000; ; await pause(100)) {
    const { body } = await world.rest<{ items?: ListedRepository[] }>('GET', '/api/v1/repositories');
    const listed = (body.items ?? []).find(({ repo }) => repo === url);
    if (listed?.connectionState?.status !== 'Failed') return;
    assert.ok(Date.now() < deadline, `the list of repositories still says ${listed.connectionState.message}`);
  }
}

function isWell({ status }: Application): boolean {
  return (
    status?.sync?.status === 'Synced' &&
    status.health?.status === 'Healthy' &&
    status.operationState?.phase !== 'Running'
  );
}

/** The diagnosis is there with all that it must say; some of it is only known a moment later, such as events. */
function isTold(application: Application, fault: Fault): boolean {
  const shown = find(application, fault);
  const text = JSON.stringify(shown ?? '');
  return shown !== undefined && fault.contains.every((wanted) => wanted.test(text));
}

function find(application: Application, { code }: Fault): Shown | undefined {
  const all = shownBy(application);
  const within = (found: Shown): boolean =>
    found.code === code || (found.causes ?? []).some((cause) => within(cause as Shown));
  return all.find((found) => found.code === code) ?? all.find(within);
}

async function assertShown(stage: Stage, fault: Fault, application: Application): Promise<void> {
  const shown = find(application, fault) as Shown;
  const text = JSON.stringify(shown);
  assert.equal(shown.code === fault.code ? shown.cause : fault.id, fault.cause ?? fault.id);
  for (const wanted of fault.contains) assert.match(text, wanted);
  for (const wrong of fault.excludes ?? []) assert.doesNotMatch(JSON.stringify(application.status?.diagnoses), wrong);
  assert.notEqual(shown.message, '');
  if (process.env.TIPHYS_FAULTS_RECORD) recordExample(shown);
  assert.ok(shown.remedies.length > 0, 'a diagnosis names a remedy');
  assert.doesNotMatch(JSON.stringify(application), marker);
  await shownByApi(stage, fault);
  await shownByArgocd(stage, fault, shown);
  await shownByTerminal(stage, fault);
}

/** What a terminal shows of a text, on one line. */
const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
/** Quotes of JSON, which no terminal prints. */
const structure = /(?<!\\)"/;

/** What `tiphys app get` prints: all that must be told, with the place of the cause and the remedies. */
async function shownByTerminal({ world, name, until }: Stage, fault: Fault): Promise<void> {
  const terminal = await Terminal.of(world);
  for (const deadline = Date.now() + 60_000; ; await pause(100)) {
    const application = await until(`diagnosis ${fault.code}`, (current) => isTold(current, fault));
    const printed = plain(await terminal.run('app', 'get', name));
    const missing = partsOf(find(application, fault) as Shown).filter((part) => !printed.includes(plain(part)));
    const text = JSON.stringify(printed);
    const unsaid = fault.contains.filter((wanted) => !structure.test(wanted.source) && !wanted.test(text));
    if (missing.length === 0 && unsaid.length === 0) return;
    assert.ok(
      Date.now() < deadline,
      `tiphys app get lacks ${JSON.stringify(missing)} ${unsaid.join(' ')}; it prints ${printed}`,
    );
  }
}

function partsOf({ code, message, place, evidence, remedies }: Shown): string[] {
  return [
    code,
    message,
    ...(place ? [formatPlace(place)] : []),
    ...evidence.map(({ value }) => value),
    ...remedies.map(({ text }) => text),
  ];
}

/** A container that starts again and again is well for a moment in between, in which nothing is reported. */
async function shownByApi({ world, name }: Stage, fault: Fault): Promise<void> {
  for (const deadline = Date.now() + 120_000; ; await pause(100)) {
    const { body } = await world.rest<Application>(
      'GET',
      `/api/v1/applications/${name}?appNamespace=${world.namespace}`,
    );
    if (find(body, fault)) return;
    assert.ok(Date.now() < deadline, 'the API shows it');
  }
}

const firstSentence = (message: string): string => plain(message.split(/\n|(?<=[.]) (?=[A-Z])/)[0] as string);

/** What `argocd app get` prints knows no diagnoses: the first sentence of the cause is in its conditions, its operation or its objects. */
async function shownByArgocd({ until }: Stage, fault: Fault, { message }: Shown): Promise<void> {
  const words = firstSentence(message);
  await until(`${fault.code} in what argocd prints`, (application) => {
    const told = find(application, fault);
    // what is worth knowing and no failure makes no condition, so that nobody is alarmed
    if (told === undefined || isMild(told, application)) return true;
    const { conditions = [], operationState } = application.status ?? {};
    const texts = [
      ...conditions.map((condition) => condition.message),
      operationState?.message ?? '',
      ...(operationState?.syncResult?.resources ?? []).map((result) => result.message ?? ''),
    ].map(plain);
    return texts.some((text) => text.includes(words) || text.includes(firstSentence(told.message)));
  });
}

const mild: ReadonlySet<string> = new Set([
  'ServerWarning',
  'UnknownError',
  'HealthWarning',
  'NotificationWarning',
  'OperationWaiting',
  'RenderWaiting',
  'SyncError',
]);

/** A notice: of a condition that fails nothing, where the application shows no condition of its own for it. */
function isMild({ condition, message }: Shown, { status }: Application): boolean {
  return (
    mild.has(condition) &&
    !(status?.conditions ?? []).some((told) => told.type === condition && told.message.includes(message.slice(0, 60)))
  );
}

export async function prepare(world: World, fault: Fault, name: string): Promise<Stage & { end(): Promise<void> }> {
  const namespace = await world.targetNamespace();
  const given = typeof fault.files === 'function' ? fault.files({ namespace }) : fault.files;
  const repository = world.repository(given ?? { 'app/a.yaml': configMap('a', 'one') });
  const created: KubeObject[] = [];
  const closers: (() => Promise<void>)[] = [];
  const refOf = ({ apiVersion, kind, metadata }: KubeObject) => ({
    apiVersion,
    kind,
    name: metadata.name ?? '',
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  });
  const stage = {
    world,
    name,
    namespace,
    repository,
    commit: (files: Readonly<Record<string, string | undefined>>) => repository.commit(files),
    patch: async (spec: object) => void (await world.client.patch(world.applicationRef(name), 'merge', { spec })),
    create: async (object: KubeObject) => {
      const made = await world.client.create(object);
      created.push(made);
      return made;
    },
    sync: async (request: object = {}) =>
      void (await world.client.patch(world.applicationRef(name), 'merge', {
        operation: { sync: {}, ...request },
      })),
    refresh: async () =>
      void (await world.client.patch(world.applicationRef(name), 'merge', {
        metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
      })),
    until: (what: string, holds: (application: Application) => boolean) => world.waitForApplication(name, what, holds),
    end: async () => {
      for (const object of created.reverse())
        if (await world.client.find(refOf(object))) await world.client.delete(refOf(object));
      const ref = world.applicationRef(name);
      if (await world.client.find(ref)) await world.client.delete(ref);
      for (const close of closers) await close();
    },
  };
  const spec =
    typeof fault.spec === 'function'
      ? await fault.spec({ repository, world, name, closeLater: (close) => void closers.push(close) })
      : fault.spec;
  if (fault.fromStart && fault.inject) return createAfter(stage, fault, spec);
  await create(stage, fault, spec);
  return stage;
}

/** The fault comes first, then the application. */
async function createAfter<S extends Stage>(stage: S, fault: Fault, spec: Fault['spec']): Promise<S> {
  await fault.inject?.(stage);
  await create(stage, fault, spec);
  return stage;
}

async function create(stage: Stage, fault: Fault, spec: Fault['spec']): Promise<void> {
  await stage.world.createApplication(stage.name, stage.repository, {
    path: 'app',
    targetNamespace: stage.namespace,
    ...(fault.manual ? {} : { syncPolicy: automated }),
    ...(spec as object),
  });
}
