import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import type { Application, TreeNode } from '../../api/model.ts';
import { navigate } from '../../browser/router.ts';
import { t } from '../../i18n/texts.ts';
import { linksOf, ownPage } from '../../objects/object-pages.ts';
import { hasLogs } from '../../objects/objects.ts';
import { CopyNameItem } from './node-menu.tsx';

/** What is done with the objects of an application. */
export interface ObjectActs {
  /** Opens the drawer, at a tab, or with an action or its deletion asked for. */
  open: (node: TreeNode, at?: { tab?: string; act?: string; remove?: true }) => void;
  /** Undefined for what the application does not manage itself. */
  sync: (node: TreeNode) => (() => void) | undefined;
}

interface ObjectMenuItemsProps {
  node: TreeNode;
  application: Application;
  acts: ObjectActs;
  status: string | undefined;
}

/** All that can be done with an object from the graph. */
export function ObjectMenuItems({ node, application, acts, status }: ObjectMenuItemsProps) {
  const reference = application.metadata;
  const missing = node.uid === undefined;
  const settings = useQuery({ queryKey: ['settings'], queryFn: api.settings, staleTime: 60_000 });
  const actions = useQuery({
    queryKey: ['actions', reference.namespace, reference.name, node.uid],
    queryFn: () => api.actions(reference, node),
    enabled: !missing,
    retry: false,
  });
  const page = ownPage(application, node);
  const sync = acts.sync(node);
  const tabs = [
    ...(sync && status === 'OutOfSync' ? [['diff', 'Diff']] : []),
    ...(hasLogs(node) && !missing ? [['logs', 'Logs']] : []),
    ...(missing ? [] : [['events', 'Events']]),
    ...(node.kind === 'Pod' && !node.group && settings.data?.execEnabled ? [['terminal', 'Terminal']] : []),
  ] as [tab: string, title: string][];
  return (
    <>
      <Menu.Item onClick={() => acts.open(node)}>{t('Open')}</Menu.Item>
      {page && <Menu.Item onClick={() => navigate(`/${page}`)}>{t('Go to its page')}</Menu.Item>}
      {tabs.map(([tab, title]) => (
        <Menu.Item key={tab} onClick={() => acts.open(node, { tab })}>
          {t(title)}
        </Menu.Item>
      ))}
      {sync && <Menu.Item onClick={sync}>{t('Sync this alone')}</Menu.Item>}
      {linksOf(node).map(({ title, url }) => (
        <Menu.Item key={title + url} component="a" href={url} target="_blank" rel="noreferrer noopener">
          {title} ↗
        </Menu.Item>
      ))}
      <Menu.Divider />
      {actions.isLoading && !missing && <Menu.Label>{t('Loading …')}</Menu.Label>}
      {actions.data?.map(({ name, displayName, disabled, params }) => (
        <Menu.Item key={name} disabled={disabled ?? false} onClick={() => acts.open(node, { act: name })}>
          {displayName || name}
          {params?.length ? ' …' : ''}
        </Menu.Item>
      ))}
      <CopyNameItem name={node.name} />
      {!missing && (
        <Menu.Item color="red" onClick={() => acts.open(node, { remove: true })}>
          {t('Delete …')}
        </Menu.Item>
      )}
    </>
  );
}
