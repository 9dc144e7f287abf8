import { Checkbox, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { optionsOf, textAt, valueAt, withOption, withValue } from '../../applications/draft.ts';
import { switches } from '../../applications/sync-request.ts';
import { t } from '../../i18n/texts.ts';
import { type ApplicationFormProps, Pairs, Section, typed, useField } from './form-parts.tsx';
import { Sources } from './source-form.tsx';

/** The fields of an Application that most need; the rest is written in the YAML beside it. */
export function ApplicationForm(props: ApplicationFormProps) {
  return (
    <Stack gap="lg">
      <General {...props} />
      <Sources {...props} />
      <Destination {...props} />
      <Policy {...props} />
    </Stack>
  );
}

function General(props: ApplicationFormProps) {
  const field = useField(props);
  const projects = useQuery({ queryKey: ['projects'], queryFn: api.projects, staleTime: 60_000 });
  return (
    <Section title={t('General')}>
      <TextInput label={t('Name')} required readOnly={props.stored} data-autofocus {...typed(field('metadata.name'))} />
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

function Destination(props: ApplicationFormProps) {
  const field = useField(props);
  const { draft, change } = props;
  const clusters = useQuery({ queryKey: ['clusters'], queryFn: api.clusters, staleTime: 60_000 });
  const name = textAt(draft, 'spec.destination.name');
  const server = clusters.data?.find((cluster) => cluster.name === name)?.server;
  return (
    <Section title={t('Destination')}>
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

/** What the namespace of the destination is given when it is created for the application. */
const managedMetadata = 'spec.syncPolicy.managedNamespaceMetadata';

function Policy(props: ApplicationFormProps) {
  const { draft, change } = props;
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
    <Section title={t('Sync policy')}>
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
      {on &&
        flag('spec.syncPolicy.automated.allowEmpty', 'Allow empty', 'Delete everything when the source has nothing')}
      {switches.map(({ option, label, description }) => (
        <Checkbox
          key={option}
          label={t(label)}
          description={t(description)}
          checked={options.includes(option)}
          onChange={(event) => change(withOption(draft, option, event.currentTarget.checked))}
        />
      ))}
      {(options.includes('CreateNamespace=true') || valueAt(draft, managedMetadata) !== undefined) && (
        <>
          <Pairs
            {...props}
            label="Labels of the namespace"
            path={`${managedMetadata}.labels`}
            placeholder="pod-security.kubernetes.io/enforce=restricted"
          />
          <Pairs
            {...props}
            label="Annotations of the namespace"
            path={`${managedMetadata}.annotations`}
            placeholder="example.com/owner=shop"
          />
        </>
      )}
      <NumberInput
        label={t('Retries of a failed sync')}
        min={-1}
        value={textAt(draft, 'spec.syncPolicy.retry.limit')}
        onChange={(value) =>
          change(withValue(draft, 'spec.syncPolicy.retry.limit', typeof value === 'number' ? value : undefined))
        }
      />
      <NumberInput
        label={t('Entries of the history that are kept')}
        min={0}
        placeholder="10"
        value={textAt(draft, 'spec.revisionHistoryLimit')}
        onChange={(value) =>
          change(withValue(draft, 'spec.revisionHistoryLimit', typeof value === 'number' ? value : undefined))
        }
      />
    </Section>
  );
}
