import { goDuration } from '@tiphys/go';

/** Seconds of a Go duration such as `1h30m`, with blanks around it; undefined if the text is none. */
export function durationSeconds(text: string | undefined): number | undefined {
  const milliseconds = goDuration(text?.trim() ?? '');
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}
