import { defineDiagnosis, failure } from '@tiphys/diagnosis';

const syncWaveDelayInvalid = defineDiagnosis('SyncWaveDelayInvalid', 'ARGOCD_SYNC_WAVE_DELAY is no number of seconds');

/** ARGOCD_SYNC_WAVE_DELAY in milliseconds; undefined if it is not set. */
export function syncWaveDelayOf({ ARGOCD_SYNC_WAVE_DELAY: text }: NodeJS.ProcessEnv): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1_000;
  throw failure(syncWaveDelayInvalid, {
    message: `ARGOCD_SYNC_WAVE_DELAY is "${text}", wanted a number of seconds`,
    place: { field: 'ARGOCD_SYNC_WAVE_DELAY' },
    remedies: ['Correct it, or leave it out for 2 seconds'],
  });
}
