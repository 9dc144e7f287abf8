import { Center, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from './api/client.ts';
import { Shell } from './components/shell.tsx';
import { ApplicationPage } from './pages/application-page.tsx';
import { ApplicationsPage } from './pages/applications-page.tsx';
import { ApplicationSetPage } from './pages/applicationset-page.tsx';
import { ApplicationSetsPage } from './pages/applicationsets-page.tsx';
import { ClustersPage } from './pages/clusters-page.tsx';
import { LoginPage } from './pages/login-page.tsx';
import { NotificationsPage } from './pages/notifications-page.tsx';
import { ProjectsPage } from './pages/projects-page.tsx';
import { RepositoriesPage } from './pages/repositories-page.tsx';
import { RolloutPage } from './pages/rollout-page.tsx';
import { RolloutsPage } from './pages/rollouts-page.tsx';
import { UnknownPage } from './pages/unknown-page.tsx';
import { WorkflowPage } from './pages/workflow-page.tsx';
import { WorkflowsPage } from './pages/workflows-page.tsx';
import { useRoute } from './router.ts';

export function App() {
  const route = useRoute();
  const user = useQuery({ queryKey: ['user'], queryFn: api.user, staleTime: 60_000 });
  if (user.isLoading) {
    return (
      <Center h="100vh">
        <Loader />
      </Center>
    );
  }
  if (route.page === 'login' || !user.data?.loggedIn) return <LoginPage />;
  return (
    <Shell username={user.data.username ?? ''} local={user.data.iss === 'argocd'}>
      {route.page === 'applications' && <ApplicationsPage />}
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
      {route.page === 'rollouts' && <RolloutsPage />}
      {route.page === 'rollout' && (
        <RolloutPage
          key={`${route.namespace}/${route.name}`}
          reference={{ namespace: route.namespace, name: route.name }}
        />
      )}
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
      {route.page === 'unknown' && <UnknownPage path={route.path} />}
    </Shell>
  );
}
