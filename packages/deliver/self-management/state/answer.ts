import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { isConflict } from '@tiphys/kubernetes';
import type { SelfUpdate } from './state.ts';
import type { StateStore } from './state-store.ts';

const nothingToAnswer = defineDiagnosis(
  'SelfNothingToAnswer',
  'No new version of Tiphys waits for an answer, or is watched',
);

/** Others write too: how often it is tried anew. */
const attempts = 10;

/**
 * What a person says to a delivery of Tiphys: `accept` that the new version judges applications in another way, or `take-back` while
 * it is watched. Returns the state then; throws where there is nothing to answer.
 */
export async function answerDelivery(store: StateStore, answer: 'accept' | 'take-back'): Promise<SelfUpdate> {
  for (let attempt = 1; ; attempt++) {
    const state = await store.read();
    const wanted = answer === 'accept' ? 'AwaitingConfirmation' : 'Watching';
    if (!state || state.phase !== wanted)
      throw failure(nothingToAnswer, {
        message:
          answer === 'accept'
            ? 'No new version of Tiphys waits for a person to accept what it judges in another way'
            : 'No new version of Tiphys is being watched',
        evidence: { phase: state?.phase },
        remedies: [{ text: 'See where it stands', paste: 'tiphys self status' }],
      });
    const next: SelfUpdate = answer === 'accept' ? { ...state, confirmed: true } : { ...state, takeBack: true };
    try {
      await store.write(next);
      return next;
    } catch (error) {
      if (!isConflict(error) || attempt === attempts) throw error;
    }
  }
}
