import { Anchor, Table, Text } from '@mantine/core';
import type { TreeNode } from '../../api/model.ts';
import { t } from '../../i18n/texts.ts';
import { labelsOf, objectKey } from '../../objects/objects.ts';
import { KindName } from '../common/kind-icon.tsx';
import { StatusBadge } from '../common/status-badge.tsx';
import { VirtualTable } from '../common/virtual-table.tsx';

/** The objects in a table. */
export function ListView({
  nodes,
  statusOf,
  onOpen,
}: {
  nodes: readonly TreeNode[];
  statusOf: (node: TreeNode) => string | undefined;
  onOpen: (node: TreeNode) => void;
}) {
  return (
    <VirtualTable
      label={t('Objects')}
      heads={['Name', 'Kind', 'Namespace', 'Sync', 'Health', 'Reason']}
      items={nodes}
      row={(node) => (
        <Table.Tr key={objectKey(node)} onClick={() => onOpen(node)} style={{ cursor: 'pointer' }}>
          <Table.Td miw={180}>
            <Anchor component="button" size="sm" c="inherit" fw={600} ta="left" style={{ overflowWrap: 'anywhere' }}>
              {node.name}
            </Anchor>
            {labelsOf(node).length > 0 && (
              <Text size="xs" className="soft">
                {labelsOf(node).join(' · ')}
              </Text>
            )}
          </Table.Td>
          <Table.Td data-label={t('Kind')}>
            <KindName group={node.group} kind={node.kind} />
          </Table.Td>
          <Table.Td data-label={t('Namespace')} className="soft">
            {node.namespace}
          </Table.Td>
          <Table.Td data-label={t('Sync')}>
            {statusOf(node) && <StatusBadge status={statusOf(node)} size="sm" />}
          </Table.Td>
          <Table.Td data-label={t('Health')}>
            {node.health?.status && <StatusBadge status={node.health.status} size="sm" />}
          </Table.Td>
          <Table.Td data-label={t('Reason')} className="soft">
            {node.health?.message}
          </Table.Td>
        </Table.Tr>
      )}
    />
  );
}
