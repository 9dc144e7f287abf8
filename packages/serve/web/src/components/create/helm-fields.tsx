import { Checkbox, Group, Textarea, TextInput } from '@mantine/core';
import { valueAt, withValue } from '../../applications/draft.ts';
import { t } from '../../i18n/texts.ts';
import { ChartParameters } from './chart-parameters.tsx';
import { Lines, RareFields, Switches, typed, useField } from './form-parts.tsx';
import { RenderedFor } from './rendered-for.tsx';
import { RowList } from './row-list.tsx';
import type { ToolFieldsProps } from './tool-fields.tsx';

export function HelmFields({ path, known, ...props }: ToolFieldsProps) {
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
      <div className="wide tool-checks">
        <Switches
          {...props}
          path={`${path}.helm`}
          choices={[
            ['skipCrds', 'Leave definitions (CRDs) of the chart out'],
            ['skipTests', 'Leave tests of the chart out'],
            ['skipSchemaValidation', "Do not check the values by the chart's schema"],
            ['ignoreMissingValueFiles', 'Pass over values files that are not there'],
            ['passCredentials', 'Give credentials to all hosts of the repository'],
          ]}
        />
      </div>
      <RowList
        {...props}
        title="Parameters from files"
        path={`${path}.helm.fileParameters`}
        add="Add a file parameter"
        columns={[
          { key: 'name', label: 'Name', placeholder: 'config' },
          { key: 'path', label: 'Path', placeholder: 'files/config.json' },
        ]}
      />
      <Textarea
        label={t('Values')}
        autosize
        minRows={3}
        maxRows={12}
        className="wide"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
        {...typed(field(`${path}.helm.values`))}
      />
      <RareFields
        open={['namespace', 'kubeVersion', 'apiVersions'].some(
          (name) => valueAt(props.draft, `${path}.helm.${name}`) !== undefined,
        )}
      >
        <TextInput
          label={t('Namespace of the release')}
          description={t('Empty: that of the destination')}
          {...typed(field(`${path}.helm.namespace`))}
        />
        <RenderedFor {...props} path={`${path}.helm`} />
      </RareFields>
      {known?.helm && (
        <ChartParameters {...props} path={path} known={known.helm.parameters} values={known.helm.values} />
      )}
    </>
  );
}
