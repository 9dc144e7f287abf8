import manifest from '../package.json' with { type: 'json' };
import type { Asker } from './client.ts';

/** `tiphys/<version> (<component>; <application or ->; <purpose>)`, in printable ASCII. */
export function userAgent(asker: Asker): string {
  const text = `tiphys/${manifest.version} (${asker.component}; ${asker.application ?? '-'}; ${asker.purpose})`;
  return text.replace(/[^\x20-\x7e]/g, '?');
}
