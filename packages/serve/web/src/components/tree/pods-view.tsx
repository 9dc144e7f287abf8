import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Host, TreeNode } from '../../api/model.ts';
import { lookOf } from '../../applications/status.ts';
import { useSearch } from '../../browser/router.ts';
import { groupPods, type PodGroup, type PodGrouping, podGroupings } from '../../graph/pods.ts';
import { t } from '../../i18n/texts.ts';

const titles: Readonly<Record<PodGrouping, string>> = { node: 'By node', owner: 'By owner', state: 'By state' };

const upstreamGroupings: ReadonlyMap<string, PodGrouping> = new Map([
  ['node', 'node'],
  ['topLevelResource', 'owner'],
  ['parentResource', 'owner'],
]);

/** The pods of an application, each a square in the colour of its health. */
export function PodsView({
  nodes,
  hosts,
  usual,
  onOpen,
}: {
  nodes: readonly TreeNode[];
  hosts: readonly Host[];
  /** The grouping that the application asks for, by Argo CD's names. */
  usual: string | undefined;
  onOpen: (node: TreeNode) => void;
}) {
  const [search, changeSearch] = useSearch();
  const grouping =
    podGroupings.find((one) => one === search.get('pods')) ?? upstreamGroupings.get(usual ?? '') ?? 'node';
  const groups = useMemo(() => groupPods(nodes, grouping, hosts), [nodes, grouping, hosts]);
  const count = groups.reduce((sum, { pods }) => sum + pods.length, 0);
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label={t('Grouping of pods')}
          value={grouping}
          onChange={(value) => changeSearch({ pods: value })}
          data={podGroupings.map((value) => ({ value, label: t(titles[value]) }))}
        />
        <Text size="sm" className="soft">
          {count === 1 ? t('1 pod') : t('{count} pods', { count })}
        </Text>
      </Group>
      {count === 0 && <Text className="soft">{t('It has no pods.')}</Text>}
      <div className="pod-groups">
        {groups.map((group) => (
          <PodGroupPanel key={group.name} group={group} onOpen={onOpen} />
        ))}
      </div>
    </Stack>
  );
}

function PodGroupPanel({ group: { name, pods, host }, onOpen }: { group: PodGroup; onOpen: (node: TreeNode) => void }) {
  return (
    <section className="panel pod-group" aria-label={name}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" fw={600} truncate title={name}>
          {host ? name : t(name)}
        </Text>
        <Text size="sm" className="soft">
          {pods.length}
        </Text>
      </Group>
      {host?.resourcesInfo?.map((resource) => (
        <Capacity key={resource.resourceName} {...resource} />
      ))}
      <div className="pods">
        {pods.map((pod) => {
          const look = lookOf(pod.health?.status);
          const reason = pod.info?.find((one) => one.name === 'Status Reason')?.value;
          return (
            <button
              key={pod.uid ?? pod.name}
              type="button"
              className="pod"
              style={{
                ['--accent' as string]: `var(--mantine-color-${look.colour}-light)`,
                ['--letter' as string]: `var(--mantine-color-${look.colour}-light-color)`,
              }}
              aria-label={`${pod.name}: ${[pod.health?.status, reason].filter(Boolean).join(', ')}`}
              title={`${pod.name}: ${[pod.health?.status, reason].filter(Boolean).join(', ')}`}
              onClick={() => onOpen(pod)}
            >
              {look.symbol}
            </button>
          );
        })}
      </div>
    </section>
  );
}

/** What of a node's capacity is asked for: by this application, and by the rest. */
function Capacity({
  resourceName,
  requestedByApp = 0,
  requestedByNeighbors = 0,
  capacity = 0,
}: NonNullable<Host['resourcesInfo']>[number]) {
  const whole = Number(capacity);
  if (whole === 0) return null;
  const own = (100 * Number(requestedByApp)) / whole;
  const others = (100 * Number(requestedByNeighbors)) / whole;
  const words = t('{resource}: {own} % asked for by this application, {others} % by others', {
    resource: resourceName,
    own: Math.round(own),
    others: Math.round(others),
  });
  return (
    <div className="capacity" role="img" aria-label={words} title={words}>
      <span>{resourceName}</span>
      <div>
        <i style={{ width: `${Math.min(100, own)}%`, background: 'var(--mantine-primary-color-filled)' }} />
        <i
          style={{ width: `${Math.min(100 - Math.min(100, own), others)}%`, background: 'var(--mantine-color-gray-5)' }}
        />
      </div>
    </div>
  );
}
