import { Textarea, TextInput } from '@mantine/core';
import type { PluginParameter, SourceParameters } from '../../api/parameters.ts';
import { pluginValue, withPluginValue } from '../../applications/parameters.ts';
import { t } from '../../i18n/texts.ts';
import { DiagnosisPanel } from '../common/diagnosis-panel.tsx';
import { DirectoryFields } from './directory-fields.tsx';
import { type ApplicationFormProps, typed, useField } from './form-parts.tsx';
import { HelmFields } from './helm-fields.tsx';
import { KustomizeFields } from './kustomize-fields.tsx';

export interface ToolFieldsProps extends ApplicationFormProps {
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
