import { kinds } from '../state/diagnoses.ts';
import { type Finding, isEnd, type Phase, type SelfUpdate } from '../state/state.ts';
import type { CandidateSeen, Observation, ProcessSeen } from './observation.ts';

/** How long something must last to count, in milliseconds. */
export const limits = {
  /** An image that cannot be pulled, since registries have moments too. */
  waiting: 60_000,
  /** Until the first report of a candidate. */
  silence: 300_000,
  /** Between two reports. */
  hang: 30_000,
  /** An API that does not answer. */
  api: 10_000,
  /** Decisions that differ: two views of a cluster are never of the same moment. */
  differences: 20_000,
  /** Until a guard is up. */
  guard: 300_000,
  /** Until the sync has ended and all processes are ready. */
  apply: 900_000,
  /** A process that is not ready any more. */
  unready: 30_000,
  /** A lease that nobody renews, after it was seen so. */
  lease: 1_000,
  /** A refresh that nobody answers, and the first one: anyone who has just taken over reads everything. */
  lag: 6_000,
  firstLag: 120_000,
  /** Writes that are refused. */
  writes: 2_000,
  /** Of the memory that a process may take, as a share. */
  memory: 0.9,
} as const;

const finding = ({ code }: { readonly code: string }, message: string): Finding => ({ code, message });

/**
 * The next state of a delivery of Tiphys by Tiphys, from what is seen at `now` (milliseconds). Pure: what is to be done follows from
 * the phase alone, so that anyone who reads the state after a crash goes on.
 */
export function decide(state: SelfUpdate, seen: Observation, now: number): SelfUpdate {
  if (isEnd(state.phase)) return state;
  const lasting = new Lasting(state, now);
  const next = step(state, seen, lasting, now);
  return { ...next, since: next.phase === state.phase ? lasting.kept() : {} };
}

function step(state: SelfUpdate, seen: Observation, lasting: Lasting, now: number): SelfUpdate {
  switch (state.phase) {
    case 'Proving':
      return prove(state, seen, lasting, now);
    case 'AwaitingConfirmation':
      if (seen.operation !== 'Running') return ended(state, now);
      return state.confirmed ? enter(state, 'Guarding', now) : state;
    case 'Guarding':
      if (seen.operation !== 'Running') return ended(state, now);
      if (state.guardAt !== undefined) return enter(state, 'Applying', now);
      return now - state.phaseSince >= limits.guard
        ? enter(state, 'Refused', now, [
            finding(kinds.guardianMissing, `The guard did not report within ${limits.guard / 1000} s`),
          ])
        : state;
    case 'Applying':
      return apply(state, seen, lasting, now);
    case 'Watching':
      return watch(state, seen, lasting, now);
    default:
      // a try of the sync that is under way may write once more what was just taken away, such as a webhook that refuses everything
      return seen.restored && (seen.operation !== 'Running' || now - state.phaseSince >= limits.apply)
        ? enter(state, 'TakenBack', now)
        : state;
  }
}

function prove(state: SelfUpdate, seen: Observation, lasting: Lasting, now: number): SelfUpdate {
  if (seen.operation !== 'Running') return ended(state, now);
  const against = [
    ...(seen.manifests ?? []),
    ...(seen.candidate ? candidateFaults(state, seen.candidate, lasting, now) : []),
  ];
  if (against.length > 0) return enter(state, 'Refused', now, against);
  const { report, differences = [], apiAsked = false, outOfReach } = seen.candidate ?? {};
  const first = state.report?.number !== report?.number;
  const noted: SelfUpdate = report
    ? {
        ...state,
        report: first ? { number: report.number, at: now } : (state.report as NonNullable<SelfUpdate['report']>),
        compared: { applications: report.compared, of: report.of },
        differences,
        ...(outOfReach && state.outOfReach === undefined
          ? {
              outOfReach,
              notes: [...state.notes, `What APIs answer is not judged, since no pod can be asked: ${outOfReach}`],
            }
          : {}),
      }
    : state;
  if (!report || report.rounds === 0 || !apiAsked) {
    lasting.end('proof');
    return noted;
  }
  const proved = lasting.lasts('proof', state.periods.proof);
  if (differences.length > 0 && !state.confirmed) {
    // what both see later of the same change is no difference
    if (!lasting.lasts('differences', limits.differences) || !proved) return noted;
    return enter(noted, 'AwaitingConfirmation', now);
  }
  lasting.end('differences');
  return proved ? enter(noted, 'Guarding', now) : noted;
}

function candidateFaults(state: SelfUpdate, seen: CandidateSeen, lasting: Lasting, now: number): Finding[] {
  const { process, report, apiProblem, apiAsked } = seen;
  const found: Finding[] = [];
  if (process.waiting) {
    if (lasting.lasts('candidate waits', limits.waiting)) found.push(finding(kinds.candidateImage, process.waiting));
  } else lasting.end('candidate waits');
  if (process.ended) found.push(finding(kinds.candidateCrashed, `The candidate ended: ${process.ended}`));
  if (!report && now - state.phaseSince >= limits.silence)
    found.push(finding(kinds.candidateSilent, `The candidate did not report within ${limits.silence / 1000} s`));
  if (report && state.report?.number === report.number && now - state.report.at >= limits.hang)
    found.push(finding(kinds.candidateHangs, `The candidate has not reported for ${limits.hang / 1000} s`));
  if (report) found.push(...report.problems);
  if (report?.memory !== undefined && report.memory >= limits.memory)
    found.push(finding(kinds.candidateMemory, memoryWords('The candidate', report.memory)));
  if (apiAsked && apiProblem) {
    if (lasting.lasts('candidate api', limits.api)) found.push(finding(kinds.candidateApi, apiProblem));
  } else lasting.end('candidate api');
  return found;
}

function apply(state: SelfUpdate, seen: Observation, lasting: Lasting, now: number): SelfUpdate {
  if (seen.operation === 'Failed' || seen.operation === 'Ended') {
    const why = seen.operationMessage ? `: ${seen.operationMessage}` : '';
    return enter(state, 'TakingBack', now, [finding(kinds.syncFailed, `The sync failed${why}`)]);
  }
  const against = [...processFaults(seen.processes, lasting, { toBeReady: false }), ...writeFaults(seen, lasting)];
  if (against.length > 0) return enter(state, 'TakingBack', now, against);
  const ready = seen.processes?.every((each) => each.ready) === true;
  if (seen.operation === 'Succeeded' && ready) return enter(state, 'Watching', now);
  if (now - state.phaseSince < limits.apply) return state;
  const late = (seen.processes ?? []).filter((each) => !each.ready).map(({ name }) => name);
  const what = late.length > 0 ? `${late.join(', ')} did not become ready` : 'the sync did not end';
  return enter(state, 'TakingBack', now, [
    finding(kinds.processUnhealthy, `Within ${limits.apply / 60_000} min ${what}`),
  ]);
}

function watch(state: SelfUpdate, seen: Observation, lasting: Lasting, now: number): SelfUpdate {
  const against = [
    ...processFaults(seen.processes, lasting, { toBeReady: true }),
    ...writeFaults(seen, lasting),
    ...serviceFaults(state.outOfReach === undefined ? seen : { ...seen, apiProblem: undefined }, lasting),
  ];
  if (state.takeBack) against.push(finding(kinds.taken, 'A person asked for the version before'));
  const lag = state.askedAt !== undefined && seen.answered === false ? now - state.askedAt : 0;
  if (lag >= (state.answered ? limits.lag : limits.firstLag))
    against.push(finding(kinds.reconcileLag, `A refresh was not answered for ${Math.round(lag / 1000)} s`));
  const differences = seen.differences ?? [];
  const differ = state.confirmed ? [] : differences;
  if (differ.length === 0) lasting.end('decisions');
  else if (lasting.lasts('decisions', limits.differences))
    against.push(finding(kinds.decisionsDiffer, differencesWords(differ)));
  if (against.length > 0) return enter({ ...state, differences }, 'TakingBack', now, against);
  const { askedAt: _asked, ...unasked } = state;
  const noted = { ...(seen.answered ? { ...unasked, answered: true } : state), differences };
  return now - state.phaseSince >= state.periods.watch ? enter(noted, 'Delivered', now) : noted;
}

function processFaults(
  processes: readonly ProcessSeen[] | undefined,
  lasting: Lasting,
  { toBeReady }: { readonly toBeReady: boolean },
): Finding[] {
  const found: Finding[] = [];
  for (const { name, ready, waiting, ended: end } of processes ?? []) {
    if (end) found.push(finding(kinds.processUnhealthy, `${name} ended: ${end}`));
    if (!waiting) lasting.end(`${name} waits`);
    else if (lasting.lasts(`${name} waits`, limits.waiting))
      found.push(finding(kinds.candidateImage, `${name}: ${waiting}`));
    if (ready || !toBeReady) lasting.end(`${name} unready`);
    else if (lasting.lasts(`${name} unready`, limits.unready))
      found.push(finding(kinds.processUnhealthy, `${name} is not ready any more`));
  }
  return found;
}

function writeFaults({ writeProblem }: Observation, lasting: Lasting): Finding[] {
  if (!writeProblem) lasting.end('writes');
  else if (lasting.lasts('writes', limits.writes)) return [finding(kinds.writesRefused, writeProblem)];
  return [];
}

function serviceFaults({ apiProblem, memory, delivering }: Observation, lasting: Lasting): Finding[] {
  const found: Finding[] = [];
  if (!apiProblem) lasting.end('api');
  else if (lasting.lasts('api', limits.api)) found.push(finding(kinds.candidateApi, apiProblem));
  if (memory !== undefined && memory >= limits.memory)
    found.push(finding(kinds.candidateMemory, memoryWords('The controller', memory)));
  if (delivering !== false) lasting.end('lease');
  else if (lasting.lasts('lease', limits.lease))
    found.push(finding(kinds.leaseAbandoned, 'A Lease of those who deliver is not renewed any more'));
  return found;
}

function memoryWords(who: string, share: number): string {
  return `${who} takes ${Math.round(share * 100)} % of the memory that it may take`;
}

function differencesWords(differences: SelfUpdate['differences']): string {
  const [first] = differences;
  const more = differences.length > 1 ? `, and ${differences.length - 1} more` : '';
  return `${first?.application} is ${first?.candidate} for the new version and ${first?.running} for the one before${more}`;
}

function ended(state: SelfUpdate, now: number): SelfUpdate {
  return enter(state, 'Refused', now, [
    finding(kinds.operationEnded, 'The sync was ended before the version was proved'),
  ]);
}

function enter(state: SelfUpdate, phase: Phase, now: number, against: readonly Finding[] = []): SelfUpdate {
  const { report: _report, askedAt: _asked, guardAt, ...rest } = state;
  const guard = guardAt === undefined || phase === 'Guarding' ? {} : { guardAt };
  return { ...guard, ...rest, phase, phaseSince: now, findings: [...state.findings, ...against] };
}

/** What must last to count: when it began is a part of the state. */
class Lasting {
  readonly #since: Map<string, number>;
  readonly #now: number;

  constructor({ since }: SelfUpdate, now: number) {
    this.#since = new Map(Object.entries(since));
    this.#now = now;
  }

  lasts(name: string, milliseconds: number): boolean {
    const began = this.#since.get(name) ?? this.#now;
    this.#since.set(name, began);
    return this.#now - began >= milliseconds;
  }

  end(name: string): void {
    this.#since.delete(name);
  }

  kept(): Record<string, number> {
    return Object.fromEntries(this.#since);
  }
}
