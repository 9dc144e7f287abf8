import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { Project } from '../api/model.ts';
import { settingsApi } from '../api/settings.ts';
import { Failure } from '../components/common/failure.tsx';
import { Loading } from '../components/common/loading.tsx';
import { PageLink } from '../components/common/page-link.tsx';
import { SettingsForm } from '../components/forms/settings-form.tsx';
import { ProjectRules } from '../components/settings/project-rules.tsx';
import { SettingsDrawer } from '../components/settings/settings-drawer.tsx';
import { SettingsHead } from '../components/settings/settings-head.tsx';
import { t } from '../i18n/texts.ts';
import { projectFields, withProjectValues } from '../settings/project-form.ts';

/** All projects that the user may see: what may be delivered from where to where, when, and by whom. */
export function ProjectsPage() {
  const list = useQuery({ queryKey: ['projects'], queryFn: api.projects, refetchInterval: 30_000 });
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <SettingsHead title="Projects" about="What may be delivered from where to where, when, and by whom.">
        <SettingsDrawer label={t('New project')} title={t('New project')}>
          {(close) => (
            <SettingsForm
              fields={projectFields}
              initial={{}}
              action="Create"
              effect={({ sourceRepos, destinations }) =>
                !sourceRepos || !destinations
                  ? t('Nothing can be delivered until it has a repository and a destination.')
                  : undefined
              }
              run={async (values) => {
                await settingsApi.addProject(
                  withProjectValues({ metadata: { name: values.name ?? '' }, spec: {} }, values),
                );
                await list.refetch();
              }}
              done={close}
            />
          )}
        </SettingsDrawer>
      </SettingsHead>
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.isLoading && <Loading height={160} />}
      {list.data?.length === 0 && <Text className="soft">{t('No project that you may see.')}</Text>}
      {list.data?.map((project) => (
        <ProjectPanel key={project.metadata.name} project={project} />
      ))}
    </Stack>
  );
}

function ProjectPanel({ project: { metadata, spec } }: { project: Project }) {
  return (
    <section className="panel" style={{ padding: 16 }} aria-labelledby={`project-${metadata.name}`}>
      <Text fw={600} id={`project-${metadata.name}`} style={{ overflowWrap: 'anywhere' }}>
        <PageLink to={`settings/projects/${encodeURIComponent(metadata.name)}`} className="quiet-link">
          {metadata.name}
        </PageLink>
      </Text>
      {spec.description && <Text size="sm">{spec.description}</Text>}
      <ProjectRules spec={spec} />
    </section>
  );
}
