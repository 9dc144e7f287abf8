import { type Diagnosis, formatDiagnosis } from '@tiphys/diagnosis';
import type { Log } from '../ports/log.ts';
import { oddPolicies } from '../rbac/odd-policies.ts';
import type { ControlPlane } from './control-plane.ts';
import { oddSettings } from './odd-settings.ts';
import { unreadSettings } from './unread-settings.ts';

export interface TellSettingsOptions {
  readonly plane: Pick<ControlPlane, 'configMap'>;
  readonly log: Log;
  /** What else cannot be used as it is set. */
  readonly more: () => readonly Diagnosis[];
  /** Writes an Event about a ConfigMap of the control plane. */
  readonly warn: (configMap: string, problem: Diagnosis) => void;
}

/** Tells of settings that have no effect, each once, when it is called first and whenever one is new. */
export function tellSettings({ plane, log, more, warn }: TellSettingsOptions): () => void {
  let told: ReadonlySet<string> = new Set();
  return () => {
    const unread = unreadSettings((name) => plane.configMap(name));
    const odd = [
      ...oddSettings((name) => plane.configMap(name)),
      ...oddPolicies(plane.configMap('argocd-rbac-cm')),
      ...more(),
    ];
    for (const sentence of unread) if (!told.has(sentence)) log('warn', sentence);
    for (const problem of odd) {
      if (told.has(problem.message)) continue;
      log('warn', formatDiagnosis(problem));
      warn((problem.place?.object ?? '').replace('ConfigMap ', ''), problem);
    }
    told = new Set([...unread, ...odd.map(({ message }) => message)]);
  };
}
