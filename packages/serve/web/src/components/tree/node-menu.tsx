import { Menu } from '@mantine/core';
import { createContext, useContext, useState } from 'react';
import type { TreeNode } from '../../api/model.ts';
import { t } from '../../i18n/texts.ts';
import { hasLogs } from '../../objects/objects.ts';
import { Icon } from '../common/icon.tsx';

/** What the menu of a node does. */
export interface NodeActs {
  open: (node: TreeNode, tab?: string) => void;
  /** Undefined for what the application does not manage itself. */
  sync: (node: TreeNode) => (() => void) | undefined;
}

export const NodeActsContext = createContext<NodeActs | undefined>(undefined);

/** The menu of one object in a graph. Its items are made when somebody opens it: there may be thousands. */
export function NodeMenu({ node }: { node: TreeNode }) {
  const acts = useContext(NodeActsContext);
  const [opened, setOpened] = useState(false);
  if (!acts) return null;
  const target = (
    <button
      type="button"
      className="node-menu"
      aria-label={t('Menu of {name}', { name: `${node.kind} ${node.name}` })}
      aria-haspopup="menu"
      onClick={() => setOpened(true)}
    >
      <Icon name="more" size={14} />
    </button>
  );
  if (!opened) return target;
  const sync = acts.sync(node);
  return (
    <Menu opened onChange={setOpened} position="bottom-end" withinPortal>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => acts.open(node)}>{t('Open')}</Menu.Item>
        {hasLogs(node) && <Menu.Item onClick={() => acts.open(node, 'logs')}>{t('Logs')}</Menu.Item>}
        <Menu.Item onClick={() => acts.open(node, 'events')}>{t('Events')}</Menu.Item>
        {sync && <Menu.Item onClick={sync}>{t('Sync this alone')}</Menu.Item>}
        <Menu.Divider />
        <Menu.Item onClick={() => void navigator.clipboard?.writeText(node.name)}>{t('Copy the name')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
