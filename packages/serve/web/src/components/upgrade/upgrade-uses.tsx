import { Badge, CopyButton, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import type { ApiUse } from '../../api/upgrade.ts';
import { ago } from '../../browser/time.ts';
import { apiName, type UseGroup, whoUses } from '../../families/upgrade.ts';
import { t } from '../../i18n/texts.ts';
import { PageLink } from '../common/page-link.tsx';

/** What one application, or nobody known, uses of APIs that end. */
export function UpgradeUses({ group: { application, removed, uses } }: { group: UseGroup }) {
  return (
    <section className="panel upgrade-group" style={{ padding: 16 }}>
      <Group justify="space-between" mb="xs" gap="sm">
        <Text fw={650} component="h3" style={{ overflowWrap: 'anywhere' }}>
          {application ? (
            <PageLink to={`applications/${application}`} className="quiet-link">
              {application}
            </PageLink>
          ) : (
            t('Of no application')
          )}
        </Text>
        <Text size="sm" className="soft">
          {t('{removed} removed, {deprecated} deprecated', { removed, deprecated: uses.length - removed })}
        </Text>
      </Group>
      <Stack component="ul" gap="md" p={0} m={0} style={{ listStyle: 'none' }}>
        {uses.map((use) => (
          <Use
            key={JSON.stringify([use.api, use.origin, use.object, use.file, use.line, use.caller, use.manager])}
            use={use}
          />
        ))}
      </Stack>
    </section>
  );
}

function Use({ use }: { use: ApiUse }) {
  const { api, state, change, byHand, newerChart } = use;
  const facts = factsOf(use);
  return (
    <li>
      <Group gap="xs" align="baseline">
        <Badge color={state === 'removed' ? 'red' : 'yellow'} variant="light" tt="none" style={{ flexShrink: 0 }}>
          <span aria-hidden>{state === 'removed' ? '✕ ' : '! '}</span>
          {t(state)}
        </Badge>
        <Text span className="mono" size="sm" style={{ overflowWrap: 'anywhere' }}>
          {apiName(api)}
          {api.replacement && ` → ${apiName(api.replacement)}`}
        </Text>
      </Group>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {whoUses(use)}
      </Text>
      {facts.length > 0 && (
        <Text size="sm" className="soft" style={{ overflowWrap: 'anywhere' }}>
          {facts.join(' · ')}
        </Text>
      )}
      {newerChart && (
        <Text size="sm">
          →{' '}
          {newerChart.mends
            ? t('Version {version} of the chart does without it', { version: newerChart.version })
            : t('Version {version} of the chart still has it', { version: newerChart.version })}
        </Text>
      )}
      {byHand && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          → {t('To be changed by hand: {reason}', { reason: byHand })}
        </Text>
      )}
      {change && (
        <CopyButton value={change.patch}>
          {({ copied, copy }) => (
            <UnstyledButton onClick={copy} title={t('Copy the patch')} w="100%">
              <pre className="snippet mono">
                {`- ${change.before}\n+ ${change.after}${copied ? `\n— ${t('copied as a patch for git apply')} —` : ''}`}
              </pre>
            </UnstyledButton>
          )}
        </CopyButton>
      )}
    </li>
  );
}

function factsOf({ api, origin, file, line, commit, chart, manager, at, caller }: ApiUse): string[] {
  return [
    api.definition?.served && api.definition.warning,
    file && `${file}${line ? `:${line}` : ''}`,
    commit && `${commit.revision.slice(0, 12)} ${commit.author}`,
    chart && t('chart {chart}', { chart }),
    origin === 'live' && t('written by {manager}', { manager: manager ?? t('somebody') }),
    origin === 'stored' && t('stored in this version'),
    caller && t('called {count} times ({verbs})', { count: caller.count, verbs: caller.verbs.join(', ') }),
    caller?.pod && t('pod {pod}', { pod: caller.pod }),
    caller?.user,
    caller?.userAgent,
    at && ago(at, Date.now()),
  ].filter((fact): fact is string => Boolean(fact));
}
