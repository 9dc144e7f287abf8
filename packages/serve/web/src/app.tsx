import { Center, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { api } from './api/client.ts';
import { useRoute } from './browser/router.ts';
import { Loading } from './components/common/loading.tsx';
import { Shell } from './components/shell/shell.tsx';
import { ApplicationsPage } from './pages/applications-page.tsx';

// each page but the first is loaded when somebody goes there
const loadApplicationPage = () =>
  import('./pages/application-page.tsx').then(({ ApplicationPage: page }) => ({ default: page }));
const ApplicationPage = lazy(loadApplicationPage);
const ApplicationSetPage = lazy(() =>
  import('./pages/applicationset-page.tsx').then(({ ApplicationSetPage: page }) => ({ default: page })),
);
const ApplicationSetsPage = lazy(() =>
  import('./pages/applicationsets-page.tsx').then(({ ApplicationSetsPage: page }) => ({ default: page })),
);
const ClustersPage = lazy(() =>
  import('./pages/clusters-page.tsx').then(({ ClustersPage: page }) => ({ default: page })),
);
const DiagnosesPage = lazy(() =>
  import('./pages/diagnoses-page.tsx').then(({ DiagnosesPage: page }) => ({ default: page })),
);
const EventsPage = lazy(() => import('./pages/events-page.tsx').then(({ EventsPage: page }) => ({ default: page })));
const AccountsPage = lazy(() =>
  import('./pages/settings/accounts-page.tsx').then(({ AccountsPage: page }) => ({ default: page })),
);
const ApiPage = lazy(() => import('./pages/settings/api-page.tsx').then(({ ApiPage: page }) => ({ default: page })));
const CertificatesPage = lazy(() =>
  import('./pages/settings/certificates-page.tsx').then(({ CertificatesPage: page }) => ({ default: page })),
);
const GpgPage = lazy(() => import('./pages/settings/gpg-page.tsx').then(({ GpgPage: page }) => ({ default: page })));
const PluginsPage = lazy(() =>
  import('./pages/settings/plugins-page.tsx').then(({ PluginsPage: page }) => ({ default: page })),
);
const ProjectPage = lazy(() =>
  import('./pages/settings/project-page.tsx').then(({ ProjectPage: page }) => ({ default: page })),
);
const UserPage = lazy(() => import('./pages/settings/user-page.tsx').then(({ UserPage: page }) => ({ default: page })));
const LoginPage = lazy(() => import('./pages/login-page.tsx').then(({ LoginPage: page }) => ({ default: page })));
const NotificationsPage = lazy(() =>
  import('./pages/notifications-page.tsx').then(({ NotificationsPage: page }) => ({ default: page })),
);
const ProjectsPage = lazy(() =>
  import('./pages/projects-page.tsx').then(({ ProjectsPage: page }) => ({ default: page })),
);
const RepositoriesPage = lazy(() =>
  import('./pages/repositories-page.tsx').then(({ RepositoriesPage: page }) => ({ default: page })),
);
const ResourcesPage = lazy(() =>
  import('./pages/resources-page.tsx').then(({ ResourcesPage: page }) => ({ default: page })),
);
const RolloutPage = lazy(() => import('./pages/rollout-page.tsx').then(({ RolloutPage: page }) => ({ default: page })));
const RolloutsPage = lazy(() =>
  import('./pages/rollouts-page.tsx').then(({ RolloutsPage: page }) => ({ default: page })),
);
const TimelinePage = lazy(() =>
  import('./pages/timeline-page.tsx').then(({ TimelinePage: page }) => ({ default: page })),
);
const UpgradePage = lazy(() => import('./pages/upgrade-page.tsx').then(({ UpgradePage: page }) => ({ default: page })));
const GalleryPage = lazy(() => import('./pages/gallery-page.tsx').then(({ GalleryPage: page }) => ({ default: page })));
const ExtensionPage = lazy(() =>
  import('./pages/extension-page.tsx').then(({ ExtensionPage: page }) => ({ default: page })),
);
const WorkflowPage = lazy(() =>
  import('./pages/workflow-page.tsx').then(({ WorkflowPage: page }) => ({ default: page })),
);
const WorkflowsPage = lazy(() =>
  import('./pages/workflows-page.tsx').then(({ WorkflowsPage: page }) => ({ default: page })),
);

export function App() {
  const route = useRoute();
  const user = useQuery({ queryKey: ['user'], queryFn: api.user, staleTime: 60_000 });
  const loggedIn = user.data?.loggedIn === true;
  const stranger = useQuery({
    queryKey: ['strangers'],
    queryFn: api.letsStrangersIn,
    enabled: user.data !== undefined && !loggedIn && route.page !== 'login',
    staleTime: 60_000,
    retry: false,
  });
  if (user.isLoading || stranger.isLoading) {
    return (
      <Center h="100vh">
        <Loader />
      </Center>
    );
  }
  if (route.page === 'login' || !(loggedIn || stranger.data))
    return (
      <Suspense fallback={null}>
        <LoginPage />
      </Suspense>
    );
  return (
    <Shell username={loggedIn ? (user.data?.username ?? '') : undefined} local={user.data?.iss === 'argocd'}>
      <Suspense fallback={<Loading height={240} />}>
        {route.page === 'applications' && <ApplicationsPage loadNext={loadApplicationPage} />}
        {route.page === 'application' && (
          <ApplicationPage
            key={`${route.namespace}/${route.name}`}
            namespace={route.namespace}
            name={route.name}
            tab={route.tab}
          />
        )}
        {route.page === 'applicationsets' && <ApplicationSetsPage />}
        {route.page === 'applicationset' && (
          <ApplicationSetPage
            key={`${route.namespace}/${route.name}`}
            reference={{ namespace: route.namespace, name: route.name }}
            tab={route.tab}
          />
        )}
        {route.page === 'resources' && <ResourcesPage />}
        {route.page === 'rollouts' && <RolloutsPage />}
        {route.page === 'rollout' && (
          <RolloutPage
            key={`${route.namespace}/${route.name}`}
            reference={{ namespace: route.namespace, name: route.name }}
          />
        )}
        {route.page === 'events' && <EventsPage />}
        {route.page === 'workflows' && <WorkflowsPage />}
        {route.page === 'workflow' && (
          <WorkflowPage
            key={`${route.namespace}/${route.name}`}
            reference={{ namespace: route.namespace, name: route.name }}
          />
        )}
        {route.page === 'repositories' && <RepositoriesPage />}
        {route.page === 'notifications' && <NotificationsPage />}
        {route.page === 'clusters' && <ClustersPage />}
        {route.page === 'projects' && <ProjectsPage />}
        {route.page === 'project' && <ProjectPage key={route.name} name={route.name} />}
        {route.page === 'accounts' && <AccountsPage />}
        {route.page === 'certificates' && <CertificatesPage />}
        {route.page === 'gpg' && <GpgPage />}
        {route.page === 'plugins' && <PluginsPage />}
        {route.page === 'api' && <ApiPage />}
        {route.page === 'timeline' && <TimelinePage />}
        {route.page === 'upgrade' && <UpgradePage />}
        {route.page === 'diagnoses' && <DiagnosesPage code={route.code} />}
        {route.page === 'gallery' && <GalleryPage />}
        {route.page === 'user' && <UserPage />}
        {route.page === 'unknown' && <ExtensionPage path={route.path} />}
      </Suspense>
    </Shell>
  );
}
