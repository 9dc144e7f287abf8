import { Alert, Badge, Button, Code, CopyButton, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { type Account, settingsApi } from '../../api/settings.ts';
import { day } from '../../browser/time.ts';
import { DataTable } from '../../components/common/data-table.tsx';
import { Failure } from '../../components/common/failure.tsx';
import { Loading } from '../../components/common/loading.tsx';
import { ConfirmButton } from '../../components/forms/confirm-button.tsx';
import type { FieldSpec } from '../../components/forms/form-fields.ts';
import { SettingsForm } from '../../components/forms/settings-form.tsx';
import { SettingsDrawer } from '../../components/settings/settings-drawer.tsx';
import { SettingsHead } from '../../components/settings/settings-head.tsx';
import { t } from '../../i18n/texts.ts';
import { durationProblem, durationSeconds } from '../../settings/durations.ts';

const passwordFields: readonly FieldSpec[] = [
  {
    name: 'currentPassword',
    label: 'Your own password',
    kind: 'secret',
    required: true,
    help: 'Of the account that is logged in',
    wide: true,
  },
  {
    name: 'newPassword',
    label: 'New password',
    kind: 'secret',
    required: true,
    check: (value) => (value.length < 8 ? 'At least 8 characters' : undefined),
  },
  {
    name: 'repeated',
    label: 'The same again',
    kind: 'secret',
    required: true,
    check: (value, { newPassword }) => (value === newPassword ? undefined : 'It is not the same'),
  },
];

const tokenFields: readonly FieldSpec[] = [
  { name: 'id', label: 'Name of the token', help: 'Empty: one is made up' },
  {
    name: 'expiresIn',
    label: 'Valid for',
    placeholder: '90d',
    help: 'Such as 12h or 90d; empty: for ever',
    check: durationProblem,
  },
];

/** The local accounts that one may see: their tokens, and their passwords. */
export function AccountsPage() {
  const list = useQuery({ queryKey: ['accounts'], queryFn: settingsApi.accounts });
  const settings = useQuery({ queryKey: ['login settings'], queryFn: api.settings, staleTime: 60_000 });
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <SettingsHead title="Accounts" about="Local accounts; who comes by single sign-on has none here." />
      {list.isLoading && <Loading height={140} />}
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data?.length === 0 && <Text className="soft">{t('No account that you may see.')}</Text>}
      {list.data?.map((account) => (
        <AccountPanel
          key={account.name}
          account={account}
          pattern={settings.data?.passwordPattern}
          changed={() => void list.refetch()}
        />
      ))}
    </Stack>
  );
}

function AccountPanel({
  account,
  pattern,
  changed,
}: {
  account: Account;
  pattern: string | undefined;
  changed: () => void;
}) {
  const { name, enabled, tokens } = account;
  const capabilities = account.capabilities ?? [];
  return (
    <section className="panel" style={{ padding: 16 }} aria-label={name}>
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Title order={3}>{name}</Title>
          {!enabled && <Badge color="gray">{t('disabled')}</Badge>}
          {capabilities.map((capability) => (
            <Badge key={capability} variant="light" color="gray">
              {capability}
            </Badge>
          ))}
        </Group>
        <Group gap="sm">
          {capabilities.includes('login') && <PasswordDrawer name={name} pattern={pattern} />}
          {capabilities.includes('apiKey') && (
            <SettingsDrawer
              label={t('New token')}
              title={t('New token of {name}', { name })}
              variant="default"
              size="compact-sm"
            >
              {() => <TokenForm run={(body) => settingsApi.addToken(name, body)} changed={changed} />}
            </SettingsDrawer>
          )}
        </Group>
      </Group>
      {capabilities.includes('apiKey') && (
        <TokenTable
          tokens={(tokens ?? []).map(({ id, issuedAt, expiresAt }) => ({ id, issued: issuedAt, expires: expiresAt }))}
          remove={(id) => settingsApi.removeToken(name, id)}
          changed={changed}
        />
      )}
    </section>
  );
}

/** Sets another password of a local account. */
export function PasswordDrawer({ name, pattern }: { name: string; pattern: string | undefined }) {
  return (
    <SettingsDrawer
      label={t('Change the password')}
      title={t('Password of {name}', { name })}
      variant="default"
      size="compact-sm"
    >
      {(close) => (
        <SettingsForm
          fields={passwordFields}
          initial={{}}
          action="Change the password"
          effect={() =>
            [
              t('Every session of {name} ends, also your own if it is you.', { name }),
              pattern && t('It must match {pattern}', { pattern }),
            ]
              .filter(Boolean)
              .join(' ')
          }
          run={({ currentPassword = '', newPassword = '' }) =>
            settingsApi.changePassword({ name, currentPassword, newPassword })
          }
          done={close}
        />
      )}
    </SettingsDrawer>
  );
}

/** Makes a token and shows it once. */
export function TokenForm({
  run,
  changed,
}: {
  run: (body: { id?: string; expiresIn?: number }) => Promise<{ token: string }>;
  changed: () => void;
}) {
  const [token, setToken] = useState<string>();
  if (token !== undefined)
    return (
      <Alert color="teal" variant="light" title={t('It is shown this once')}>
        <Stack gap="sm">
          <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
            {token}
          </Code>
          <CopyButton value={token}>
            {({ copied, copy }) => (
              <Button size="compact-sm" onClick={copy}>
                {copied ? t('Copied') : t('Copy')}
              </Button>
            )}
          </CopyButton>
        </Stack>
      </Alert>
    );
  return (
    <SettingsForm
      fields={tokenFields}
      initial={{}}
      action="Make the token"
      effect={({ expiresIn = '' }) =>
        expiresIn && !durationProblem(expiresIn)
          ? t('Anyone who has it may do what the account may, for {time}.', { time: expiresIn })
          : t('Anyone who has it may do what the account may, until it is deleted.')
      }
      run={async ({ id, expiresIn }) => {
        const made = await run({
          ...(id ? { id } : {}),
          ...(expiresIn ? { expiresIn: durationSeconds(expiresIn) } : {}),
        });
        setToken(made.token);
        changed();
      }}
      done={() => undefined}
    />
  );
}

export function TokenTable({
  tokens,
  remove,
  changed,
}: {
  tokens: readonly { id: string; issued: string | number | undefined; expires: string | number | undefined }[];
  remove: (id: string) => Promise<unknown>;
  changed: () => void;
}) {
  if (tokens.length === 0)
    return (
      <Text size="sm" className="soft" mt="xs">
        {t('No token.')}
      </Text>
    );
  return (
    <DataTable label={t('Tokens')} within heads={['Token', 'Made', 'Valid until', '']} verticalSpacing={4} fz="sm">
      {tokens.map(({ id, issued, expires }) => (
        <Table.Tr key={id}>
          <Table.Td className="mono" style={{ overflowWrap: 'anywhere' }}>
            {id}
          </Table.Td>
          <Table.Td>{day(issued)}</Table.Td>
          <Table.Td>{Number(expires ?? 0) > 0 ? day(expires) : t('for ever')}</Table.Td>
          <Table.Td ta="right">
            <ConfirmButton
              label={t('Delete')}
              title={t('Delete the token {id}', { id })}
              effect={t('Its users are refused from now on.')}
              run={() => remove(id)}
              done={changed}
            />
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}
