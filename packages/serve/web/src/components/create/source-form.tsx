import { Autocomplete, Button, Checkbox, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../api/client.ts';
import { type SourceParameters, sourceParameters } from '../../api/parameters.ts';
import {
  type Draft,
  problemsOf,
  sourcePaths,
  valueAt,
  withAnotherSource,
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
  return (
    <>
      {paths.map((path, index) => (
        <Source
          key={path}
          path={path}
          known={known[index]}
          title={paths.length === 1 ? t('Source') : t('Source {number}', { number: index + 1 })}
          {...props}
        />
      ))}
      <Button
        variant="default"
        size="xs"
        style={{ alignSelf: 'flex-start' }}
        onClick={() => props.change(withAnotherSource(props.draft))}
      >
        {t('Add a source')}
      </Button>
    </>
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
  known,
  ...props
}: ApplicationFormProps & { path: string; title: string; known: SourceParameters | undefined }) {
  const field = useField(props);
  const repositories = useQuery({
    queryKey: ['repositories'],
    queryFn: () => api.repositories(false),
    staleTime: 60_000,
    retry: false,
  });
  const { draft, change } = props;
  const several = path !== 'spec.source';
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
