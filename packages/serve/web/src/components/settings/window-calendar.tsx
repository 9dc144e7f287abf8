import { Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { request } from '../../api/client.ts';
import type { Project, SyncWindow } from '../../api/model.ts';
import { windowWords } from '../../applications/projects.ts';
import { t } from '../../i18n/texts.ts';
import { windowFields, windowOf } from '../../settings/project-form.ts';
import { Failure } from '../common/failure.tsx';
import { ConfirmButton } from '../forms/confirm-button.tsx';
import { SettingsForm } from '../forms/settings-form.tsx';
import { LanePlot } from '../plot/lane-plot.tsx';
import { SettingsDrawer } from './settings-drawer.tsx';

interface Openings {
  window: SyncWindow;
  problem?: string;
  openings: { from: number; to: number }[];
}

const week = 7 * 86_400_000;

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
        await request<{ items: Openings[] }>('GET', `projects/${encodeURIComponent(name)}/windows`, {
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
            : t('When they are open in the week ahead, in the time of this browser.')}
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
          <LanePlot
            label={t('Sync windows in the week ahead')}
            from={list.data.at}
            to={list.data.at + week}
            lanes={list.data.items.map(({ window, openings }, index) => ({
              id: `${index} ${windowWords(window)}`,
              name: windowWords(window),
              marks: openings.map(({ from, to }) => ({
                id: `${index} ${from}`,
                at: Math.max(from, list.data.at),
                until: to,
                colour: window.kind === 'deny' ? 'red' : 'teal',
                label: `${windowWords(window)}: ${new Date(from).toLocaleString()} – ${new Date(to).toLocaleString()}`,
              })),
            }))}
          />
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
            <ConfirmButton
              label={t('Remove')}
              title={t('Remove the window')}
              effect={windowWords(window)}
              run={() => save({ syncWindows: windows.filter((one) => one !== window) })}
              done={done}
            />
          </Group>
        );
      })}
    </Stack>
  );
}
