import { Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { request } from '../../api/client.ts';
import type { Project } from '../../api/model.ts';
import { windowWords } from '../../applications/projects.ts';
import { currentZone } from '../../browser/zone.ts';
import { t } from '../../i18n/texts.ts';
import { windowFields, windowOf, windowValues } from '../../settings/project-form.ts';
import { Failure } from '../common/failure.tsx';
import { ConfirmButton } from '../forms/confirm-button.tsx';
import { SettingsForm } from '../forms/settings-form.tsx';
import { type WindowOpenings, WindowPlot } from '../plot/window-plot.tsx';
import { SettingsDrawer } from './settings-drawer.tsx';

/** The sync windows of a project: the week ahead as a calendar, and the list to change. */
export function WindowCalendar({
  project,
  save,
}: {
  project: Project;
  save: (spec: Partial<Project['spec']>) => Promise<unknown>;
}) {
  const queries = useQueryClient();
  const { name } = project.metadata;
  const key = ['project-windows', name];
  const list = useQuery({
    queryKey: key,
    queryFn: async () => ({
      at: Date.now(),
      items: (
        await request<{ items: WindowOpenings[] }>('GET', `projects/${encodeURIComponent(name)}/windows`, {
          root: 'api/tiphys/v1',
        })
      ).items,
    }),
    refetchInterval: 60_000,
  });
  const windows = project.spec.syncWindows ?? [];
  const done = () => void queries.invalidateQueries({ queryKey: key });
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" className="soft">
          {windows.length === 0
            ? t('No window: syncs happen at any time.')
            : t('When they are open in the week ahead, in the time of {zone}.', { zone: currentZone() })}
        </Text>
        <SettingsDrawer label={t('Add a window')} title={t('Add a sync window')} variant="default">
          {(close) => (
            <SettingsForm
              fields={windowFields}
              initial={{ kind: 'deny', applications: '*' }}
              action="Add"
              effect={(values) => windowWords(windowOf(values))}
              run={(values) => save({ syncWindows: [...windows, windowOf(values)] })}
              done={() => {
                done();
                close();
              }}
            />
          )}
        </SettingsDrawer>
      </Group>
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data && windows.length > 0 && (
        <div className="panel" style={{ padding: 16 }}>
          <WindowPlot label={t('Sync windows in the week ahead')} at={list.data.at} items={list.data.items} />
        </div>
      )}
      {windows.map((window, index) => {
        const problem = list.data?.items[index]?.problem;
        return (
          <Group
            key={`${windowWords(window)} ${(window.applications ?? []).join()}`}
            className="panel"
            p="sm"
            justify="space-between"
            wrap="nowrap"
          >
            <div style={{ minWidth: 0 }}>
              <Text size="sm" fw={600}>
                {windowWords(window)}
              </Text>
              <Text size="sm" className="soft" style={{ overflowWrap: 'anywhere' }}>
                {[
                  window.description,
                  window.applications?.length && `${t('Applications')}: ${window.applications.join(', ')}`,
                  window.namespaces?.length && `${t('Namespaces')}: ${window.namespaces.join(', ')}`,
                  window.clusters?.length && `${t('Clusters')}: ${window.clusters.join(', ')}`,
                  window.andOperator && t('only what matches all of these'),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </Text>
              {problem && (
                <Text size="sm" c="var(--mantine-color-error)">
                  {problem}
                </Text>
              )}
            </div>
            <Group gap="xs" wrap="nowrap">
              <SettingsDrawer label={t('Edit')} title={t('Edit the sync window')} variant="default" size="compact-sm">
                {(close) => (
                  <SettingsForm
                    fields={windowFields}
                    initial={windowValues(window)}
                    action="Save"
                    effect={(values) => windowWords(windowOf(values))}
                    run={(values) =>
                      save({ syncWindows: windows.map((one) => (one === window ? windowOf(values) : one)) })
                    }
                    done={() => {
                      done();
                      close();
                    }}
                  />
                )}
              </SettingsDrawer>
              <ConfirmButton
                label={t('Remove')}
                title={t('Remove the window')}
                effect={windowWords(window)}
                run={() => save({ syncWindows: windows.filter((one) => one !== window) })}
                done={done}
              />
            </Group>
          </Group>
        );
      })}
    </Stack>
  );
}
