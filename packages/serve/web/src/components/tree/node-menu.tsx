import { Menu } from '@mantine/core';
import { createContext, useContext, useState } from 'react';
import type { TreeNode } from '../../api/model.ts';
import { t } from '../../i18n/texts.ts';
import { Icon } from '../common/icon.tsx';

/** One line of a menu. */
export interface NodeAct {
  label: string;
  run: () => void;
}

/** What the menu of a node offers; without it there are no menus. */
export const NodeActsContext = createContext<((node: TreeNode) => readonly NodeAct[]) | undefined>(undefined);

/** The menu of one object in a graph. Its items are made when somebody opens it: there may be thousands. */
export function NodeMenu({ node }: { node: TreeNode }) {
  const actsOf = useContext(NodeActsContext);
  const [opened, setOpened] = useState(false);
  if (!actsOf) return null;
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
  return (
    <Menu opened onChange={setOpened} position="bottom-end" withinPortal>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        {actsOf(node).map(({ label, run }) => (
          <Menu.Item key={label} onClick={run}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void navigator.clipboard?.writeText(node.name)}>{t('Copy the name')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
