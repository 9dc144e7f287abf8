import { Badge, Button, Group, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { type UpgradeReport, upgradeApi } from '../api/upgrade.ts';
import { useSearch } from '../browser/router.ts';
import { Failure } from '../components/common/failure.tsx';
import { Loading } from '../components/common/loading.tsx';
import { SettingsHead } from '../components/settings/settings-head.tsx';
import { UpgradeUses } from '../components/upgrade/upgrade-uses.tsx';
import { groupReadiness, groupUses, isRelease, nextRelease, type ReadinessGroup } from '../families/upgrade.ts';
import { t } from '../i18n/texts.ts';

const own = 'https://kubernetes.default.svc';

/** What an upgrade of a cluster will break: who uses APIs that end, by application, and what to see to before. */
export function UpgradePage() {
  const [search, changeSearch] = useSearch();
  const clusters = useQuery({ queryKey: ['clusters'], queryFn: api.clusters });
  const server = search.get('cluster') ?? own;
  const cluster = clusters.data?.find((each) => each.server === server);
  const version = cluster?.info.serverVersion;
  const to = search.get('to') ?? nextRelease(version);
  const report = useQuery({
    queryKey: ['upgrade', server, to],
    queryFn: () => upgradeApi.check(to, server === own ? undefined : server),
    enabled: isRelease(to),
    staleTime: 60_000,
  });
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <SettingsHead
        title="Upgrade of Kubernetes"
        about="Who uses APIs that a release removes or deprecates, and what to see to before."
      />
      <Group gap="sm" align="flex-end">
        {clusters.data && clusters.data.length > 1 && (
          <Select
            label={t('Cluster')}
            data={clusters.data.map(({ name, server: value }) => ({ value, label: name }))}
            value={server}
            allowDeselect={false}
            onChange={(value) =>
              changeSearch({ cluster: value === own ? undefined : (value ?? undefined), to: undefined })
            }
          />
        )}
        <TargetField key={to} to={to} change={(next) => changeSearch({ to: next })} />
        {version && (
          <Text size="sm" className="soft" pb={8}>
            {t('It runs {version} now.', { version })}
          </Text>
        )}
      </Group>
      {clusters.error && <Failure error={clusters.error} retry={() => void clusters.refetch()} />}
      {report.error && <Failure error={report.error} retry={() => void report.refetch()} />}
      {report.isLoading && <Loading height={240} />}
      {report.data && <Report report={report.data} />}
    </Stack>
  );
}

function TargetField({ to, change }: { to: string; change: (to: string) => void }) {
  const [text, setText] = useState(to);
  const wrong = text !== '' && !isRelease(text);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isRelease(text)) change(text);
      }}
    >
      <Group gap="xs" align="flex-end">
        <TextInput
          label={t('To release')}
          placeholder="1.35"
          value={text}
          onChange={(event) => setText(event.currentTarget.value.trim())}
          error={wrong ? t('Major and minor number, such as 1.35') : undefined}
          w={160}
        />
        <Button type="submit" variant="default" disabled={!isRelease(text)}>
          {t('Check')}
        </Button>
      </Group>
    </form>
  );
}

function Report({ report: { target, uses, readiness, unseen } }: { report: UpgradeReport }) {
  const removed = uses.filter(({ state }) => state === 'removed').length;
  return (
    <>
      <Text role="status">
        {uses.length === 0
          ? t('Nothing that is known uses an API that Kubernetes {target} removes or deprecates.', { target })
          : t('Kubernetes {target}: {removed} uses of what it does not serve, {deprecated} of what is deprecated.', {
              target,
              removed,
              deprecated: uses.length - removed,
            })}
      </Text>
      {groupUses(uses).map((group) => (
        <UpgradeUses key={group.application} group={group} />
      ))}
      {readiness.length > 0 && (
        <Stack gap="sm">
          <Title order={3}>{t('Before the upgrade')}</Title>
          {groupReadiness(readiness).map((group) => (
            <Readiness key={group.code} group={group} />
          ))}
        </Stack>
      )}
      {unseen.length > 0 && (
        <div>
          <Title order={3}>{t('Not seen')}</Title>
          <ul>
            {unseen.map((each) => (
              <li key={each} style={{ overflowWrap: 'anywhere' }}>
                {each}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** What one check found, with what can be done told once. */
function Readiness({ group: { code, found, remedies } }: { group: ReadinessGroup }) {
  return (
    <section className="panel upgrade-readiness" style={{ padding: 16 }}>
      <Badge size="sm" variant="light" color="gray" tt="none">
        {code}
      </Badge>
      <ul style={{ margin: '8px 0', paddingLeft: 20 }}>
        {found.map(({ message, application }) => (
          <li key={message} style={{ overflowWrap: 'anywhere' }}>
            {message}
            {application && <span className="soft"> · {application}</span>}
          </li>
        ))}
      </ul>
      {remedies.map((remedy) => (
        <Text size="sm" key={remedy}>
          → {remedy}
        </Text>
      ))}
    </section>
  );
}
