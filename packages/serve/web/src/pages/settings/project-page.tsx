import { Anchor, Breadcrumbs, Group, Stack, Tabs, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Project } from '../../api/model.ts';
import { settingsApi } from '../../api/settings.ts';
import { navigate, useSearch } from '../../browser/router.ts';
import { EventFeed } from '../../components/common/event-feed.tsx';
import { ExternalLink } from '../../components/common/external-link.tsx';
import { Failure } from '../../components/common/failure.tsx';
import { Loading } from '../../components/common/loading.tsx';
import { PageLink } from '../../components/common/page-link.tsx';
import { TabStrip } from '../../components/common/tab-strip.tsx';
import { ConfirmButton } from '../../components/forms/confirm-button.tsx';
import { SettingsForm } from '../../components/forms/settings-form.tsx';
import { AllowedBox } from '../../components/settings/allowed-box.tsx';
import { ProjectRules } from '../../components/settings/project-rules.tsx';
import { RoleList } from '../../components/settings/role-list.tsx';
import { SettingsDrawer } from '../../components/settings/settings-drawer.tsx';
import { UsedBy } from '../../components/settings/used-by.tsx';
import { WindowCalendar } from '../../components/settings/window-calendar.tsx';
import { t } from '../../i18n/texts.ts';
import { projectFields, projectValues, withProjectValues } from '../../settings/project-form.ts';

/** One project: its rules, who has roles in it, when it syncs, and what it allows. */
export function ProjectPage({ name }: { name: string }) {
  const queries = useQueryClient();
  const [search, changeSearch] = useSearch();
  const key = ['project', name];
  const query = useQuery({ queryKey: key, queryFn: () => settingsApi.project(name) });
  const changed = () => {
    void queries.invalidateQueries({ queryKey: key });
    void queries.invalidateQueries({ queryKey: ['projects'] });
  };
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Loading height={240} />;
  const project = query.data;
  /** Changes a part of what is stored now, so that nobody else's change is undone. */
  const save = async (spec: Partial<Project['spec']>) => {
    const current = await settingsApi.project(name);
    await settingsApi.changeProject({ ...current, spec: { ...current.spec, ...spec } });
    changed();
  };
  return (
    <Stack maw={1400} mx="auto" gap="md">
      <Breadcrumbs>
        <Anchor component="button" onClick={() => navigate('/settings/projects')}>
          {t('Projects')}
        </Anchor>
        <Text>{name}</Text>
      </Breadcrumbs>
      <Group justify="space-between" gap="sm">
        <div style={{ minWidth: 0 }}>
          <Title order={2} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Title>
          <Text size="sm">{project.spec.description}</Text>
          <Group gap="sm">
            <UsedBy facet="project" value={name} />
            <ProjectLinks name={name} />
          </Group>
        </div>
        <Group gap="sm">
          <PageLink to={`applications?new=true&project=${encodeURIComponent(name)}`} className="quiet-link">
            {t('New application')}
          </PageLink>
          <SettingsDrawer label={t('Edit the rules')} title={name} variant="default">
            {(close) => (
              <SettingsForm
                fields={projectFields.filter((field) => field.name !== 'name')}
                initial={projectValues(project)}
                action="Save"
                effect={() => t('It holds from the next comparison of each application on; what is deployed stays.')}
                run={async (values) => {
                  await settingsApi.changeProject(
                    withProjectValues(await settingsApi.project(name), { ...values, name }),
                  );
                  changed();
                }}
                done={close}
              />
            )}
          </SettingsDrawer>
          {name !== 'default' && (
            <ConfirmButton
              size="sm"
              label={t('Delete')}
              title={t('Delete the project {name}', { name })}
              effect={t('It can be deleted only while no application uses it.')}
              run={() => settingsApi.removeProject(name)}
              done={() => {
                changed();
                navigate('/settings/projects');
              }}
            />
          )}
        </Group>
      </Group>
      <Tabs
        value={search.get('tab') ?? 'rules'}
        onChange={(tab) => changeSearch({ tab: tab ?? undefined })}
        keepMounted={false}
      >
        <TabStrip>
          <Tabs.Tab value="rules">{t('Rules')}</Tabs.Tab>
          <Tabs.Tab value="allowed">{t('Is this allowed?')}</Tabs.Tab>
          <Tabs.Tab value="roles">{t('Roles')}</Tabs.Tab>
          <Tabs.Tab value="windows">{t('Sync windows')}</Tabs.Tab>
          <Tabs.Tab value="events">{t('Events')}</Tabs.Tab>
        </TabStrip>
        <Tabs.Panel value="rules">
          <ProjectRules spec={project.spec} />
        </Tabs.Panel>
        <Tabs.Panel value="allowed">
          <AllowedBox project={name} />
        </Tabs.Panel>
        <Tabs.Panel value="roles">
          <RoleList project={project} save={save} changed={changed} />
        </Tabs.Panel>
        <Tabs.Panel value="windows">
          <WindowCalendar project={project} save={save} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <EventFeed of={key} read={() => settingsApi.projectEvents(name)} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

/** `project.links` of the settings. */
function ProjectLinks({ name }: { name: string }) {
  const links = useQuery({
    queryKey: ['project', name, 'links'],
    queryFn: () => settingsApi.projectLinks(name),
    staleTime: 60_000,
    retry: false,
  });
  return links.data?.map(({ title = '', url = '' }) => (
    <Text key={title + url} size="sm" span>
      <ExternalLink to={url}>{title || url} ↗</ExternalLink>
    </Text>
  ));
}
