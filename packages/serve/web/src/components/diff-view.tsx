import { unifiedMergeView } from '@codemirror/merge';
import { EditorView } from '@codemirror/view';
import { Group, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type ApplicationRef, api } from '../api/client.ts';
import { differingResources } from '../differences.ts';
import { readOnlyYaml } from './editor.ts';
import { Failure } from './failure.tsx';

/** For each object that differs: what is live, and what a sync would make of it. */
export function DiffView({ reference }: { reference: ApplicationRef }) {
  const managed = useQuery({
    queryKey: ['application', reference.namespace, reference.name, 'managed'],
    queryFn: () => api.managed(reference),
  });
  if (managed.error) return <Failure error={managed.error} retry={() => void managed.refetch()} />;
  const differing = differingResources(managed.data ?? []);
  if (differing.length === 0)
    return <Text className="soft">{managed.isLoading ? 'Loading …' : 'Live and desired state are the same.'}</Text>;
  return (
    <Stack>
      {differing.map(({ title, change, live, desired }) => (
        <div key={title} className="panel" style={{ overflow: 'hidden' }}>
          <Group justify="space-between" px="md" py="xs" style={{ borderBottom: '1px solid var(--line)' }}>
            <Text fw={600} size="sm">
              {title}
            </Text>
            <Text size="xs" className="soft">
              {change}
            </Text>
          </Group>
          <Unified live={live} desired={desired} />
        </div>
      ))}
    </Stack>
  );
}

function Unified({ live, desired }: { live: string; desired: string }) {
  const host = useRef<HTMLDivElement>(null);
  const dark = useComputedColorScheme('light') === 'dark';
  useEffect(() => {
    if (!host.current) return undefined;
    const view = new EditorView({
      doc: desired,
      parent: host.current,
      extensions: [
        ...readOnlyYaml(dark),
        unifiedMergeView({ original: live, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
      ],
    });
    return () => view.destroy();
  }, [live, desired, dark]);
  return <div ref={host} />;
}
