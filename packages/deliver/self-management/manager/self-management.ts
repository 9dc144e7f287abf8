import type { Application } from '@tiphys/api';
import { names } from '@tiphys/api';
import {
  inClusterServer,
  type OperationGuard,
  quarantine,
  quarantinedAs,
  type SharedState,
} from '@tiphys/applications';
import { mergePatch, type Permit } from '@tiphys/controller';
import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { type Client, type Clock, isConflict, pause, timestamp } from '@tiphys/kubernetes';
import { decide } from '../decide/decide.ts';
import type { Observation } from '../decide/observation.ts';
import { operationGuard } from '../guard/operation-guard.ts';
import { isDownPod, podsOf } from '../guard/processes.ts';
import { type GuardRecord, readRecord } from '../guard/record.ts';
import { restore } from '../guard/restore.ts';
import { type Decision, differencesOf } from '../prove/decisions.ts';
import { kinds } from '../state/diagnoses.ts';
import { own } from '../state/names.ts';
import { isEnd, isGuards, type SelfUpdate } from '../state/state.ts';
import { StateStore, stateIn } from '../state/state-store.ts';
import { ensureCandidate, ensureGuard, removeBeside } from './beside.ts';
import {
  hasServer,
  isAnswered,
  LeaseWatch,
  type ObserveParts,
  observeCandidate,
  observeProcesses,
  observeService,
  operationSeen,
  shownDecisions,
} from './observe.ts';
import { SelfPermit } from './self-permit.ts';

export interface SelfManagementOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  /** `running`: a controller of the installation; `guard`: the one that can take a version back. */
  readonly role: 'running' | 'guard';
  readonly onError: (error: unknown) => void;
}

/** What it needs of the controllers of Applications once they run. */
export interface SelfManagementWorld {
  readonly shared: SharedState;
  /** What this process would decide over the applications, as it goes on judging them; of the guard. */
  readonly decisions?: ReadonlyMap<string, Decision>;
}

/** Between two looks while something is under way, and while nothing is, in milliseconds. */
const period = 1_000;
const idlePeriod = 3_000;
/** Between two signs of life of the guard that are stored. */
const heartbeat = 1_000;
/** A guard that was not heard of for so long is lost. */
const lost = 300_000;
/** A Lease whose record has not changed for so long is not renewed: it is every two seconds. */
const leaseTimeout = 4_000;
/** Between two refreshes that are asked for to see whether somebody answers. */
const askPeriod = 2_000;

/**
 * Takes a delivery of Tiphys by Tiphys from state to state. Processes of the installation drive it until the guard is there, and
 * clean up after it; the guard drives it in between. What is done follows from the stored phase, so that any process can stop at
 * any time.
 */
export class SelfManagement {
  readonly #options: SelfManagementOptions;
  readonly #store: StateStore;
  readonly #permit: SelfPermit;
  readonly #leases = new LeaseWatch();
  #record: { readonly of: string; readonly record: GuardRecord } | undefined;
  #guardSeen: { at: number | undefined; since: number } | undefined;
  /** The guard's state where the API server takes no writes. */
  #unwritten: SelfUpdate | undefined;
  #writeProblem: string | undefined;
  /** What the last complete look at the new version's own answers gave. One that hangs must not hold up the looks at others. */
  #service: Awaited<ReturnType<typeof observeService>> | undefined;
  #asking: Promise<void> | undefined;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #reported: string | undefined;

  constructor(options: SelfManagementOptions) {
    this.#options = options;
    this.#store = new StateStore(options.client, options.namespace);
    this.#permit = new SelfPermit(options.role);
  }

  /** Whether this process may deliver; before `load` only the processes of the installation may. */
  get permit(): Permit {
    return this.#permit;
  }

  /** Holds syncs of the installation itself. */
  guard(): OperationGuard {
    const { client, namespace, clock } = this.#options;
    return operationGuard({ client, namespace, clock, store: new StateStore(client, namespace) });
  }

  /** Reads where the delivery stands that this process may be a part of. Before it begins to deliver. */
  async load(): Promise<void> {
    this.#permit.start(await this.#store.read());
  }

  /** Works until the signal aborts. */
  async run(world: SelfManagementWorld, signal: AbortSignal): Promise<void> {
    const { clock, onError } = this.#options;
    while (!signal.aborted) {
      let busy = true;
      try {
        busy = await this.#tick(world, signal);
        this.#reported = undefined;
      } catch (error) {
        if (signal.aborted) break;
        const words = formatDiagnosis(diagnosisOf(error));
        // a fault that lasts is told of once
        if (!isConflict(error) && words !== this.#reported) onError(error);
        this.#reported = words;
      }
      await pause(clock, busy ? period : idlePeriod, signal);
    }
  }

  /** One look; false if nothing is under way. */
  async #tick(world: SelfManagementWorld, signal: AbortSignal): Promise<boolean> {
    const { namespace, role } = this.#options;
    const shown = this.#unwritten ?? stateIn(world.shared.configMaps.get(namespace, own.state));
    if (!shown || (isEnd(shown.phase) && shown.settled)) {
      this.#permit.follow(shown);
      return false;
    }
    if (role === 'guard') return await this.#guardTick(world, signal);
    this.#permit.follow(shown, this.#isGuardLost(shown));
    if (!world.shared.holds(inClusterServer)) return true;
    const state = await this.#store.read();
    if (!state) return false;
    if (isEnd(state.phase)) await this.#settle(world, state);
    else if (!isGuards(state.phase)) await this.#drive(world, state, signal);
    else if (this.#isGuardLost(state) && state.phase !== 'TakingBack')
      await this.#store.write({
        ...state,
        phase: 'Delivered',
        notes: [...state.notes, 'The guard was lost before the time of watching was over'],
      });
    return true;
  }

  #isGuardLost({ phase, guardAt }: SelfUpdate): boolean {
    const now = this.#options.clock.now();
    if (!isGuards(phase)) this.#guardSeen = undefined;
    else if (!this.#guardSeen || this.#guardSeen.at !== guardAt) this.#guardSeen = { at: guardAt, since: now };
    return this.#guardSeen !== undefined && now - this.#guardSeen.since >= lost;
  }

  /** Until the guard is there. */
  async #drive(world: SelfManagementWorld, state: SelfUpdate, signal: AbortSignal): Promise<void> {
    const { client, namespace, clock } = this.#options;
    const record = await this.#recordOf(state);
    if (!record) return await this.#refuseWithout(state);
    const parts = { client, namespace, operation: state.operation };
    const application = applicationOf(world, state);
    let seen: Observation = operationSeen(application, state);
    if (state.phase === 'Proving') {
      await ensureCandidate({ ...parts, template: record.candidate, silent: !hasServer(record) });
      seen = { ...seen, ...(await observeCandidate(this.#observeParts(world, signal), state, record)) };
    } else {
      await removeBeside(client, namespace, 'candidate');
      if (state.phase === 'Guarding') await ensureGuard({ ...parts, template: record.running });
    }
    const next = decide(state, seen, clock.now());
    if (JSON.stringify(next) !== JSON.stringify(state)) await this.#store.write(next);
    if (next.phase !== state.phase) world.shared.look(state.application);
  }

  /** Nobody can take back what was not recorded. */
  async #refuseWithout(state: SelfUpdate): Promise<void> {
    const message = 'What was there before is not recorded any more';
    await this.#store.write({
      ...state,
      phase: 'Refused',
      findings: [...state.findings, { code: kinds.guardianMissing.code, message }],
    });
  }

  async #guardTick(world: SelfManagementWorld, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    const stored = await this.#store.read().catch((error: unknown) => {
      if (this.#unwritten) return this.#unwritten;
      throw error;
    });
    const state = this.#unwritten ?? stored;
    if (!state || isEnd(state.phase) || !['Guarding', 'Applying', 'Watching', 'TakingBack'].includes(state.phase)) {
      this.#permit.follow(state);
      return false;
    }
    const now = clock.now();
    if (state.phase === 'Guarding') return await this.#keep(state, { ...state, guardAt: now }, world);
    const record = await this.#recordOf(state);
    if (!record) return false;
    this.#permit.follow(state);
    const application = applicationOf(world, state);
    const parts = this.#observeParts(world, signal);
    const seen: Observation = {
      ...operationSeen(application, state),
      ...(this.#writeProblem ? { writeProblem: this.#writeProblem } : {}),
      ...(state.phase === 'TakingBack'
        ? { restored: await this.#takeBack(application, state, record, signal) }
        : { processes: await observeProcesses(parts, record) }),
      ...(state.phase === 'Watching' ? await this.#observeWatched(world, state, record, signal) : {}),
    };
    const asked = state.phase === 'Watching' ? await this.#ask(application, state) : state;
    const next = decide({ ...asked, guardAt: asked.guardAt ?? now }, seen, clock.now());
    return await this.#keep(state, next, world);
  }

  async #observeWatched(world: SelfManagementWorld, state: SelfUpdate, record: GuardRecord, signal: AbortSignal) {
    const { clock } = this.#options;
    const parts = this.#observeParts(world, signal);
    const decided = shownDecisions(world.shared.applications.list(), state.application);
    const fresh = await parts.client.find<Application>(placeOfApplication(state));
    this.#observeService(parts, record);
    const delivering = await this.#leases.delivering(parts, leaseTimeout);
    return {
      ...this.#service,
      // where the API server has not taken our own writes, others are not late for a fault of theirs
      delivering: delivering || clock.now() - this.#writtenAt >= leaseTimeout,
      answered: isAnswered(fresh),
      // here the new version is the one whose decisions are shown
      differences: differencesOf(world.decisions ?? new Map(), decided),
    };
  }

  #observeService(parts: ObserveParts, record: GuardRecord): void {
    this.#asking ??= observeService(parts, record)
      .then((seen) => {
        this.#service = seen;
      })
      .catch((error: unknown) => {
        if (!parts.signal.aborted) this.#options.onError(error);
      })
      .finally(() => {
        this.#asking = undefined;
      });
  }

  /** Asks for a refresh of the application that delivers Tiphys, to see whether somebody takes it up. */
  async #ask(application: Application | undefined, state: SelfUpdate): Promise<SelfUpdate> {
    const { client, clock } = this.#options;
    const now = clock.now();
    if (!application || state.askedAt !== undefined || now - this.#askedAt < askPeriod) return state;
    this.#askedAt = now;
    const metadata = { annotations: { [names.annotations.refresh]: 'normal' } };
    await client.patch(placeOfApplication(state), 'merge', { metadata });
    return { ...state, askedAt: clock.now() };
  }

  /** One step on the way back; true when everything is as it was. */
  async #takeBack(
    application: Application | undefined,
    state: SelfUpdate,
    record: GuardRecord,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client, namespace } = this.#options;
    const restored = await restore(client, record);
    const kept = await this.#quarantine(application, state);
    for (const place of record.processes) {
      const labels = { 'app.kubernetes.io/name': place.name };
      // a rollout back waits for pods that will never be ready
      for (const pod of await podsOf(client, namespace, labels))
        if (record.restarts[pod.metadata.uid ?? ''] === undefined && isDownPod(pod) && !pod.metadata.deletionTimestamp)
          await client.delete(
            { apiVersion: 'v1', kind: 'Pod', namespace, name: pod.metadata.name ?? '' },
            { gracePeriodSeconds: 0, signal },
          );
    }
    if (!restored || !kept) return false;
    const processes = await observeProcesses({ ...this.#observeParts(undefined, signal) }, record);
    const before = new Set(record.before.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    return processes.every(({ name, ready }) => ready || !before.has(name));
  }

  async #quarantine(application: Application | undefined, state: SelfUpdate): Promise<boolean> {
    if (!application || quarantinedAs(application, state)) return true;
    const { client, clock } = this.#options;
    const fresh = await client.find<Application>(placeOfApplication(state));
    if (!fresh || quarantinedAs(fresh, state)) return true;
    const next: Application = { ...fresh, metadata: { ...fresh.metadata } };
    const [first] = state.findings;
    const reason = state.findings.map(({ message }) => message).join('; ') || 'it was taken back';
    const at = timestamp(clock.now());
    quarantine(next, { revisions: state.revisions, at, reason, ...(first ? { code: first.code } : {}) });
    const { resourceVersion } = fresh.metadata;
    const patch = mergePatch(
      { metadata: { annotations: fresh.metadata.annotations ?? {} } },
      { metadata: { annotations: next.metadata.annotations ?? {} } },
    ) as { metadata?: object };
    await client.patch(placeOfApplication(state), 'merge', {
      ...patch,
      metadata: { ...patch.metadata, ...(resourceVersion ? { resourceVersion } : {}) },
    });
    return true;
  }

  /** After the end: what was needed is removed, and a version that is not wanted is kept away. */
  async #settle(world: SelfManagementWorld, state: SelfUpdate): Promise<void> {
    const { client, namespace } = this.#options;
    const unwanted =
      state.phase !== 'Delivered' && state.findings.some(({ code }) => code !== kinds.operationEnded.code);
    if (unwanted && !(await this.#quarantine(applicationOf(world, state), state))) return;
    for (const role of ['candidate', 'guard'] as const) await removeBeside(client, namespace, role);
    await client.delete({ apiVersion: 'v1', kind: 'Secret', namespace, name: own.record }).catch((error: unknown) => {
      if (diagnosisOf(error).code !== 'NotFound' && (error as { reason?: string }).reason !== 'NotFound') throw error;
    });
    await this.#store.write({ ...state, settled: true });
    world.shared.look(state.application);
  }

  async #recordOf({ operation, application }: SelfUpdate): Promise<GuardRecord | undefined> {
    const of = `${application} ${operation}`;
    if (this.#record?.of === of) return this.#record.record;
    const record = await readRecord(this.#options.client, this.#options.namespace);
    this.#record = record && { of, record };
    return record;
  }

  /** Stores the guard's next state. What cannot be written counts all the same: the guard has to act where nobody can write. */
  async #keep(before: SelfUpdate, next: SelfUpdate, world: SelfManagementWorld): Promise<boolean> {
    const now = this.#options.clock.now();
    const due = now - this.#writtenAt >= heartbeat;
    const changed = JSON.stringify({ ...next, guardAt: 0 }) !== JSON.stringify({ ...before, guardAt: 0 });
    if (!due && !changed && !this.#unwritten) return true;
    const state = { ...next, guardAt: now };
    try {
      await this.#store.write(state);
      this.#writtenAt = now;
      this.#unwritten = undefined;
      this.#writeProblem = undefined;
    } catch (error) {
      if (isConflict(error)) throw error;
      this.#unwritten = state;
      this.#writeProblem = formatDiagnosis(diagnosisOf(error)).slice(0, 500);
    }
    this.#permit.follow(state);
    if (next.phase !== before.phase) {
      this.#leases.forget();
      this.#service = undefined;
      world.shared.look(next.application);
    }
    return true;
  }

  #observeParts(world: SelfManagementWorld | undefined, signal: AbortSignal) {
    const { client, namespace, clock } = this.#options;
    return { client, namespace, clock, signal, applications: () => world?.shared.applications.list() ?? [] };
  }
}

function applicationOf({ shared }: SelfManagementWorld, { application }: SelfUpdate): Application | undefined {
  const [namespace = '', name = ''] = application.split('/');
  return shared.applications.get(namespace, name);
}

function placeOfApplication({ application }: SelfUpdate) {
  const [namespace = '', name = ''] = application.split('/');
  return { apiVersion: names.apiVersion, kind: 'Application', namespace, name };
}
