import { Text } from '@mantine/core';
import { useMemo } from 'react';
import type { TreeNode } from '../../api/model.ts';
import { readLink } from '../../browser/safe-link.ts';
import { buildNetwork, outsidePrefix } from '../../graph/network.ts';
import { t } from '../../i18n/texts.ts';
import { GraphCanvas } from '../graph/graph-canvas.tsx';
import { boxSize, ObjectBox } from './object-box.tsx';

/** The way of requests to the pods of an application. */
export function NetworkView({
  nodes,
  statusOf,
  onOpen,
  selected,
}: {
  nodes: readonly TreeNode[];
  statusOf: (node: TreeNode) => string | undefined;
  onOpen: (node: TreeNode) => void;
  selected: string | undefined;
}) {
  const network = useMemo(() => buildNetwork(nodes), [nodes]);
  if (network.boxes.length === 0)
    return <Text className="soft">{t('Nothing of it takes requests: it has no Service, Ingress or route.')}</Text>;
  return (
    <GraphCanvas
      label={t('The way of requests to the pods')}
      drawing={network}
      size={boxSize}
      layout="right"
      selected={selected}
      draw={(id) => {
        const node = network.nodes.get(id);
        if (node) return <ObjectBox node={node} status={statusOf(node)} open={onOpen} />;
        const { title, url: address } = readLink(id.slice(outsidePrefix.length));
        return (
          <div className="tree-node outside">
            <div className="kind">{t('Outside')}</div>
            {/^https?:\/\//.test(address) ? (
              <a className="name quiet-link" href={address} target="_blank" rel="noreferrer noopener" title={address}>
                {title}
              </a>
            ) : (
              <div className="name" title={address}>
                {address}
              </div>
            )}
          </div>
        );
      }}
    />
  );
}
