import { Drawer, Group, Stack, Table, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { stringify } from 'yaml';
import { type EditableKind, flow, type Template, type TemplateKind } from '../../api/flow.ts';
import { argoKind } from '../../api/schemas.ts';
import { ago } from '../../browser/time.ts';
import { kindNames, templateRows, workflowsLabel } from '../../families/workflow-templates.ts';
import { t } from '../../i18n/texts.ts';
import { atVersionOf, editableYaml } from '../../objects/shown-yaml.ts';
import { Failure } from '../common/failure.tsx';
import { PageLink } from '../common/page-link.tsx';
import { PhaseCell } from '../common/phase-cell.tsx';
import { TabStrip } from '../common/tab-strip.tsx';
import { ConfirmButton } from '../forms/confirm-button.tsx';

const ObjectEditor = lazy(() =>
  import('../editor/object-editor.tsx').then(({ ObjectEditor: editor }) => ({ default: editor })),
);
const YamlView = lazy(() => import('../editor/yaml-view.tsx').then(({ YamlView: view }) => ({ default: view })));

interface TemplateProps {
  kind: TemplateKind;
  template: Template;
}

/** One template, cron workflow or binding: what it takes, what it is made of, which workflows came of it. */
export function TemplateDrawer({
  kind,
  template,
  changed,
  close,
}: {
  kind: TemplateKind;
  template: Template | undefined;
  /** After it was saved or deleted. */
  changed: () => void;
  close: () => void;
}) {
  return (
    <Drawer
      opened={template !== undefined}
      onClose={close}
      position="right"
      size="min(920px, 100vw)"
      title={template && <Text fw={650}>{template.metadata.name}</Text>}
    >
      {template && (
        <Tabs defaultValue="parts" keepMounted={false}>
          <TabStrip>
            <Tabs.Tab value="parts">{t('What it is')}</Tabs.Tab>
            {workflowsLabel(kind) && <Tabs.Tab value="workflows">{t('Workflows')}</Tabs.Tab>}
            <Tabs.Tab value="yaml">YAML</Tabs.Tab>
            {kind !== 'workflow-event-bindings' && <Tabs.Tab value="edit">{t('Edit')}</Tabs.Tab>}
          </TabStrip>
          <Tabs.Panel value="parts">
            <Parts template={template} />
          </Tabs.Panel>
          <Tabs.Panel value="workflows">
            <Workflows kind={kind} template={template} />
          </Tabs.Panel>
          <Tabs.Panel value="edit">
            {kind !== 'workflow-event-bindings' && (
              <Suspense fallback={null}>
                <EditTemplate kind={kind} template={template} changed={changed} close={close} />
              </Suspense>
            )}
          </Tabs.Panel>
          <Tabs.Panel value="yaml">
            <Suspense fallback={null}>
              <YamlView
                text={stringify(
                  { apiVersion: 'argoproj.io/v1alpha1', kind: kindNames[kind], ...template },
                  { lineWidth: 0 },
                )}
              />
            </Suspense>
          </Tabs.Panel>
        </Tabs>
      )}
    </Drawer>
  );
}

interface EditTemplateProps {
  kind: EditableKind & TemplateKind;
  template: Template;
  changed: () => void;
  close: () => void;
}

function EditTemplate({ kind, template, changed, close }: EditTemplateProps) {
  // the list is read again while somebody writes: what they began with stays
  const [before] = useState(template);
  const { name, namespace = '' } = before.metadata;
  return (
    <Stack gap="xs">
      <Group justify="flex-end">
        <ConfirmButton
          label={t('Delete')}
          title={t('Delete {what}?', { what: name })}
          effect={t('Workflows that came of it stay; what refers to it fails from then on.')}
          run={() => flow.removeTemplate(kind, { namespace, name })}
          done={() => {
            changed();
            close();
          }}
        />
      </Group>
      <ObjectEditor
        name={`${kind} ${namespace}/${name}`}
        text={editableYaml(kindNames[kind], before)}
        label={t('{kind} as YAML', { kind: kindNames[kind] })}
        kind={argoKind(kindNames[kind])}
        about={t('Changes the cluster; workflows that run already go on with what they began with.')}
        action={t('Save')}
        save={(object) => flow.saveTemplate(kind, { namespace, name }, atVersionOf(before, object))}
        saved={() => {
          changed();
          close();
        }}
        cancel={close}
      />
    </Stack>
  );
}

function Parts({ template: { metadata, spec } }: { template: Template }) {
  const flowSpec = spec.workflowSpec ?? spec;
  const description = metadata.annotations?.['workflows.argoproj.io/description'];
  const parameters = flowSpec.arguments?.parameters ?? [];
  const templates = templateRows(flowSpec.templates ?? [], flowSpec.entrypoint);
  return (
    <Stack gap="md">
      <Text size="sm" className="soft">
        {[
          metadata.namespace ?? t('of the cluster'),
          t('created {ago}', { ago: ago(metadata.creationTimestamp, Date.now()) }),
        ].join(' · ')}
      </Text>
      {description && <Text size="sm">{description}</Text>}
      {parameters.length > 0 && (
        <Part
          title={t('Parameters')}
          heads={['Name', 'Value', 'One of']}
          rows={parameters.map(({ name, value, enum: values }) => [
            name,
            value === undefined ? t('must be given') : String(value),
            (values ?? []).join(', '),
          ])}
        />
      )}
      {templates.length > 0 && (
        <Part
          title={t('Templates')}
          heads={['Name', 'Kind', 'What it runs']}
          rows={templates.map(({ name, kind, what, isEntry }) => [
            `${name}${isEntry ? ` (${t('entrypoint')})` : ''}`,
            kind,
            what,
          ])}
        />
      )}
    </Stack>
  );
}

function Part({ title, heads, rows }: { title: string; heads: readonly string[]; rows: readonly string[][] }) {
  return (
    <section aria-label={title}>
      <Text fw={600} mb={4}>
        {title}
      </Text>
      <Table verticalSpacing={4} fz="sm">
        <Table.Thead>
          <Table.Tr>
            {heads.map((head) => (
              <Table.Th key={head}>{t(head)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((cells) => (
            <Table.Tr key={cells[0]}>
              {cells.map((cell, index) => (
                <Table.Td key={heads[index]} style={{ overflowWrap: 'anywhere' }}>
                  {cell || '–'}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function Workflows({ kind, template: { metadata } }: TemplateProps) {
  const labels = `${workflowsLabel(kind)}=${metadata.name}`;
  const list = useQuery({
    queryKey: ['workflows', 'of', kind, metadata.namespace, metadata.name],
    queryFn: () => flow.list({ namespace: metadata.namespace ?? '', labels }),
    retry: false,
  });
  if (list.error) return <Failure error={list.error} retry={() => void list.refetch()} />;
  const items = list.data?.items ?? [];
  if (items.length === 0) return <Text className="soft">{list.isLoading ? '…' : t('None came of it yet.')}</Text>;
  return (
    <Stack gap="xs">
      {items.map(({ namespace, name, phase, message, started, archived, uid }) => (
        <Group key={uid ?? name} justify="space-between" wrap="nowrap">
          <PageLink
            to={`workflows/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}${archived ? `?uid=${uid}` : ''}`}
            className="quiet-link"
          >
            {name}
          </PageLink>
          <Group gap="sm" wrap="nowrap">
            <Text size="sm" className="soft">
              {ago(started, Date.now())}
            </Text>
            <PhaseCell phase={phase} message={message} />
          </Group>
        </Group>
      ))}
    </Stack>
  );
}
