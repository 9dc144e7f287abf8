import { type Application, names, type Operation } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { parseDuration } from '../settings/duration.ts';
import type { RecordedHead } from '../sources/recorded-manifests.ts';

const healthGateInvalid = defineDiagnosis(
  'HealthGateInvalid',
  'The annotation that gates a delivery by health is no time that can be waited for',
);
const healthGateClosed = defineDiagnosis(
  'HealthGateClosed',
  'An automated sync did not bring a healthy application in time, and nothing good is recorded that could be restored',
);
const revisionRestored = defineDiagnosis(
  'RevisionRestored',
  'A revision did not become healthy in time, and the last good one runs in its place',
);
const restorationFailed = defineDiagnosis('RestorationFailed', 'The last good revision could not be restored');

/** Shorter waits would judge what has not begun, longer ones nothing, in milliseconds. */
const shortest = 1_000;
const longest = 24 * 3_600_000;

/** How long after its beginning an automated sync may take to bring health, in milliseconds; undefined if nothing is asked for. */
export function healthGateOf({ metadata }: Pick<Application, 'metadata'>): number | { invalid: Diagnosis } | undefined {
  const text = metadata.annotations?.[names.annotations.healthGate];
  if (text === undefined || text === '') return undefined;
  const time = text.length > 100 ? undefined : parseDuration(text);
  if (time !== undefined && time >= shortest && time <= longest) return time;
  return {
    invalid: diagnose(healthGateInvalid, {
      message: `The annotation ${names.annotations.healthGate} must be a time from 1s to 24h, so nothing is gated`,
      place: { field: `metadata.annotations['${names.annotations.healthGate}']` },
      evidence: { found: text.slice(0, 100) },
      remedies: [{ text: 'Give a time', paste: `${names.annotations.healthGate}: 5m` }],
    }),
  };
}

/** Digest of the recorded manifests that an operation restores; undefined for any other operation, and for one that somebody asked for. */
export function restoredRender({ info, initiatedBy }: Operation): string | undefined {
  if (!initiatedBy?.automated || initiatedBy.username) return undefined;
  return info?.find(({ name }) => name === names.infos.recordedManifests)?.value;
}

/** What ill health a delivery has come to, for people. */
export interface Shortfall {
  readonly revisions: readonly string[];
  /** What was seen: the health, or why the sync failed. */
  readonly seen: string;
  readonly startedAt: string;
  /** The time that it had, in milliseconds. */
  readonly gate: number;
}

export function shortfallSentence({ seen, gate }: Shortfall): string {
  return `it was not healthy ${Math.round(gate / 1000)} s after its sync began: ${seen}`;
}

/** Nothing that could be restored is recorded: the delivery stays as it is. */
export function gateClosed(shortfall: Shortfall): Diagnosis {
  return diagnose(healthGateClosed, {
    message: `Revision ${shortfall.revisions.join(', ')} stays although ${shortfallSentence(shortfall)}. No other revision of this application was healthy since its delivery is gated`,
    evidence: { 'sync began': shortfall.startedAt },
    remedies: [
      'Commit a correction',
      'The first revision that is synced and healthy is recorded, and restored from then on',
    ],
  });
}

/** For as long as a restored revision runs. */
export function restored(head: RecordedHead, { bad, reason }: { bad: readonly string[]; reason: string }): Diagnosis {
  return diagnose(revisionRestored, {
    message: `Revision ${head.revisions.join(', ')} runs, from the manifests recorded at ${head.at}, in place of ${bad.join(', ')}: ${reason}`,
    evidence: { 'taken back': bad.join(', '), 'recorded at': head.at },
    remedies: ['Commit a correction: a newer revision is delivered at once'],
  });
}

/** The restoration has ended and has not brought what was good before. */
export function notRestored(head: RecordedHead, why: string): Diagnosis {
  return diagnose(restorationFailed, {
    message: `Revision ${head.revisions.join(', ')}, which was good at ${head.at}, could not be restored: ${why}`,
    remedies: ['Mend what the message says, and sync a revision by hand', 'Or commit a correction'],
  });
}
