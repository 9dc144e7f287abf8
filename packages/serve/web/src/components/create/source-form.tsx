import { Autocomplete, Button, Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { sourcePaths, valueAt, withAnotherSource, withoutSource, withValue } from '../../applications/draft.ts';
import { t } from '../../i18n/texts.ts';
import { type ApplicationFormProps, Lines, Section, typed, useField } from './form-parts.tsx';

/** Where the objects come from: one source, or several whose objects are deployed together. */
export function Sources(props: ApplicationFormProps) {
  const paths = sourcePaths(props.draft);
  return (
    <>
      {paths.map((path, index) => (
        <Source
          key={path}
          path={path}
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

/** One source, at its path in the draft. */
function Source({ path, title, ...props }: ApplicationFormProps & { path: string; title: string }) {
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
          : 'found';
  const setType = (next: string | null) => {
    let changed = draft;
    for (const key of ['helm', 'kustomize', 'directory']) changed = withValue(changed, `${path}.${key}`, undefined);
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
      {type === 'Helm' && <HelmFields {...props} path={path} />}
      {type === 'Kustomize' && <KustomizeFields {...props} path={path} />}
      {type === 'Directory' && (
        <Checkbox
          label={t('With all folders below')}
          checked={valueAt(draft, `${path}.directory.recurse`) === true}
          onChange={(event) =>
            change(withValue(draft, `${path}.directory`, event.currentTarget.checked ? { recurse: true } : {}))
          }
        />
      )}
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

function HelmFields({ path, ...props }: ApplicationFormProps & { path: string }) {
  const field = useField(props);
  return (
    <>
      <TextInput label={t('Release name')} {...typed(field(`${path}.helm.releaseName`))} />
      <Lines {...props} label="Values files" path={`${path}.helm.valueFiles`} placeholder="values-prod.yaml" />
      <Textarea
        label={t('Values')}
        autosize
        minRows={3}
        maxRows={12}
        className="wide"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
        {...typed(field(`${path}.helm.values`))}
      />
    </>
  );
}

function KustomizeFields({ path, ...props }: ApplicationFormProps & { path: string }) {
  const field = useField(props);
  return (
    <>
      <TextInput label={t('Name prefix')} {...typed(field(`${path}.kustomize.namePrefix`))} />
      <TextInput label={t('Name suffix')} {...typed(field(`${path}.kustomize.nameSuffix`))} />
      <Lines {...props} label="Images" path={`${path}.kustomize.images`} placeholder="shop=example.com/shop:1.2" />
    </>
  );
}
