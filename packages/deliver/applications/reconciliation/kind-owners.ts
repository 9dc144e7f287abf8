import type { Application } from '@tiphys/api';
import type { SyncFinding } from '@tiphys/engine';
import { applicationKey } from '../spec/application-key.ts';
import type { ApplicationMemory } from './application-memory.ts';

/** An application whose manifests hold the definition of a kind, and how far it is. */
export interface KindOwner {
  readonly application: string;
  readonly state: string;
}

/** The application of the fleet that ships the definition of a kind, as far as this process has rendered it. */
export function kindOwner(
  { group, kind }: { readonly group: string; readonly kind: string },
  applications: Iterable<Application>,
  memoryOf: (key: string) => Pick<ApplicationMemory, 'rendered'>,
): KindOwner | undefined {
  for (const application of applications) {
    const key = applicationKey(application);
    const ships = memoryOf(key).rendered?.objects.some(({ object }) => {
      const spec = object['spec'] as { group?: string; names?: { kind?: string } } | undefined;
      return object.kind === 'CustomResourceDefinition' && spec?.group === group && spec.names?.kind === kind;
    });
    if (!ships) continue;
    const { sync, health } = application.status ?? {};
    return { application: key, state: `${sync?.status ?? 'Unknown'}, ${health?.status ?? 'Unknown'}` };
  }
  return undefined;
}

/** A finding about a kind that is not served, with the application that brings it. */
export function withKindOwner(
  finding: SyncFinding,
  ownerOf: (kind: { group: string; kind: string }) => KindOwner | undefined,
): SyncFinding {
  if (finding.code !== 'SyncKindMissing') return finding;
  const [, group, kind] = /^(?:([^/ ]+)\/)?(\S+) /.exec(finding.place?.object ?? '') ?? [];
  const owner = kind ? ownerOf({ group: group ?? '', kind }) : undefined;
  if (!owner) return finding;
  const name = owner.application.slice(owner.application.indexOf('/') + 1);
  return {
    ...finding,
    evidence: [
      ...finding.evidence,
      { name: 'application that ships its definition', value: `${owner.application} (${owner.state})` },
    ],
    remedies: [
      {
        text: `Sync the application ${name} first: it ships the definition; this sync then goes on by itself`,
        paste: `argocd app sync ${owner.application}`,
      },
      ...finding.remedies,
    ],
  };
}
