import type { ApplicationsRuntime } from '@tiphys/applications';
import { type Client, type Clock, systemClock } from '@tiphys/kubernetes';
import {
  type Decision,
  judgeApplications,
  roleVariable,
  runCandidate,
  SelfManagement,
  silentCandidate,
} from '@tiphys/self-management';
import { version } from '../terminal/version.ts';
import { neededRights } from './missing-rights.ts';
import type { Role } from './role.ts';

/**
 * What a controller is while Tiphys delivers itself: `running`, a part of the installation; `guard`, of the version before, which can
 * take back; `candidate`, a version that is proved and may only read. Undefined for a process that is no pod of an installation.
 */
export type SelfRole = 'running' | 'guard' | 'candidate';

export function selfRoleOf(role: Role | undefined, env: NodeJS.ProcessEnv): SelfRole | undefined {
  if (role !== 'controller') return undefined;
  const given = env[roleVariable];
  if (given === 'guard' || given === 'candidate') return given;
  if (given === silentCandidate) return 'candidate';
  return env.POD_NAME && env.POD_NAMESPACE ? 'running' : undefined;
}

interface SelfOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly onError: (key: string, error: unknown) => void;
}

/** Whether a candidate is to serve no API. */
export function isSilent(env: NodeJS.ProcessEnv): boolean {
  return env[roleVariable] === silentCandidate;
}

/** The part of a process in deliveries of Tiphys itself; undefined for one that has none. Before anything is delivered. */
export async function openSelfManagement(
  selfRole: SelfRole | undefined,
  { client, namespace, onError }: SelfOptions,
): Promise<SelfManagement | undefined> {
  if (selfRole !== 'running' && selfRole !== 'guard') return undefined;
  const self = new SelfManagement({
    client: client.as({ component: 'controller', purpose: 'deliver Tiphys itself' }),
    namespace,
    clock: systemClock,
    role: selfRole,
    onError: (error) => onError('self-management', error),
  });
  await self.load();
  return self;
}

/** Begins the work of a part; resolves to the way to end it. */
export function runSelfManagement(
  self: SelfManagement,
  { applications, selfRole }: { readonly applications: ApplicationsRuntime; readonly selfRole: SelfRole },
): () => Promise<void> {
  const abort = new AbortController();
  const { shared } = applications;
  const decisions = new Map<string, Decision>();
  const judging =
    selfRole === 'guard'
      ? judgeApplications(judged(applications, systemClock, abort.signal), decisions, { rounds: 0 })
      : Promise.resolve();
  const running = self.run({ shared, decisions }, abort.signal);
  return async () => {
    abort.abort(new Error('stopped'));
    await Promise.all([running, judging]);
  };
}

function judged({ backend, shared }: ApplicationsRuntime, clock: Clock, signal: AbortSignal) {
  return {
    applications: () => shared.applications.list(),
    compare: (ref: { readonly namespace: string; readonly name: string }) => backend.comparison(ref, signal),
    clock,
    signal,
  };
}

/** Begins to judge and report as a candidate, whose API answers on `port`; resolves to the way to end it. */
export function runAsCandidate(
  applications: ApplicationsRuntime,
  { client, namespace, onError, port }: SelfOptions & { readonly port: number },
): () => Promise<void> {
  const abort = new AbortController();
  const limit = process.constrainedMemory();
  const work = runCandidate({
    ...judged(applications, systemClock, abort.signal),
    client: client.as({ component: 'candidate', purpose: 'report' }),
    namespace,
    version,
    needs: neededRights(),
    port,
    // without a limit the system tells that of the machine, or none
    memory: () => ({ used: process.memoryUsage.rss(), ...(limit > 0 && limit < 2 ** 50 ? { limit } : {}) }),
  }).catch((error: unknown) => {
    if (!abort.signal.aborted) onError('candidate', error);
  });
  return async () => {
    abort.abort(new Error('stopped'));
    await work;
  };
}
