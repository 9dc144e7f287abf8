import { Checkbox, Group, Text, Textarea, TextInput } from '@mantine/core';
import type { PluginParameter, SourceParameters } from '../../api/parameters.ts';
import { valueAt, withValue } from '../../applications/draft.ts';
import { imageOverride, imageParts, pluginValue, withImage, withPluginValue } from '../../applications/parameters.ts';
import { t } from '../../i18n/texts.ts';
import { DiagnosisPanel } from '../common/diagnosis-panel.tsx';
import { ChartParameters } from './chart-parameters.tsx';
import { type ApplicationFormProps, Lines, typed, useField } from './form-parts.tsx';

interface ToolFieldsProps extends ApplicationFormProps {
  path: string;
  /** What the server found of the source; undefined until it did. */
  known: SourceParameters | undefined;
}

/** What the source can be told, by the tool that renders it: the one that is chosen, else the one that was found. */
export function ToolFields({ tool, ...props }: ToolFieldsProps & { tool: string }) {
  const { known } = props;
  const shown = tool === 'found' ? known?.type : tool;
  return (
    <>
      {shown === 'Helm' && <HelmFields {...props} />}
      {shown === 'Kustomize' && <KustomizeFields {...props} />}
      {shown === 'Directory' && <DirectoryFields {...props} />}
      {shown === 'Plugin' && <PluginFields {...props} />}
      {known?.problem && (
        <div className="wide">
          <DiagnosisPanel diagnosis={known.problem} />
        </div>
      )}
    </>
  );
}

function HelmFields({ path, known, ...props }: ToolFieldsProps) {
  const field = useField(props);
  const files = known?.helm?.valueFiles.filter((file) => file !== 'values.yaml') ?? [];
  const chosen = valueAt(props.draft, `${path}.helm.valueFiles`);
  const listed: readonly unknown[] = Array.isArray(chosen) ? chosen : [];
  const choose = (file: string, on: boolean) => {
    const next = on ? [...listed, file] : listed.filter((one) => one !== file);
    props.change(withValue(props.draft, `${path}.helm.valueFiles`, next.length > 0 ? next : undefined));
  };
  return (
    <>
      <TextInput label={t('Release name')} {...typed(field(`${path}.helm.releaseName`))} />
      <div>
        <Lines {...props} label="Values files" path={`${path}.helm.valueFiles`} placeholder="values-prod.yaml" />
        {files.length > 0 && (
          <Group gap="xs" mt={4}>
            {files.slice(0, 12).map((file) => (
              <Checkbox
                key={file}
                size="xs"
                label={file}
                checked={listed.includes(file)}
                onChange={(event) => choose(file, event.currentTarget.checked)}
              />
            ))}
          </Group>
        )}
      </div>
      <Textarea
        label={t('Values')}
        autosize
        minRows={3}
        maxRows={12}
        className="wide"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
        {...typed(field(`${path}.helm.values`))}
      />
      {known?.helm && (
        <ChartParameters {...props} path={path} known={known.helm.parameters} values={known.helm.values} />
      )}
    </>
  );
}

function KustomizeFields({ path, known, ...props }: ToolFieldsProps) {
  const field = useField(props);
  const images = [...new Set(known?.kustomize?.images ?? [])];
  return (
    <>
      <TextInput label={t('Name prefix')} {...typed(field(`${path}.kustomize.namePrefix`))} />
      <TextInput label={t('Name suffix')} {...typed(field(`${path}.kustomize.nameSuffix`))} />
      <TextInput label={t('Namespace')} {...typed(field(`${path}.kustomize.namespace`))} />
      <Lines {...props} label="Images" path={`${path}.kustomize.images`} placeholder="shop=example.com/shop:1.2" />
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

function DirectoryFields({ path, ...props }: ToolFieldsProps) {
  const field = useField(props);
  return (
    <>
      <Checkbox
        label={t('With all folders below')}
        className="wide"
        checked={valueAt(props.draft, `${path}.directory.recurse`) === true}
        onChange={(event) =>
          props.change(
            withValue(props.draft, `${path}.directory.recurse`, event.currentTarget.checked ? true : undefined),
          )
        }
      />
      <TextInput
        label={t('Only files like')}
        placeholder="{app,web}*.yaml"
        {...typed(field(`${path}.directory.include`))}
      />
      <TextInput label={t('Without files like')} placeholder="*.md" {...typed(field(`${path}.directory.exclude`))} />
    </>
  );
}

function PluginFields({ path, known, ...props }: ToolFieldsProps) {
  const field = useField(props);
  const announced = known?.plugin?.parametersAnnouncement ?? [];
  return (
    <>
      <TextInput
        label={t('Plugin')}
        description={t('Empty: the one that finds the folder to be its own')}
        className="wide"
        {...typed(field(`${path}.plugin.name`))}
      />
      {announced.map((parameter) => (
        <PluginField key={parameter.name} {...props} path={path} parameter={parameter} />
      ))}
    </>
  );
}

function PluginField({
  draft,
  change,
  path,
  parameter,
}: ApplicationFormProps & { path: string; parameter: PluginParameter }) {
  const { name = '', title, tooltip, required, collectionType } = parameter;
  const shape = collectionType === 'map' || collectionType === 'array' ? collectionType : 'string';
  const common = {
    label: title || name,
    description: shape === 'map' ? `${tooltip ?? ''} ${t('One NAME=VALUE a line')}`.trim() : tooltip,
    required: required === true,
    placeholder: announcedText(parameter),
    value: pluginValue(draft, path, name) ?? '',
    onChange: (event: { currentTarget: { value: string } }) =>
      change(withPluginValue(draft, path, { name, shape }, event.currentTarget.value || undefined)),
  };
  return shape === 'string' ? <TextInput {...common} /> : <Textarea autosize minRows={1} maxRows={6} {...common} />;
}

/** What the plugin takes if nothing is given. */
function announcedText({ string, array, map }: PluginParameter): string {
  if (array?.length) return array.join('\n');
  const entries = Object.entries(map ?? {});
  return entries.length > 0 ? entries.map(([key, value]) => `${key}=${value}`).join('\n') : (string ?? '');
}
