import { Alert, Select } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Cluster } from '../../api/model.ts';
import { settingsApi } from '../../api/settings.ts';
import { t } from '../../i18n/texts.ts';
import { type KubeconfigContext, readKubeconfig } from '../../settings/kubeconfig.ts';
import type { FieldSpec, Values } from '../forms/form-fields.ts';
import { SettingsForm } from '../forms/settings-form.tsx';

const shard = (value: string) => (/^\d{1,4}$/.test(value) ? undefined : 'A whole number');

const common: readonly FieldSpec[] = [
  { name: 'name', label: 'Name', required: true },
  { name: 'project', label: 'Project', help: 'Empty: for all projects' },
  {
    name: 'namespaces',
    label: 'Only these namespaces',
    placeholder: 'shop, shop-test',
    help: 'Empty: the whole cluster',
  },
  { name: 'shard', label: 'Shard', kind: 'number', help: 'Empty: the controllers share the clusters', check: shard },
  { name: 'labels', label: 'Labels', placeholder: 'env=prod, region=eu', check: labelProblem, wide: true },
  {
    name: 'clusterResources',
    label: 'Cluster-scoped objects too',
    kind: 'check',
    help: 'Although it is limited to namespaces',
    shown: ({ namespaces = '' }) => namespaces.trim() !== '',
  },
];

function labelProblem(value: string): string | undefined {
  return listOf(value).every((one) => /^[\w./-]+=[\w.-]*$/.test(one)) ? undefined : 'Such as env=prod, region=eu';
}

const listOf = (text = '') =>
  text
    .split(/[\s,]+/)
    .map((one) => one.trim())
    .filter(Boolean);

function bodyOf({
  name = '',
  project = '',
  namespaces = '',
  shard: number = '',
  labels = '',
  clusterResources,
}: Values) {
  return {
    name,
    project,
    namespaces: listOf(namespaces),
    clusterResources: clusterResources === 'true',
    ...(number ? { shard: Number(number) } : {}),
    labels: Object.fromEntries(
      listOf(labels).map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
    ),
  };
}

/** Adds a cluster by the text of a kubeconfig. */
export function AddCluster({ close }: { close: () => void }) {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const fields = useMemo<readonly FieldSpec[]>(
    () => [
      {
        name: 'kubeconfig',
        label: 'Kubeconfig',
        kind: 'secret-area',
        required: true,
        help: 'What kubectl config view --flatten --minify --raw prints',
        check: kubeconfigProblem,
      },
      ...common,
    ],
    [],
  );
  return (
    <SettingsForm
      fields={fields}
      initial={{}}
      action="Add"
      effect={(values) => {
        const context = contextOf(values, chosen);
        return context?.config
          ? t(
              'The control plane connects to {server} with the credentials of this context, and keeps them in a Secret.',
              { server: context.server },
            )
          : undefined;
      }}
      run={async ({ kubeconfig = '', ...values }) => {
        const context = contextOf({ kubeconfig }, chosen);
        if (!context?.config) throw new Error(t(context?.problem ?? 'It has no contexts'));
        await settingsApi.addCluster({ server: context.server, config: context.config, ...bodyOf(values) });
        await queries.invalidateQueries({ queryKey: ['clusters'] });
      }}
      done={close}
    >
      {(values) => <Contexts values={values} chosen={chosen} choose={setChosen} />}
    </SettingsForm>
  );
}

function contextsOf({ kubeconfig = '' }: Values): KubeconfigContext[] {
  try {
    return readKubeconfig(kubeconfig);
  } catch {
    // the field tells what is wrong
    return [];
  }
}

function contextOf(values: Values, chosen: string | null): KubeconfigContext | undefined {
  const contexts = contextsOf(values);
  return contexts.find(({ name }) => name === chosen) ?? contexts[0];
}

function kubeconfigProblem(text: string): string | undefined {
  try {
    readKubeconfig(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.split('\n')[0] : String(error);
  }
}

function Contexts({
  values,
  chosen,
  choose,
}: {
  values: Values;
  chosen: string | null;
  choose: (name: string | null) => void;
}) {
  const contexts = contextsOf(values);
  const context = contextOf(values, chosen);
  if (!context) return null;
  return (
    <>
      <Select
        label={t('Context')}
        data={contexts.map(({ name }) => name)}
        value={context.name}
        onChange={choose}
        allowDeselect={false}
        description={context.server}
      />
      {context.problem && (
        <Alert color="red" variant="light">
          {t(context.problem)}
        </Alert>
      )}
    </>
  );
}

/** Changes what is said of a cluster; its credentials stay. */
export function EditCluster({ cluster, close }: { cluster: Cluster; close: () => void }) {
  const queries = useQueryClient();
  return (
    <SettingsForm
      fields={common}
      initial={{
        name: cluster.name,
        project: cluster.project ?? '',
        namespaces: (cluster.namespaces ?? []).join(', '),
        shard: cluster.shard === undefined ? '' : String(cluster.shard),
        labels: Object.entries(cluster.labels ?? {})
          .map(([name, value]) => `${name}=${value}`)
          .join(', '),
        clusterResources: cluster.clusterResources ? 'true' : '',
      }}
      action="Save"
      effect={() => t('The credentials stay. The cluster is tried with them before anything is stored.')}
      run={async (values) => {
        await settingsApi.changeCluster(cluster.server, bodyOf(values));
        await queries.invalidateQueries({ queryKey: ['clusters'] });
      }}
      done={close}
    />
  );
}
