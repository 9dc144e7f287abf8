import { Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type CertificateEntry, settingsApi } from '../../api/settings.ts';
import { DataTable } from '../../components/common/data-table.tsx';
import { Failure } from '../../components/common/failure.tsx';
import { Loading } from '../../components/common/loading.tsx';
import { ConfirmButton } from '../../components/forms/confirm-button.tsx';
import type { FieldSpec } from '../../components/forms/form-fields.ts';
import { SettingsForm } from '../../components/forms/settings-form.tsx';
import { SettingsDrawer } from '../../components/settings/settings-drawer.tsx';
import { SettingsHead } from '../../components/settings/settings-head.tsx';
import { t } from '../../i18n/texts.ts';
import { base64, hostKeyProblem, readHostKeys } from '../../settings/host-keys.ts';

const certificateFields: readonly FieldSpec[] = [
  {
    name: 'serverName',
    label: 'Host',
    required: true,
    placeholder: 'git.example.com',
    wide: true,
    check: (value) => (/^[a-z0-9.-]+$/i.test(value) ? undefined : 'The name of a host alone'),
  },
  {
    name: 'pem',
    label: 'Certificates',
    kind: 'area',
    required: true,
    help: 'In PEM: the authority, or the server itself',
    check: (value) =>
      value.includes('-----BEGIN CERTIFICATE-----')
        ? undefined
        : 'A certificate in PEM begins with -----BEGIN CERTIFICATE-----',
  },
];

const hostKeyFields: readonly FieldSpec[] = [
  {
    name: 'lines',
    label: 'Lines of known_hosts',
    kind: 'area',
    required: true,
    help: 'What ssh-keyscan HOST prints',
    check: hostKeyProblem,
  },
];

/** What servers of repositories are known by: TLS certificates, and the keys of SSH hosts. */
export function CertificatesPage() {
  const list = useQuery({ queryKey: ['certificates'], queryFn: settingsApi.certificates });
  const reload = () => void list.refetch();
  const of = (type: string) => (list.data ?? []).filter(({ certType }) => certType === type);
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <SettingsHead
        title="Certificates and known hosts"
        about="By these the control plane knows that a server is who it says."
      />
      {list.isLoading && <Loading height={140} />}
      {list.error && <Failure error={list.error} retry={reload} />}
      <Group justify="space-between">
        <Title order={3}>{t('TLS certificates')}</Title>
        <SettingsDrawer label={t('Add certificates')} title={t('Add certificates')} variant="default">
          {(close) => (
            <SettingsForm
              fields={certificateFields}
              initial={{}}
              action="Add"
              effect={({ serverName }) =>
                serverName
                  ? t('{host} is trusted by these certificates alone; what was there for it is replaced.', {
                      host: serverName,
                    })
                  : undefined
              }
              run={async ({ serverName = '', pem = '' }) => {
                await settingsApi.addCertificates([
                  { serverName, certType: 'https', certSubType: '', certData: base64(pem) },
                ]);
                reload();
              }}
              done={close}
            />
          )}
        </SettingsDrawer>
      </Group>
      {list.data && (
        <Entries
          entries={of('https')}
          empty="None: servers are known by the authorities of the system."
          reload={reload}
        />
      )}
      <Group justify="space-between">
        <Title order={3}>{t('Known SSH hosts')}</Title>
        <SettingsDrawer label={t('Add host keys')} title={t('Add host keys')} variant="default">
          {(close) => (
            <SettingsForm
              fields={hostKeyFields}
              initial={{}}
              action="Add"
              effect={({ lines = '' }) => {
                const hosts = [...new Set(readHostKeys(lines).map(({ serverName }) => serverName))];
                return hosts.length > 0
                  ? t('Keys of {hosts} are added; another key of the same kind is replaced.', {
                      hosts: hosts.join(', '),
                    })
                  : undefined;
              }}
              run={async ({ lines = '' }) => {
                await settingsApi.addCertificates(readHostKeys(lines));
                reload();
              }}
              done={close}
            />
          )}
        </SettingsDrawer>
      </Group>
      {list.data && (
        <Entries
          entries={of('ssh')}
          empty="None: repositories by SSH are refused until a host is known."
          reload={reload}
        />
      )}
    </Stack>
  );
}

function Entries({
  entries,
  empty,
  reload,
}: {
  entries: readonly CertificateEntry[];
  empty: string;
  reload: () => void;
}) {
  if (entries.length === 0)
    return (
      <Text size="sm" className="soft">
        {t(empty)}
      </Text>
    );
  return (
    <DataTable label={t('Certificates')} heads={['Host', 'Kind', 'Known by', '']} verticalSpacing={6} fz="sm">
      {entries.map((entry) => (
        <Table.Tr key={`${entry.serverName} ${entry.certType} ${entry.certSubType} ${entry.certInfo}`}>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>{entry.serverName}</Table.Td>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>{entry.certSubType || entry.certType}</Table.Td>
          <Table.Td className="mono" style={{ overflowWrap: 'anywhere' }}>
            {entry.certInfo}
          </Table.Td>
          <Table.Td ta="right">
            <ConfirmButton
              label={t('Remove')}
              title={t('Remove {name}', { name: entry.serverName })}
              effect={
                entry.certType === 'ssh'
                  ? t('Repositories of {host} by SSH are refused from now on, if it has no other key.', {
                      host: entry.serverName,
                    })
                  : t('All certificates of {host} are removed; it is known by the authorities of the system then.', {
                      host: entry.serverName,
                    })
              }
              run={() => settingsApi.removeCertificate(entry)}
              done={reload}
            />
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}
