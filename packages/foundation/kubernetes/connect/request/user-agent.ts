import manifest from '../../package.json' with { type: 'json' };
import type { Caller } from '../client.ts';

/** `tiphys/<version> (<component>; <application or ->; <purpose>)`, in printable ASCII. */
export function userAgent(caller: Caller): string {
  const text = `tiphys/${manifest.version} (${caller.component}; ${caller.application ?? '-'}; ${caller.purpose})`;
  return text.replace(/[^\x20-\x7e]/g, '?');
}
