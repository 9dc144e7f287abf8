import { Text, TextInput } from '@mantine/core';
import { imageOverride, imageParts, withImage } from '../../applications/parameters.ts';
import { t } from '../../i18n/texts.ts';
import { type ApplicationFormProps, Lines, Switches, typed, useField } from './form-parts.tsx';
import { RowList } from './row-list.tsx';
import type { ToolFieldsProps } from './tool-fields.tsx';

const patchExample = '- op: replace\n  path: /spec/replicas\n  value: 3';

export function KustomizeFields({ path, known, ...props }: ToolFieldsProps) {
  const field = useField(props);
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
