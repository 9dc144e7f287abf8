import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { settingsApi } from '../../api/settings.ts';
import { DataTable } from '../../components/common/data-table.tsx';
import { Failure } from '../../components/common/failure.tsx';
import { Loading } from '../../components/common/loading.tsx';
import { ConfirmButton } from '../../components/forms/confirm-button.tsx';
import type { FieldSpec } from '../../components/forms/form-fields.ts';
import { SettingsForm } from '../../components/forms/settings-form.tsx';
import { SettingsDrawer } from '../../components/settings/settings-drawer.tsx';
import { SettingsHead } from '../../components/settings/settings-head.tsx';
import { t } from '../../i18n/texts.ts';

const fields: readonly FieldSpec[] = [
  {
    name: 'keyData',
    label: 'Public key',
    kind: 'area',
    required: true,
    help: 'What gpg --export --armor KEY prints',
    check: (value) =>
      value.includes('-----BEGIN PGP PRIVATE KEY')
        ? 'This is a private key: keep it, and paste the public one'
        : value.includes('-----BEGIN PGP PUBLIC KEY BLOCK-----')
          ? undefined
          : 'It begins with -----BEGIN PGP PUBLIC KEY BLOCK-----',
  },
];

/** The keys by which signed commits are trusted, where a project asks for signatures. */
export function GpgPage() {
  const list = useQuery({ queryKey: ['gpg-keys'], queryFn: settingsApi.gpgKeys });
  const reload = () => void list.refetch();
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <SettingsHead
        title="GnuPG keys"
        about="Where a project asks for signed commits, they are signed by one of these."
      >
        <SettingsDrawer label={t('Add a key')} title={t('Add a key')}>
          {(close) => (
            <SettingsForm
              fields={fields}
              initial={{}}
              action="Add"
              effect={() => t('Projects must still name the key before it counts for their applications.')}
              run={async ({ keyData = '' }) => {
                const { skipped } = await settingsApi.addGpgKey(keyData);
                if (skipped?.length) throw new Error(t('Known already: {keys}', { keys: skipped.join(', ') }));
                reload();
              }}
              done={close}
            />
          )}
        </SettingsDrawer>
      </SettingsHead>
      {list.isLoading && <Loading height={140} />}
      {list.error && <Failure error={list.error} retry={reload} />}
      {list.data?.length === 0 && <Text className="soft">{t('No key is known.')}</Text>}
      {list.data && list.data.length > 0 && (
        <DataTable label={t('Keys')} heads={['Key', 'Kind', 'Owner', '']} verticalSpacing={6} fz="sm">
          {list.data.map(({ keyID, subType, owner }) => (
            <Table.Tr key={keyID}>
              <Table.Td className="mono">{keyID}</Table.Td>
              <Table.Td>{subType}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{owner}</Table.Td>
              <Table.Td ta="right">
                <ConfirmButton
                  label={t('Remove')}
                  title={t('Remove the key {id}', { id: keyID })}
                  effect={t(
                    'Commits that are signed with it are no longer trusted, where a project asks for signatures.',
                  )}
                  run={() => settingsApi.removeGpgKey(keyID)}
                  done={reload}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </DataTable>
      )}
    </Stack>
  );
}
