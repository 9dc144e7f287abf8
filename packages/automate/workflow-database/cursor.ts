import { defineDiagnosis, failure } from '@tiphys/diagnosis';

const continueInvalid = defineDiagnosis(
  'ArchiveContinueInvalid',
  'The place to go on from in a list is none that was given out',
);

/** Where a workflow stands in the list: its columns `startedat` and `uid`. */
export interface Place {
  readonly startedAt: string;
  readonly uid: string;
}

/** Where a list of archived workflows goes on: how many came before, and the last of those that were looked at where that is known. */
export interface Cursor {
  readonly offset: number;
  readonly after?: Place;
}

/** From here on lists go on by the last row that was seen: to skip that many rows takes longer than to find it. */
export const far = 1_000;

/** Upstream gives out the number of workflows before; where that does not do, a place stands behind it. */
export function cursorText({ offset, after }: Cursor): string {
  return after ? `${offset}~${after.startedAt}~${after.uid}` : String(offset);
}

/** The place that a text of `cursorText` names. Throws a diagnosis. */
export function cursorOf(text: string | undefined): Cursor {
  const [offset = '', startedAt, uid] = (text || '0').split('~');
  const isPlace = /^[\d :.-]{10,32}$/.test(startedAt ?? '') && /^[\w.-]{1,128}$/.test(uid ?? '');
  if (!/^\d{1,12}$/.test(offset) || (startedAt !== undefined && !isPlace))
    throw failure(continueInvalid, {
      message: /^-\d+$/.test(offset) ? 'listOptions.continue must >= 0' : 'listOptions.continue must be int',
      place: { field: 'listOptions.continue' },
      remedies: ['Give metadata.continue of the page before, or nothing'],
    });
  return { offset: Number(offset), ...(startedAt && uid ? { after: { startedAt, uid } } : {}) };
}
