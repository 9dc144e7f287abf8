import { Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { stringify } from 'yaml';
import { api } from '../../api/client.ts';
import type { Application, ApplicationPreview } from '../../api/model.ts';
import { type Draft, draftToYaml, problemsOf, yamlToDraft } from '../../applications/draft.ts';
import { t } from '../../i18n/texts.ts';
import { differingManifests } from '../../objects/differences.ts';
import { apiGroupOf } from '../../objects/objects.ts';
import { DifferenceList } from '../application/difference-list.tsx';
import { DiagnosisPanel } from '../common/diagnosis-panel.tsx';
import { Failure } from '../common/failure.tsx';
import { KindName } from '../common/kind-icon.tsx';
import { ScrollPanel } from '../common/scroll-panel.tsx';
import { YamlEditor } from '../editor/yaml-editor.tsx';
import { ApplicationForm } from './application-form.tsx';

interface ApplicationEditorProps {
  initial: Draft;
  stored: boolean;
  save: (draft: Draft) => Promise<Application>;
  saved: (application: Application) => void;
  cancel?: () => void;
}

/** An Application as a form and as YAML, one beside the other, with what it would deploy below. */
export function ApplicationEditor({ initial, stored, save, saved, cancel }: ApplicationEditorProps) {
  const [draft, setDraft] = useState(initial);
  const [formChanges, setFormChanges] = useState(0);
  const [broken, setBroken] = useState(false);
  const [strict, setStrict] = useState(stored);
  const mutation = useMutation({ mutationFn: () => save(draft), onSuccess: saved });
  const problems = problemsOf(draft);
  const schema = useQuery({
    queryKey: ['application-schema'],
    queryFn: async () => (await import('virtual:application-schema')).applicationSchema,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setStrict(true);
        if (problems.size === 0 && !broken) mutation.mutate();
      }}
    >
      <Stack>
        <div className="editor-columns">
          <ApplicationForm
            draft={draft}
            stored={stored}
            strict={strict}
            change={(next) => {
              setDraft(next);
              setFormChanges(formChanges + 1);
              setBroken(false);
            }}
          />
          <YamlEditor
            name={`application ${formChanges}`}
            label={t('Application as YAML')}
            schema={schema.data}
            text={draftToYaml(draft)}
            change={(text) => {
              const next = yamlToDraft(text);
              setBroken(next === undefined);
              if (next) setDraft(next);
            }}
          />
        </div>
        <Preview draft={draft} before={stored ? initial : undefined} ready={problems.size === 0 && !broken} />
        {mutation.error && <Failure error={mutation.error} />}
        <Group justify="flex-end" className="dialog-footer">
          {strict && problems.size > 0 && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert" mr="auto">
              {t('{count} fields are not right yet', { count: problems.size })}
            </Text>
          )}
          {cancel && (
            <Button variant="default" onClick={cancel}>
              {t('Cancel')}
            </Button>
          )}
          <Button type="submit" loading={mutation.isPending} disabled={broken}>
            {stored ? t('Save') : t('Create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Objects whose changes are shown: each is an editor of its own. */
const mostChanges = 20;

/** What the objects of a draft have other than those of what is stored. */
function Changes({ before, after }: { before: ApplicationPreview; after: ApplicationPreview }) {
  const items = useMemo(() => differingManifests(manifestsOf(before), manifestsOf(after)), [before, after]);
  const all = [...before.objects, ...after.objects].every(({ manifest }) => manifest !== undefined);
  return (
    <section aria-label={t('What it changes')} style={{ marginBottom: 12 }}>
      {items.length === 0 ? (
        <Text size="sm" className="soft" role="status">
          {t('None of these objects is other than what is stored makes.')}
        </Text>
      ) : (
        <DifferenceList items={items.slice(0, mostChanges)} />
      )}
      {items.length > mostChanges && (
        <Text size="sm" className="soft">
          {t('and {count} more', { count: items.length - mostChanges })}
        </Text>
      )}
      {!all && (
        <Text size="sm" className="soft">
          {t('Of so many objects only the first are compared.')}
        </Text>
      )}
    </section>
  );
}

const manifestsOf = ({ objects }: ApplicationPreview) =>
  objects.flatMap(({ manifest }) => (manifest === undefined ? [] : [JSON.stringify(manifest)]));

/** Milliseconds of rest after which a draft is rendered. */
const rest = 700;

interface PreviewProps {
  draft: Draft;
  /** As it is stored; undefined for a new one. */
  before: Draft | undefined;
  ready: boolean;
}

/** What a draft would deploy and, of an application that exists, what of that is other than now. */
function Preview({ draft, before, ready }: PreviewProps) {
  const [asked] = useDebouncedValue(draft, rest);
  const [shown, setShown] = useState<string>();
  const preview = useQuery({
    queryKey: ['preview', asked],
    queryFn: () => api.preview(asked),
    enabled: ready,
    retry: false,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  // the same question of what is stored gives what can be compared
  const now = useQuery({
    queryKey: ['preview', before],
    queryFn: () => api.preview(before),
    enabled: ready && before !== undefined,
    retry: false,
    staleTime: 30_000,
  });
  if (!ready)
    return (
      <Text className="soft">{t('What it would deploy is shown here as soon as the fields above are right.')}</Text>
    );
  if (preview.error) return <Failure error={preview.error} retry={() => void preview.refetch()} />;
  if (!preview.data) return <Text className="soft">{t('Rendering …')}</Text>;
  const { objects, sourceType, revisions, warnings } = preview.data;
  return (
    <>
      {before && now.data && <Changes before={now.data} after={preview.data} />}
      <section aria-label={t('Preview')}>
        <Group gap="xs" mb="xs">
          <Text fw={650}>{t('{count} objects would be deployed', { count: objects.length })}</Text>
          <Badge variant="light" color="gray" tt="none">
            {sourceType}
          </Badge>
          <Text className="mono soft">{revisions.map((revision) => revision.slice(0, 12)).join(', ')}</Text>
          {preview.isFetching && (
            <Text size="sm" className="soft" role="status">
              {t('Rendering …')}
            </Text>
          )}
        </Group>
        {warnings.map((warning) => (
          <DiagnosisPanel key={warning.code + warning.message} diagnosis={warning} />
        ))}
        <ScrollPanel label={t('Objects')} style={{ maxHeight: 320 }}>
          <Table fz="sm" verticalSpacing={4} highlightOnHover>
            <Table.Tbody>
              {objects.map(({ kind, namespace, name, origin, manifest }) => {
                const key = `${kind}/${namespace}/${name}`;
                return (
                  <Table.Tr key={key}>
                    <Table.Td className="soft">
                      <KindName group={apiGroupOf(manifest)} kind={kind} />
                    </Table.Td>
                    <Table.Td>
                      <button
                        type="button"
                        className="plain"
                        aria-expanded={shown === key}
                        onClick={() => setShown(shown === key ? undefined : key)}
                      >
                        {namespace && <span className="soft">{namespace}/</span>}
                        {name}
                      </button>
                      {shown === key && <pre className="snippet mono">{stringify(manifest, { lineWidth: 0 })}</pre>}
                    </Table.Td>
                    <Table.Td className="mono soft">{origin && `${origin.file}:${origin.line}`}</Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </ScrollPanel>
      </section>
    </>
  );
}
