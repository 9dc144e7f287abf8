import { stringify } from 'yaml';

/** What the cluster writes by itself: nobody edits it, and it is no part of what is saved. */
const ownFields = ['managedFields', 'resourceVersion', 'creationTimestamp', 'generation', 'uid', 'selfLink'] as const;
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

interface Shown {
  readonly metadata?: object;
}

/** An object as somebody would write it, for an editor: without its status, and what the cluster writes of it. */
export function editableYaml(kind: string, object: Shown): string {
  const { metadata = {}, status: _, ...rest } = object as Shown & { status?: unknown };
  const { annotations, ...others } = metadata as { annotations?: Readonly<Record<string, string>> };
  const kept = Object.entries(others).filter(([name]) => !ownFields.some((own) => own === name));
  const shown = Object.entries(annotations ?? {}).filter(([name]) => name !== lastApplied);
  return stringify(
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind,
      metadata: {
        ...Object.fromEntries(kept),
        ...(shown.length > 0 ? { annotations: Object.fromEntries(shown) } : {}),
      },
      ...rest,
    },
    { lineWidth: 0 },
  );
}

/** What was edited, with the version that it was read at: what others change meanwhile is not lost, but refused as a conflict. */
export function atVersionOf(before: Shown, edited: Record<string, unknown>): Record<string, unknown> {
  const { resourceVersion } = (before.metadata ?? {}) as { resourceVersion?: string };
  return resourceVersion === undefined
    ? edited
    : { ...edited, metadata: { ...(edited.metadata as object), resourceVersion } };
}
