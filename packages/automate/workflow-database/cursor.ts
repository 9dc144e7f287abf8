import { defineDiagnosis, failure } from '@tiphys/diagnosis';

const continueInvalid = defineDiagnosis(
  'ArchiveContinueInvalid',
  'The place to go on from in a list is none that was given out',
);

/** Where a list of archived workflows goes on: how many came before, and the last of them where that is known. */
export interface Cursor {
  readonly offset: number;
  /** Its columns `startedat` and `uid`. */
  readonly after?: { readonly startedAt: string; readonly uid: string };
}

/** From here on lists go on by the last row that was seen: to skip that many rows takes longer than to find it. */
const far = 1_000;

/** Upstream gives out the number of workflows before; beyond the first thousand the last one's place stands behind it. */
export function cursorText({ offset, after }: Required<Cursor>): string {
  return offset < far ? String(offset) : `${offset}~${after.startedAt}~${after.uid}`;
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
