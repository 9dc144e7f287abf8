import { Badge, Group, Progress, Stack, Text } from '@mantine/core';
import type { Rollout, RolloutRevision } from '../../api/families.ts';
import { ago } from '../../browser/time.ts';
import { t } from '../../i18n/texts.ts';

const colours: Readonly<Record<string, string>> = { stable: 'teal', active: 'teal', canary: 'yellow', preview: 'blue' };

/** The revisions side by side, newest first; those without pods in one line each below. */
export function RevisionCards({ rollout }: { rollout: Rollout }) {
  const { revisions } = rollout;
  const isShown = ({ roles, pods, wanted }: RolloutRevision) => roles.length > 0 || pods > 0 || wanted > 0;
  const old = revisions.filter((revision) => !isShown(revision));
  if (revisions.length === 0) return <Text className="soft">{t('It has no ReplicaSets yet.')}</Text>;
  return (
    <Stack gap="xs">
      <div className="revision-cards">
        {revisions.filter(isShown).map((revision) => (
          <Card key={revision.name} revision={revision} />
        ))}
      </div>
      {old.map(({ name, revision, images, created }) => (
        <Text key={name} size="sm" className="soft" style={{ overflowWrap: 'anywhere' }}>
          #{revision} · {images.join(', ')} · {t('no pods')} · {ago(created, Date.now())}
        </Text>
      ))}
    </Stack>
  );
}

function Card({ revision }: { revision: RolloutRevision }) {
  const { name, roles, images, wanted, pods, ready, available, created } = revision;
  const isWhole = available >= wanted;
  return (
    <article className="panel" style={{ padding: '14px 18px' }}>
      <Group justify="space-between" mb={6}>
        <Group gap="xs">
          <Text fw={650}>{t('Revision {revision}', { revision: revision.revision })}</Text>
          {roles.map((role) => (
            <Badge key={role} color={colours[role] ?? 'gray'} variant="light" tt="none">
              {t(role)}
            </Badge>
          ))}
        </Group>
        <Text size="xs" className="soft">
          {ago(created, Date.now())}
        </Text>
      </Group>
      {images.map((image) => (
        <Text key={image} className="mono" style={{ overflowWrap: 'anywhere' }}>
          {image}
        </Text>
      ))}
      <Text className="mono soft" mb="sm" style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
      <Progress
        value={wanted === 0 ? 0 : (100 * available) / wanted}
        color={isWhole ? 'teal' : 'yellow'}
        aria-label={t('Pods of revision {revision} that are available', { revision: revision.revision })}
      />
      <Text size="sm" mt={6}>
        {t('{available} of {wanted} available', { available, wanted })}
        <Text span className="soft" size="sm">
          {' '}
          · {t('{pods} pods, {ready} ready', { pods, ready })}
        </Text>
      </Text>
    </article>
  );
}
