import type { IconName } from '../components/common/icon.tsx';

export interface NavigationItem {
  /** Of the list, below the base address; pages below it belong to it too. */
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  /** The icon that an extension names for its page, in place of ours. */
  readonly extensionIcon?: string;
}

export interface NavigationSection {
  readonly title: string;
  readonly items: readonly NavigationItem[];
}

const everything: readonly NavigationSection[] = [
  {
    title: 'Deliver',
    items: [
      { path: 'applications', title: 'Applications', icon: 'applications' },
      { path: 'applicationsets', title: 'Application sets', icon: 'sets' },
      { path: 'resources', title: 'Resources', icon: 'resources' },
      { path: 'timeline', title: 'Timeline', icon: 'timeline' },
    ],
  },
  {
    title: 'Release',
    items: [{ path: 'rollouts', title: 'Rollouts', icon: 'rollouts' }],
  },
  {
    title: 'Automate',
    items: [
      { path: 'workflows', title: 'Workflows', icon: 'workflows' },
      { path: 'events', title: 'Events', icon: 'events' },
    ],
  },
  {
    title: 'Settings',
    items: [
      { path: 'settings/projects', title: 'Projects', icon: 'projects' },
      { path: 'settings/clusters', title: 'Clusters', icon: 'clusters' },
      { path: 'upgrade', title: 'Upgrade of Kubernetes', icon: 'upgrade' },
      { path: 'settings/repos', title: 'Repositories', icon: 'repositories' },
      { path: 'settings/notifications', title: 'Notifications', icon: 'notifications' },
      { path: 'settings/accounts', title: 'Accounts', icon: 'accounts' },
      { path: 'settings/certs', title: 'Certificates', icon: 'certificates' },
      { path: 'settings/gpgkeys', title: 'GnuPG keys', icon: 'keys' },
      { path: 'settings/plugins', title: 'Plugins', icon: 'settings' },
      { path: 'settings/appearance', title: 'You and this page', icon: 'appearance' },
    ],
  },
];

/** The one page that the server offers, as `rollouts`; undefined where it offers all. */
const only = globalThis.document?.documentElement.dataset.only;

/** The one navigation: sidebar, command palette and titles of the browser's tabs are made of it. */
export const navigation: readonly NavigationSection[] = only
  ? everything.flatMap(({ title, items }) => {
      const offered = items.filter(({ path }) => path === only);
      return offered.length > 0 ? [{ title, items: offered }] : [];
    })
  : everything;

/** Where the way in leads. */
export const home = only ?? 'applications';

/** The item that a path belongs to. */
export function itemOf(path: string, sections = navigation): NavigationItem | undefined {
  const plain = path.replace(/^\/+/, '') || home;
  return sections
    .flatMap(({ items }) => items)
    .find((item) => plain === item.path || plain.startsWith(`${item.path}/`));
}
