import { Code, List, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Project } from '../../api/model.ts';
import { destinationWords, kindWords, restParts, windowWords } from '../../applications/projects.ts';
import { t } from '../../i18n/texts.ts';

/** What a project permits: from where, to where, which kinds, when, and who. */
export function ProjectRules({ spec }: { spec: Project['spec'] }) {
  const nothing = t('none');
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} mt="sm">
      <Part title={t('Repositories')} items={spec.sourceRepos ?? []} empty={nothing} />
      <Part title={t('Destinations')} items={(spec.destinations ?? []).map(destinationWords)} empty={nothing} />
      <Part
        title={t('Cluster-scoped kinds')}
        items={(spec.clusterResourceWhitelist ?? []).map(kindWords)}
        empty={nothing}
      />
      <Part
        title={t('Refused kinds of namespaces')}
        items={(spec.namespaceResourceBlacklist ?? []).map(kindWords)}
        empty={nothing}
      />
      <Part title={t('Sync windows')} items={(spec.syncWindows ?? []).map(windowWords)} empty={t('always')} />
      <Part
        title={t('Roles')}
        items={(spec.roles ?? []).map(({ name, groups }) => (groups?.length ? `${name}: ${groups.join(', ')}` : name))}
        empty={nothing}
      />
      {restParts(spec).map(({ title, items }) => (
        <Part key={title} title={title} items={items} empty={nothing} />
      ))}
    </SimpleGrid>
  );
}

function Part({ title, items, empty }: { title: string; items: readonly string[]; empty: string }): ReactNode {
  return (
    <div>
      <Text size="sm" className="soft">
        {title}
      </Text>
      {items.length === 0 ? (
        <Text size="sm">{empty}</Text>
      ) : (
        <List size="sm" listStyleType="none">
          {items.map((item) => (
            <List.Item key={item}>
              <Code style={{ overflowWrap: 'anywhere', display: 'inline-block', maxWidth: '100%', marginBottom: 2 }}>
                {item}
              </Code>
            </List.Item>
          ))}
        </List>
      )}
    </div>
  );
}
