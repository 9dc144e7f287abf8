import { Autocomplete, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { valueAt } from '../../applications/draft.ts';
import { imageOverride, imageParts, withImage } from '../../applications/parameters.ts';
import { t } from '../../i18n/texts.ts';
import { type ApplicationFormProps, Lines, Pairs, RareFields, Switches, typed, useField } from './form-parts.tsx';
import { RenderedFor } from './rendered-for.tsx';
import { RowList } from './row-list.tsx';
import type { ToolFieldsProps } from './tool-fields.tsx';

const rareFields = ['version', 'kubeVersion', 'apiVersions', 'commonLabels', 'commonAnnotations'];
const rareSwitches = [
  ['forceCommonLabels', 'These labels win over those of the kustomization'],
  ['labelWithoutSelector', 'Labels leave selectors as they are'],
  ['labelIncludeTemplates', 'Labels are given to the templates of pods, too'],
  ['forceCommonAnnotations', 'These annotations win over those of the kustomization'],
  ['commonAnnotationsEnvsubst', 'Variables of the build are replaced in the annotations'],
] as const;

const patchExample = '- op: replace\n  path: /spec/replicas\n  value: 3';

export function KustomizeFields({ path, known, ...props }: ToolFieldsProps) {
  const field = useField(props);
  const settings = useQuery({ queryKey: ['settings'], queryFn: api.settings, staleTime: 60_000 });
  const versions = settings.data?.kustomizeVersions ?? [];
  const own = `${path}.kustomize`;
  const rare = [...rareFields, ...rareSwitches.map(([name]) => name)];
  const images = [...new Set(known?.kustomize?.images ?? [])];
  return (
    <>
      <TextInput label={t('Name prefix')} {...typed(field(`${path}.kustomize.namePrefix`))} />
      <TextInput label={t('Name suffix')} {...typed(field(`${path}.kustomize.nameSuffix`))} />
      <TextInput label={t('Namespace')} {...typed(field(`${path}.kustomize.namespace`))} />
      <Lines {...props} label="Images" path={`${path}.kustomize.images`} placeholder="shop=example.com/shop:1.2" />
      <Lines {...props} label="Components" path={`${path}.kustomize.components`} placeholder="../components/tls" />
      <div className="tool-checks">
        <Switches
          {...props}
          path={`${path}.kustomize`}
          choices={[['ignoreMissingComponents', 'Pass over components that are not there']]}
        />
      </div>
      {images.length > 0 && (
        <section className="wide" aria-label={t('Images that are deployed')}>
          <Text size="sm" fw={500} mb={6}>
            {t('Images that are deployed')}
          </Text>
          <ul className="parameters panel">
            {images.map((image) => (
              <Image key={imageParts(image).name} image={image} path={path} {...props} />
            ))}
          </ul>
        </section>
      )}
      <RowList
        {...props}
        title="Replicas"
        path={`${path}.kustomize.replicas`}
        add="Add replicas"
        columns={[
          { key: 'name', label: 'Name', placeholder: 'web' },
          { key: 'count', label: 'Count', shape: 'number', placeholder: '3' },
        ]}
      />
      <RowList
        {...props}
        title="Patches"
        path={`${path}.kustomize.patches`}
        add="Add a patch"
        columns={[
          { key: 'target.kind', label: 'Kind', placeholder: 'Deployment' },
          { key: 'target.name', label: 'Name', placeholder: 'web' },
          { key: 'path', label: 'File of the patch', placeholder: 'patch.yaml' },
          { key: 'patch', label: 'Patch', shape: 'lines', placeholder: patchExample },
        ]}
      />
      <RareFields open={rare.some((name) => valueAt(props.draft, `${own}.${name}`) !== undefined)}>
        <Autocomplete
          label={t('Version of kustomize')}
          description={t('Empty: the built-in one; others are registered in argocd-cm')}
          data={versions}
          {...field(`${own}.version`)}
        />
        <RenderedFor {...props} path={own} />
        <Pairs {...props} label="Labels of all objects" path={`${own}.commonLabels`} placeholder="team=shop" />
        <Pairs
          {...props}
          label="Annotations of all objects"
          path={`${own}.commonAnnotations`}
          placeholder="example.com/owner=shop"
        />
        <div className="wide tool-checks">
          <Switches {...props} path={own} choices={rareSwitches} />
        </div>
      </RareFields>
    </>
  );
}

function Image({ image, path, draft, change }: ApplicationFormProps & { image: string; path: string }) {
  const { name, version } = imageParts(image);
  const entry = imageOverride(draft, path, image);
  const own = entry === undefined ? version : imageParts(entry.split('=').at(-1) ?? '').version;
  return (
    <li className="parameter" data-changed={entry !== undefined || undefined}>
      <span className="mono">{name}</span>
      <div>
        <TextInput
          size="xs"
          aria-label={t('Tag of {image}', { image: name })}
          value={own.replace(/^:/, '')}
          onChange={(event) => change(withImage(draft, path, image, event.currentTarget.value))}
        />
        <Text size="xs" className="soft">
          {entry === undefined ? t('of the kustomization') : t('set by this application')}
        </Text>
      </div>
    </li>
  );
}
