import { Menu } from '@mantine/core';
import { createContext, type ReactNode, useContext, useState } from 'react';
import type { TreeNode } from '../../api/model.ts';
import { t } from '../../i18n/texts.ts';
import { Icon } from '../common/icon.tsx';
import { PageLink } from '../common/page-link.tsx';

/** Something that can be done with one object. */
export interface NodeAct {
  readonly label: string;
  readonly run: () => void;
}

/** What a graph has for its boxes; those without have no menus. */
export interface BoxSurroundings {
  /** The items of the menu of an object. */
  readonly items: (node: TreeNode) => ReactNode;
  /** The page that an object has here, below the base address. */
  readonly page?: (node: TreeNode) => string | undefined;
}

export const BoxContext = createContext<BoxSurroundings | undefined>(undefined);

/** The menu of one object in a graph. Its items are made when somebody opens it: there may be thousands. */
export function NodeMenu({ node }: { node: TreeNode }) {
  const surroundings = useContext(BoxContext);
  const [opened, setOpened] = useState(false);
  if (!surroundings) return null;
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
      <Menu.Dropdown className="long-menu">{surroundings.items(node)}</Menu.Dropdown>
    </Menu>
  );
}

export function ActItems({ acts }: { acts: readonly NodeAct[] }) {
  return acts.map(({ label, run }) => (
    <Menu.Item key={label} onClick={run}>
      {label}
    </Menu.Item>
  ));
}

export function CopyNameItem({ name }: { name: string }) {
  return <Menu.Item onClick={() => void navigator.clipboard?.writeText(name)}>{t('Copy the name')}</Menu.Item>;
}

/** Leads from the box of an object to the page that it has here; nothing for most. */
export function NodePageLink({ node }: { node: TreeNode }) {
  const page = useContext(BoxContext)?.page?.(node);
  if (!page) return null;
  const words = t('Go to the page of {name}', { name: `${node.kind} ${node.name}` });
  return (
    <PageLink to={page} className="node-menu node-page" aria-label={words} title={words}>
      <Icon name="open" size={14} />
    </PageLink>
  );
}
