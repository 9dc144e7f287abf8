import type { Client } from '@tiphys/kubernetes';
import type { ApiUse } from '../find/finding.ts';
import { type Release, verdictOfRecorded } from '../knowledge/api-life.ts';
import { toldLife } from './audit-events.ts';

const line = /^apiserver_requested_deprecated_apis\{([^}]{0,2000})\} 1$/;

/**
 * What the API server itself counts as asked for since its start: it knows what, not who. Nothing where the identity may not read
 * its metrics.
 */
export async function requestedDeprecated(client: Client, target: Release, signal?: AbortSignal): Promise<ApiUse[]> {
  const answer = await client.request('GET', '/metrics', signal ? { signal } : {});
  return deprecatedInMetrics(await answer.text(), target);
}

export function deprecatedInMetrics(text: string, target: Release): ApiUse[] {
  return text.split('\n').flatMap((each): ApiUse[] => {
    const labels = line.exec(each)?.[1];
    if (labels === undefined) return [];
    const pairs = new Map(
      [...labels.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
    );
    const label = (name: string) => pairs.get(name) ?? '';
    const life = toldLife(
      { group: label('group'), version: label('version'), resource: label('resource') },
      { removed: label('removed_release') },
    );
    const verdict = label('resource') ? verdictOfRecorded(life, target) : undefined;
    return verdict
      ? [
          {
            origin: 'call',
            api: verdict.life,
            state: verdict.state,
            object: 'apiserver_requested_deprecated_apis',
          },
        ]
      : [];
  });
}
