import { Autocomplete, Button, Checkbox, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../api/client.ts';
import { type SourceParameters, sourceParameters } from '../../api/parameters.ts';
import {
  type Draft,
  isHydrated,
  problemsOf,
  sourcePaths,
  valueAt,
  withAnotherSource,
  withHydration,
  withoutSource,
  withValue,
} from '../../applications/draft.ts';
import { askedForParameters } from '../../applications/parameters.ts';
import { t } from '../../i18n/texts.ts';
import { type ApplicationFormProps, Section, typed, useField } from './form-parts.tsx';
import { ToolFields } from './tool-fields.tsx';

/** Where the objects come from: one source, or several whose objects are deployed together. */
export function Sources(props: ApplicationFormProps) {
  const paths = sourcePaths(props.draft);
  const known = useKnown(props.draft);
  const hydrated = isHydrated(props.draft);
  return (
    <>
      {paths.map((path, index) => (
        <Source
          key={path}
          path={path}
          known={known[index]}
          title={paths.length === 1 ? t('Source') : t('Source {number}', { number: index + 1 })}
          several={paths.length > 1}
          {...props}
        />
      ))}
      {!hydrated && (
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => props.change(withAnotherSource(props.draft))}
        >
          {t('Add a source')}
        </Button>
      )}
      {paths.length === 1 && (
        <Checkbox
          label={t('Commit the rendered manifests to a branch, and sync that')}
          description={t('The source hydrator: what is deployed can be read and reviewed in Git')}
          checked={hydrated}
          onChange={(event) => props.change(withHydration(props.draft, event.currentTarget.checked))}
        />
      )}
      {hydrated && <Hydration {...props} />}
    </>
  );
}

/** Where the rendered manifests go. */
function Hydration(props: ApplicationFormProps) {
  const field = useField(props);
  const at = (name: string) => typed(field(`spec.sourceHydrator.${name}`));
  return (
    <Section title={t('Hydrated to')}>
      <TextInput
        label={t('Branch that is synced')}
        required
        placeholder="env/prod"
        {...at('syncSource.targetBranch')}
      />
      <TextInput label={t('Folder in it')} required placeholder="shop" {...at('syncSource.path')} />
      <TextInput
        label={t('Branch that is written')}
        description={t('Empty: the one that is synced. Another one waits until somebody merges it')}
        placeholder="env/prod-next"
        {...at('hydrateTo.targetBranch')}
      />
      <TextInput
        label={t('Repository of both')}
        description={t('Empty: that of the source')}
        {...at('syncSource.repoURL')}
      />
    </Section>
  );
}

/** Milliseconds of rest after which the sources are looked at. */
const rest = 600;

/** What each source can be told, as soon as its fields are right. */
function useKnown(draft: Draft): readonly SourceParameters[] {
  const wanted = useMemo(() => askedForParameters(draft), [draft]);
  const [asked] = useDebouncedValue(wanted, rest);
  const ready = ![...problemsOf(asked).keys()].some((field) => field.startsWith('spec.source'));
  // refusals are told by the preview below
  const known = useQuery({
    queryKey: ['parameters', asked],
    queryFn: () => sourceParameters(asked),
    enabled: ready,
    retry: false,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  return known.data ?? [];
}

/** One source, at its path in the draft. */
function Source({
  path,
  title,
  several,
  known,
  ...props
}: ApplicationFormProps & { path: string; title: string; several: boolean; known: SourceParameters | undefined }) {
  const field = useField(props);
  const repositories = useQuery({
    queryKey: ['repositories'],
    queryFn: () => api.repositories(false),
    staleTime: 60_000,
    retry: false,
  });
  const { draft, change } = props;
  const chart = valueAt(draft, `${path}.chart`) !== undefined;
  const type =
    chart || valueAt(draft, `${path}.helm`) !== undefined
      ? 'Helm'
      : valueAt(draft, `${path}.kustomize`) !== undefined
        ? 'Kustomize'
        : valueAt(draft, `${path}.directory`) !== undefined
          ? 'Directory'
          : valueAt(draft, `${path}.plugin`) !== undefined
            ? 'Plugin'
            : 'found';
  const setType = (next: string | null) => {
    let changed = draft;
    for (const key of ['helm', 'kustomize', 'directory', 'plugin'])
      changed = withValue(changed, `${path}.${key}`, undefined);
    change(next === 'found' || next === null ? changed : withValue(changed, `${path}.${next.toLowerCase()}`, {}));
  };
  return (
    <Section title={title}>
      <Autocomplete
        label={t('Repository')}
        required
        placeholder="https://example.com/shop.git"
        data={[...new Set((repositories.data ?? []).map(({ repo }) => repo))]}
        {...field(`${path}.repoURL`)}
      />
      <TextInput label={t('Revision')} placeholder="HEAD" {...typed(field(`${path}.targetRevision`))} />
      {chart ? (
        <TextInput label={t('Chart')} required {...typed(field(`${path}.chart`))} />
      ) : (
        <TextInput label={t('Path')} required={!several} placeholder="deploy" {...typed(field(`${path}.path`))} />
      )}
      <Select
        label={t('Tool')}
        data={[
          { value: 'found', label: t('What the folder is found to be') },
          { value: 'Helm', label: 'Helm' },
          { value: 'Kustomize', label: 'Kustomize' },
          { value: 'Directory', label: t('Plain manifests') },
          { value: 'Plugin', label: t('A plugin') },
        ]}
        value={type}
        onChange={setType}
        allowDeselect={false}
      />
      <Checkbox
        label={t('A chart of a Helm repository')}
        checked={chart}
        // the hydrator reads Git alone
        disabled={isHydrated(draft)}
        onChange={(event) =>
          change(
            event.currentTarget.checked
              ? withValue(withValue(draft, `${path}.path`, undefined), `${path}.chart`, '')
              : withValue(withValue(draft, `${path}.chart`, undefined), `${path}.path`, ''),
          )
        }
      />
      {several && (
        <TextInput
          label={t('Name for the others')}
          description={t('Their values files are found as $NAME/…')}
          placeholder="values"
          {...typed(field(`${path}.ref`))}
        />
      )}
      <ToolFields {...props} path={path} tool={type} known={known} />
      {several && (
        <Button
          variant="subtle"
          size="compact-sm"
          className="wide"
          style={{ justifySelf: 'start' }}
          onClick={() => change(withoutSource(draft, Number(path.split('.').at(-1))))}
        >
          {t('Remove {what}', { what: title })}
        </Button>
      )}
    </Section>
  );
}
