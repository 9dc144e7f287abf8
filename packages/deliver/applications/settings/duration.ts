import { goDurationOrSeconds } from '@tiphys/go';

/**
 * Milliseconds of a Go duration (`1m30s`, `250ms`, `-1h`) or of a bare number of seconds, as the peers' settings allow, with blanks
 * around it. Undefined if the text is neither.
 */
export function parseDuration(text: string): number | undefined {
  return goDurationOrSeconds(text.trim());
}
