import { TextInput } from '@mantine/core';
import { t } from '../../i18n/texts.ts';
import { type ApplicationFormProps, Lines, typed, useField } from './form-parts.tsx';

/** The Kubernetes that manifests are rendered for, where it is not that of the destination. `path` is that of the tool. */
export function RenderedFor({ path, ...props }: ApplicationFormProps & { path: string }) {
  const field = useField(props);
  return (
    <>
      <TextInput
        label={t('Version of Kubernetes')}
        description={t('Empty: that of the cluster')}
        placeholder="1.35.0"
        {...typed(field(`${path}.kubeVersion`))}
      />
      <Lines {...props} label="API versions" path={`${path}.apiVersions`} placeholder="monitoring.coreos.com/v1" />
    </>
  );
}
