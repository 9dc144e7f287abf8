import { Button, FileInput, Group, Modal, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { flow, type Parameter, type Template, type TemplateKind } from '../../api/flow.ts';
import { navigate } from '../../browser/router.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';

const kinds: Readonly<Record<TemplateKind, string>> = {
  'workflow-templates': 'WorkflowTemplate',
  'cluster-workflow-templates': 'ClusterWorkflowTemplate',
  'cron-workflows': 'CronWorkflow',
  'workflow-event-bindings': '',
};

interface SubmitProps {
  kind: TemplateKind;
  template: Template | undefined;
  close: () => void;
}

/** Starts a workflow of a template: its parameters with their defaults, and their values to choose from where it names them. */
export function SubmitDialog({ kind, template, close }: SubmitProps) {
  return (
    <Modal
      opened={template !== undefined}
      onClose={close}
      title={t('Run {name}', { name: template?.metadata.name ?? '' })}
      size="lg"
    >
      {template && <SubmitForm kind={kind} template={template} close={close} />}
    </Modal>
  );
}

function SubmitForm({ kind, template, close }: SubmitProps & { template: Template }) {
  const spec = template.spec.workflowSpec ?? template.spec;
  const parameters = spec.arguments?.parameters ?? [];
  const initial = (parameter: Parameter) => String(parameter.value ?? parameter.default ?? '');
  const [values, setValues] = useState(new Map(parameters.map((parameter) => [parameter.name, initial(parameter)])));
  const [namespace, setNamespace] = useState(template.metadata.namespace ?? 'default');
  const [entrypoint, setEntrypoint] = useState(spec.entrypoint ?? '');
  // the server takes files for templates of a namespace alone
  const artifacts = kind === 'workflow-templates' ? (spec.arguments?.artifacts ?? []) : [];
  const [files, setFiles] = useState(new Map<string, File>());
  const entries = (spec.templates ?? []).flatMap(({ name }) => name ?? []);
  const missing = parameters.filter(
    (one) => one.value === undefined && one.default === undefined && values.get(one.name) === '',
  );
  const submit = useMutation({
    mutationFn: async () => {
      const uploads = [...files].map(([artifact, file]) =>
        flow.upload({ namespace, name: template.metadata.name }, artifact, file),
      );
      const uploaded = await Promise.all(uploads);
      return await flow.submit({
        namespace,
        resourceKind: kinds[kind],
        resourceName: template.metadata.name,
        submitOptions: {
          ...(entrypoint && entrypoint !== spec.entrypoint ? { entryPoint: entrypoint } : {}),
          parameters: [...values].map(([name, value]) => `${name}=${value}`),
          ...(uploaded.length > 0 ? { artifacts: uploaded.map(({ name, key }) => `${name}=${key}`) } : {}),
        },
      });
    },
    onSuccess: ({ metadata }) => {
      close();
      navigate(`/workflows/${encodeURIComponent(metadata.namespace)}/${encodeURIComponent(metadata.name)}`);
    },
  });
  const set = (name: string, value: string) => setValues(new Map(values).set(name, value));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (missing.length === 0) submit.mutate();
      }}
    >
      <Stack>
        {kind === 'cluster-workflow-templates' && (
          <TextInput
            label={t('Namespace')}
            value={namespace}
            required
            onChange={(event) => setNamespace(event.currentTarget.value)}
          />
        )}
        {kind !== 'cron-workflows' && entries.length > 1 && (
          <Select
            label={t('Entrypoint')}
            data={entries}
            value={entrypoint}
            allowDeselect={false}
            onChange={(value) => setEntrypoint(value ?? '')}
          />
        )}
        {parameters.map((parameter) => (
          <Field key={parameter.name} parameter={parameter} value={values.get(parameter.name) ?? ''} set={set} />
        ))}
        {artifacts.map(({ name }) => (
          <FileInput
            key={name}
            label={name}
            description={t('A file instead of what the template names')}
            placeholder={t('Choose a file')}
            clearable
            clearButtonProps={{ 'aria-label': t('Clear') }}
            value={files.get(name) ?? null}
            onChange={(file) => setFiles(withFile(files, name, file))}
          />
        ))}
        {parameters.length === 0 && artifacts.length === 0 && (
          <Text className="soft">{t('It takes no parameters.')}</Text>
        )}
        <Text size="sm" aria-live="polite">
          {missing.length > 0
            ? t('Without a value: {names}.', { names: missing.map(({ name }) => name).join(', ') })
            : t('A new workflow begins in {namespace} with the rights of its ServiceAccount.', { namespace })}
        </Text>
        {submit.error && <Failure error={submit.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('Cancel')}
          </Button>
          <Button type="submit" loading={submit.isPending} disabled={missing.length > 0}>
            {t('Submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function withFile(files: ReadonlyMap<string, File>, name: string, file: File | null): Map<string, File> {
  const changed = new Map(files);
  if (file) changed.set(name, file);
  else changed.delete(name);
  return changed;
}

function Field({
  parameter,
  value,
  set,
}: {
  parameter: Parameter;
  value: string;
  set: (name: string, value: string) => void;
}) {
  const { name, description } = parameter;
  const common = { label: name, ...(description ? { description } : {}) };
  if (parameter.enum && parameter.enum.length > 0)
    return (
      <Select
        {...common}
        data={[...new Set(parameter.enum.map(String))]}
        value={value || null}
        allowDeselect={false}
        onChange={(chosen) => set(name, chosen ?? '')}
      />
    );
  if (value.includes('\n'))
    return (
      <Textarea
        {...common}
        value={value}
        autosize
        maxRows={8}
        onChange={(event) => set(name, event.currentTarget.value)}
      />
    );
  return <TextInput {...common} value={value} onChange={(event) => set(name, event.currentTarget.value)} />;
}
