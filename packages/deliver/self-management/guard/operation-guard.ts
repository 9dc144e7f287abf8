import type { Application } from '@tiphys/api';
import {
  type GuardedStep,
  type GuardVerdict,
  inClusterServer,
  type OperationGuard,
  revisionsOf,
} from '@tiphys/applications';
import { deepEqual } from '@tiphys/controller';
import { diagnose, formatDiagnosis } from '@tiphys/diagnosis';
import { isOwnPart } from '@tiphys/engine';
import type { Client, Clock } from '@tiphys/kubernetes';
import { keyString, timestamp } from '@tiphys/kubernetes';
import { kinds } from '../state/diagnoses.ts';
import { annotations, controllerName } from '../state/names.ts';
import { isEnd, isGuards, type SelfUpdate } from '../state/state.ts';
import type { StateStore } from '../state/state-store.ts';
import { examine } from './examine.ts';
import { writeRecord } from './record.ts';

export interface OperationGuardOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  readonly store: StateStore;
}

const defaults = { proof: 60_000, watch: 600_000 };

/**
 * Holds the sync of an Application that delivers this installation until the new version is proved and a guard is there. What
 * changes nothing of the installation goes on, and so does every other Application.
 */
export function operationGuard({ client, namespace, clock, store }: OperationGuardOptions): OperationGuard {
  return async (step) => {
    const { key, application, state, server, comparison } = step;
    if (server !== inClusterServer || application.metadata.annotations?.[annotations.mode] === 'off') return go;
    const controller = comparison.resources.find(
      ({ key: { kind, name, namespace: where } }) =>
        (kind === 'StatefulSet' || kind === 'Deployment') && name === controllerName && where === namespace,
    );
    const { live, desired } = controller ?? {};
    if (!live || !desired) return go;
    const current = await store.read();
    const revisions = revisionsOf(state.syncResult);
    if (current?.application === key && current.operation === state.startedAt) return verdictOf(current, step);
    // what the last one needed is still being removed
    if (current && !current.settled) {
      if (current.application === key && deepEqual(current.revisions, revisions)) {
        if (current.phase === 'Watching') return go;
        if (current.phase === 'TakingBack') return refuse(current);
      }
      return wait(`It is ${words(current)}; another sync of Tiphys waits until that is over`);
    }
    if (!changesInstallation(step, namespace)) return go;
    const { record, findings, notes, images } = await examine({
      client,
      namespace,
      controller: { live, desired },
      step,
    });
    await writeRecord(client, namespace, record);
    const now = clock.now();
    const begun: SelfUpdate = {
      phase: findings.length > 0 ? 'Refused' : 'Proving',
      application: key,
      revisions,
      operation: state.startedAt,
      ...images,
      startedAt: timestamp(now),
      phaseSince: now,
      periods: {
        proof: periodOf(application, annotations.proof, defaults.proof),
        watch: periodOf(application, annotations.watch, defaults.watch),
      },
      findings,
      notes,
      differences: [],
      since: {},
    };
    await store.begin(begun);
    return verdictOf(begun, step);
  };
}

const go: GuardVerdict = { kind: 'go' };

/** Whether a plan changes parts of the installation in more than what they are labelled and annotated with. */
function changesInstallation({ plan, comparison }: GuardedStep, namespace: string): boolean {
  const compared = new Map(comparison.resources.map((resource) => [keyString(resource.key), resource]));
  return plan.tasks.some(({ inSync, action, desired, live, key }) => {
    if (inSync || action === 'skip-prune' || action === 'unchanged') return false;
    if (![desired, live].some((object) => object && isOwnPart(object, namespace))) return false;
    const { differences = [] } = compared.get(keyString(key)) ?? {};
    const marks = /^metadata\.(labels|annotations)\b/;
    return live === undefined || key.kind === 'Namespace' || differences.some(({ path }) => !marks.test(path));
  });
}

function verdictOf(current: SelfUpdate, { application, state }: GuardedStep): GuardVerdict {
  if (current.phase === 'Delivered' || current.phase === 'Applying' || current.phase === 'Watching') return go;
  if (isEnd(current.phase) || isGuards(current.phase)) return refuse(current);
  const newer = revisionsOf(application.status?.sync);
  const superseded =
    state.operation.initiatedBy?.automated === true && newer.every(Boolean) && !deepEqual(newer, current.revisions);
  // nothing was done yet, and the newer revision may be the correction
  if (superseded) return { kind: 'refuse', diagnosis: ended() };
  return wait(`A new version of Tiphys is ${words(current)}`);
}

function ended() {
  return diagnose(kinds.operationEnded, {
    message: 'There is a newer revision: this version of Tiphys is not proved any further',
    remedies: ['Nothing is to be done: the newer revision is proved next'],
  });
}

/** Where a delivery stands, for people. */
export function words({ phase, compared, differences }: SelfUpdate): string {
  const seen = compared ? `, ${compared.applications} of ${compared.of} applications compared` : '';
  switch (phase) {
    case 'Proving':
      return `proved beside the running one${seen}`;
    case 'AwaitingConfirmation':
      return `waiting for a person: it judges ${differences.length} applications in another way`;
    case 'Guarding':
      return 'proved; the guard is being started';
    case 'Applying':
      return 'being delivered';
    case 'Watching':
      return 'delivered and watched';
    case 'TakingBack':
      return 'being taken back';
    case 'Delivered':
      return 'delivered';
    case 'Refused':
      return 'refused';
    default:
      return 'taken back';
  }
}

function wait(message: string): GuardVerdict {
  return {
    kind: 'wait',
    diagnosis: diagnose(kinds.awaits, {
      message,
      remedies: [{ text: 'See where it stands', paste: 'tiphys self status' }],
    }),
  };
}

function refuse(current: SelfUpdate): GuardVerdict {
  return { kind: 'refuse', diagnosis: takenDiagnosis(current) };
}

/** Why a version was not delivered, or was taken back. */
export function takenDiagnosis(current: SelfUpdate) {
  const { findings, to, revisions, phase } = current;
  const causes = findings.map(({ code, message }) => {
    const kind = Object.values(kinds).find((each) => each.code === code) ?? kinds.taken;
    return diagnose(kind, { message, remedies: [] });
  });
  const what = phase === 'Refused' ? 'was not delivered' : 'is taken back';
  return diagnose(kinds.taken, {
    message: `${to} ${what}: ${causes.map((cause) => formatDiagnosis(cause)).join('; ') || 'no reason was recorded'}`,
    evidence: { revisions: revisions.join(', '), 'version before': current.from },
    remedies: [
      'Commit a correction, or the version before: a newer revision is proved at once',
      { text: 'See what was found', paste: 'tiphys self status' },
    ],
    ...(causes.length > 0 ? { causes } : {}),
  });
}

/** A duration of whole hours, minutes and seconds; the default where there is none. */
function periodOf({ metadata }: Application, name: string, otherwise: number): number {
  const parts = /^(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,5})s)?$/.exec(metadata.annotations?.[name] ?? '');
  if (!parts?.[0]) return otherwise;
  const [, hours = '0', minutes = '0', seconds = '0'] = parts;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}
