import {
  Autocomplete,
  Checkbox,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { type Draft, optionsOf, problemsOf, textAt, valueAt, withOption, withValue } from '../../applications/draft.ts';
import { switches } from '../../applications/sync-request.ts';
import { t } from '../../i18n/texts.ts';

interface ApplicationFormProps {
  draft: Draft;
  change: (draft: Draft) => void;
  /** Whether it is stored already, so that its name stays. */
  stored: boolean;
  /** Whether missing values are told already. */
  strict: boolean;
}

/** The fields of an Application that most need; the rest is written in the YAML beside it. */
export function ApplicationForm(props: ApplicationFormProps) {
  const several = Array.isArray(valueAt(props.draft, 'spec.sources'));
  return (
    <Stack gap="lg">
      <General {...props} />
      {several ? (
        <Text size="sm" className="soft">
          {t('It has several sources: they are written in the YAML.')}
        </Text>
      ) : (
        <Source {...props} />
      )}
      <Destination {...props} />
      <Policy {...props} />
    </Stack>
  );
}

function useField({ draft, change, strict }: ApplicationFormProps) {
  const problems = problemsOf(draft);
  return (path: string) => ({
    value: textAt(draft, path),
    error:
      strict || textAt(draft, path) !== '' ? (problems.has(path) ? t(problems.get(path) ?? '') : undefined) : undefined,
    onChange: (value: string | null) => change(withValue(draft, path, value || undefined)),
  });
}

type Field = ReturnType<ReturnType<typeof useField>>;
const typed = ({ onChange, value, error }: Field) => ({
  value,
  error,
  onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
});

function General(props: ApplicationFormProps) {
  const field = useField(props);
  const projects = useQuery({ queryKey: ['projects'], queryFn: api.projects, staleTime: 60_000 });
  return (
    <Section title="General">
      <TextInput label={t('Name')} required disabled={props.stored} data-autofocus {...typed(field('metadata.name'))} />
      <Select
        label={t('Project')}
        required
        searchable
        data={projects.data?.map(({ metadata }) => metadata.name) ?? ['default']}
        {...field('spec.project')}
      />
    </Section>
  );
}

function Source(props: ApplicationFormProps) {
  const field = useField(props);
  const repositories = useQuery({
    queryKey: ['repositories'],
    queryFn: () => api.repositories(false),
    staleTime: 60_000,
    retry: false,
  });
  const { draft, change } = props;
  const chart = valueAt(draft, 'spec.source.chart') !== undefined;
  const type =
    chart || valueAt(draft, 'spec.source.helm') !== undefined
      ? 'Helm'
      : valueAt(draft, 'spec.source.kustomize') !== undefined
        ? 'Kustomize'
        : valueAt(draft, 'spec.source.directory') !== undefined
          ? 'Directory'
          : 'found';
  const setType = (next: string | null) => {
    let changed = draft;
    for (const key of ['helm', 'kustomize', 'directory']) changed = withValue(changed, `spec.source.${key}`, undefined);
    change(next === 'found' || next === null ? changed : withValue(changed, `spec.source.${next.toLowerCase()}`, {}));
  };
  return (
    <Section title="Source">
      <Autocomplete
        label={t('Repository')}
        required
        placeholder="https://example.com/shop.git"
        data={[...new Set((repositories.data ?? []).map(({ repo }) => repo))]}
        {...field('spec.source.repoURL')}
      />
      <TextInput label={t('Revision')} placeholder="HEAD" {...typed(field('spec.source.targetRevision'))} />
      {chart ? (
        <TextInput label={t('Chart')} required {...typed(field('spec.source.chart'))} />
      ) : (
        <TextInput label={t('Path')} required placeholder="deploy" {...typed(field('spec.source.path'))} />
      )}
      <Select
        label={t('Tool')}
        data={[
          { value: 'found', label: t('What the folder is found to be') },
          { value: 'Helm', label: 'Helm' },
          { value: 'Kustomize', label: 'Kustomize' },
          { value: 'Directory', label: t('Plain manifests') },
        ]}
        value={type}
        onChange={setType}
        allowDeselect={false}
      />
      <Checkbox
        label={t('A chart of a Helm repository')}
        checked={chart}
        onChange={(event) =>
          change(
            event.currentTarget.checked
              ? withValue(withValue(draft, 'spec.source.path', undefined), 'spec.source.chart', '')
              : withValue(withValue(draft, 'spec.source.chart', undefined), 'spec.source.path', ''),
          )
        }
      />
      {type === 'Helm' && <HelmFields {...props} />}
      {type === 'Kustomize' && <KustomizeFields {...props} />}
      {type === 'Directory' && (
        <Checkbox
          label={t('With all folders below')}
          checked={valueAt(draft, 'spec.source.directory.recurse') === true}
          onChange={(event) =>
            change(withValue(draft, 'spec.source.directory', event.currentTarget.checked ? { recurse: true } : {}))
          }
        />
      )}
    </Section>
  );
}

function HelmFields(props: ApplicationFormProps) {
  const field = useField(props);
  return (
    <>
      <TextInput label={t('Release name')} {...typed(field('spec.source.helm.releaseName'))} />
      <Lines {...props} label="Values files" path="spec.source.helm.valueFiles" placeholder="values-prod.yaml" />
      <Textarea
        label={t('Values')}
        autosize
        minRows={3}
        maxRows={12}
        className="wide"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
        {...typed(field('spec.source.helm.values'))}
      />
    </>
  );
}

function KustomizeFields(props: ApplicationFormProps) {
  const field = useField(props);
  return (
    <>
      <TextInput label={t('Name prefix')} {...typed(field('spec.source.kustomize.namePrefix'))} />
      <TextInput label={t('Name suffix')} {...typed(field('spec.source.kustomize.nameSuffix'))} />
      <Lines {...props} label="Images" path="spec.source.kustomize.images" placeholder="shop=example.com/shop:1.2" />
    </>
  );
}

/** A list of texts, one a line. */
function Lines({
  draft,
  change,
  label,
  path,
  placeholder,
}: ApplicationFormProps & { label: string; path: string; placeholder: string }) {
  const value = valueAt(draft, path);
  return (
    <Textarea
      label={t(label)}
      description={t('One a line')}
      placeholder={placeholder}
      autosize
      minRows={1}
      maxRows={6}
      value={Array.isArray(value) ? value.join('\n') : ''}
      onChange={(event) => {
        const lines = event.currentTarget.value.split('\n');
        change(withValue(draft, path, lines.some(Boolean) ? lines : undefined));
      }}
    />
  );
}

function Destination(props: ApplicationFormProps) {
  const field = useField(props);
  const { draft, change } = props;
  const clusters = useQuery({ queryKey: ['clusters'], queryFn: api.clusters, staleTime: 60_000 });
  const name = textAt(draft, 'spec.destination.name');
  const server = clusters.data?.find((cluster) => cluster.name === name)?.server;
  return (
    <Section title="Destination">
      <Select
        label={t('Cluster')}
        required
        searchable
        data={(clusters.data ?? []).map((cluster) => ({
          value: cluster.server,
          label: cluster.name || cluster.server,
        }))}
        value={textAt(draft, 'spec.destination.server') || server || null}
        error={field('spec.destination.server').error}
        onChange={(value) =>
          change(
            withValue(
              withValue(draft, 'spec.destination.name', undefined),
              'spec.destination.server',
              value ?? undefined,
            ),
          )
        }
      />
      <TextInput label={t('Namespace')} {...typed(field('spec.destination.namespace'))} />
    </Section>
  );
}

function Policy({ draft, change }: ApplicationFormProps) {
  const automated = valueAt(draft, 'spec.syncPolicy.automated');
  const on =
    typeof automated === 'object' && automated !== null && (automated as { enabled?: boolean }).enabled !== false;
  const options = optionsOf(draft);
  const flag = (path: string, label: string, description: string) => (
    <Checkbox
      label={t(label)}
      description={t(description)}
      checked={valueAt(draft, path) === true}
      onChange={(event) => change(withValue(draft, path, event.currentTarget.checked || undefined))}
    />
  );
  return (
    <Section title="Sync policy">
      <Checkbox
        label={t('Automated')}
        description={t('What is committed is deployed by itself')}
        checked={on}
        onChange={(event) =>
          change(
            withValue(
              draft,
              'spec.syncPolicy.automated',
              event.currentTarget.checked ? { prune: true, selfHeal: true } : undefined,
            ),
          )
        }
      />
      {on && flag('spec.syncPolicy.automated.prune', 'Prune', 'Delete what is left over')}
      {on && flag('spec.syncPolicy.automated.selfHeal', 'Self-heal', 'Undo what others change in the cluster')}
      {switches.map(({ option, label, description }) => (
        <Checkbox
          key={option}
          label={t(label)}
          description={t(description)}
          checked={options.includes(option)}
          onChange={(event) => change(withOption(draft, option, event.currentTarget.checked))}
        />
      ))}
      <NumberInput
        label={t('Retries of a failed sync')}
        min={-1}
        value={textAt(draft, 'spec.syncPolicy.retry.limit')}
        onChange={(value) =>
          change(withValue(draft, 'spec.syncPolicy.retry.limit', typeof value === 'number' ? value : undefined))
        }
      />
    </Section>
  );
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <fieldset className="form-section">
      <legend>{t(title)}</legend>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {children}
      </SimpleGrid>
    </fieldset>
  );
}
