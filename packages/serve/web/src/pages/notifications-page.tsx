import { Button, Code, Group, Select, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import type { NotificationOverview, NotifiedObject } from '../api/model.ts';
import { ago } from '../browser/time.ts';
import { DataTable } from '../components/common/data-table.tsx';
import { DiagnosisPanel } from '../components/common/diagnosis-panel.tsx';
import { Failure } from '../components/common/failure.tsx';
import { Loading } from '../components/common/loading.tsx';
import { t } from '../i18n/texts.ts';

/** Who is told what, what was told last, what waits, and a test of a template. */
export function NotificationsPage() {
  const overview = useQuery({ queryKey: ['notifications'], queryFn: api.notifications, refetchInterval: 15_000 });
  const { data } = overview;
  const [before, after] = t('Nobody is subscribed. Annotate an object with {annotation}.').split('{annotation}');
  const kinds = data?.kinds ?? [];
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <Title order={2}>{t('Notifications')}</Title>
      {overview.isLoading && <Loading height={140} />}
      {overview.error && <Failure error={overview.error} retry={() => void overview.refetch()} />}
      {kinds.flatMap(({ configMap, problems }) =>
        problems.map((problem) => (
          <DiagnosisPanel key={`${configMap} ${problem.code} ${problem.message}`} diagnosis={problem} />
        )),
      )}
      {data && <Test overview={data} />}
      {data && kinds.every(({ objects }) => objects.length === 0) && (
        <Text className="soft">
          {before}
          <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
            notifications.argoproj.io/subscribe.TRIGGER.SERVICE: RECIPIENT
          </Code>
          {after}
        </Text>
      )}
      {kinds.flatMap(({ kind, objects }) =>
        objects.map((object) => (
          <Subscribed key={`${kind} ${object.namespace}/${object.name}`} kind={kind} object={object} />
        )),
      )}
    </Stack>
  );
}

function Subscribed({ kind, object }: { kind: string; object: NotifiedObject }) {
  const { name, namespace, subscriptions, told, waiting } = object;
  const now = Date.now();
  return (
    <div className="panel" style={{ padding: 16 }}>
      <Text fw={600}>{name}</Text>
      <Text size="sm" className="soft">
        {kind} · {namespace}
      </Text>
      <DataTable
        label={t('Subscriptions')}
        within
        heads={['Trigger', 'Service', 'Recipient', 'Last told', 'Not delivered']}
        verticalSpacing={4}
        fz="sm"
      >
        {subscriptions.map(({ trigger, service, recipient }) => {
          const last = told.find(
            ({ key }) => `:${key}`.includes(`:${trigger}:[`) && key.endsWith(`:${service}:${recipient}`),
          );
          const late = waiting.filter(
            (entry) => entry.trigger === trigger && entry.service === service && entry.recipient === recipient,
          );
          return (
            <Table.Tr key={`${trigger} ${service} ${recipient}`}>
              <Table.Td>{trigger}</Table.Td>
              <Table.Td>{service}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{recipient}</Table.Td>
              <Table.Td>{last ? ago(last.at, now) : <span className="soft">{t('never')}</span>}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                {late.length === 0 && <span className="soft">{t('nothing')}</span>}
                {late.map(({ id, at, problem, givenUp }) => (
                  <div key={id}>
                    {givenUp ? `${t('given up')}, ` : ''}
                    {ago(at, now)}
                    {problem && (
                      <>
                        {': '}
                        <Code mr={6}>{problem.code}</Code>
                        {problem.message}
                        {problem.remedy && <div>→ {problem.remedy}</div>}
                      </>
                    )}
                  </div>
                ))}
              </Table.Td>
            </Table.Tr>
          );
        })}
      </DataTable>
    </div>
  );
}

function Test({ overview }: { overview: NotificationOverview }) {
  const [template, setTemplate] = useState<string | null>(null);
  const [service, setService] = useState<string | null>(null);
  const [recipient, setRecipient] = useState('');
  const [kind, setKind] = useState('Application');
  const [name, setName] = useState('');
  const [namespace, setNamespace] = useState('');
  const { templates = [], services = [] } = overview.kinds.find((one) => one.kind === kind) ?? {};
  const [outcome, setOutcome] = useState<{ text: string; isWrong: boolean }>();
  const [busy, setBusy] = useState(false);
  const run = async (send: boolean) => {
    setBusy(true);
    try {
      const result = await api.tryNotification({ kind, name, namespace, template, service, recipient, send });
      setOutcome({ text: send ? t('The receiver took it.') : (result.notification?.message ?? ''), isWrong: false });
    } catch (error) {
      setOutcome({ text: error instanceof Error ? error.message : String(error), isWrong: true });
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="panel" style={{ padding: 16 }}>
      <Text fw={600}>{t('Send a test')}</Text>
      <Group align="flex-end" mt="xs" className="field-line">
        <Select
          label={t('Kind')}
          data={overview.kinds.map((one) => one.kind)}
          value={kind}
          onChange={(value) => {
            setKind(value ?? 'Application');
            setTemplate(null);
            setService(null);
          }}
        />
        <TextInput label={t('Name')} value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <TextInput
          label={t('Namespace')}
          value={namespace}
          onChange={(event) => setNamespace(event.currentTarget.value)}
        />
        <Select label={t('Template')} data={[...templates]} value={template} onChange={setTemplate} searchable />
        <Select
          label={t('Service')}
          data={services.map((one) => one.name)}
          value={service}
          onChange={setService}
          placeholder={services.length === 0 ? t('none is configured') : ''}
        />
        <TextInput
          label={t('Recipient')}
          value={recipient}
          onChange={(event) => setRecipient(event.currentTarget.value)}
        />
        <Button variant="default" loading={busy} disabled={!name || !template} onClick={() => void run(false)}>
          {t('Preview')}
        </Button>
        <Button loading={busy} disabled={!name || !template || !service} onClick={() => void run(true)}>
          {t('Send')}
        </Button>
      </Group>
      {outcome && (
        <Text mt="sm" size="sm" {...(outcome.isWrong ? { c: 'red' } : {})} style={{ whiteSpace: 'pre-wrap' }}>
          {outcome.text}
        </Text>
      )}
    </div>
  );
}
