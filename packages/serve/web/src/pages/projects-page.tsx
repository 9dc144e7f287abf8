import { Code, List, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../api/client.ts';
import type { Project } from '../api/model.ts';
import { Failure } from '../components/failure.tsx';
import { destinationWords, kindWords, restParts, windowWords } from '../projects.ts';

/** All projects that the user may see: what may be delivered from where to where, when, and by whom. */
export function ProjectsPage() {
  const list = useQuery({ queryKey: ['projects'], queryFn: api.projects, refetchInterval: 30_000 });
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <Title order={2}>Projects</Title>
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.isLoading && <Skeleton height={160} radius="md" />}
      {list.data?.length === 0 && <Text className="soft">No project that you may see.</Text>}
      {list.data?.map((project) => (
        <ProjectPanel key={project.metadata.name} project={project} />
      ))}
    </Stack>
  );
}

function ProjectPanel({ project: { metadata, spec } }: { project: Project }) {
  const nothing = 'none';
  return (
    <section className="panel" style={{ padding: 16 }} aria-labelledby={`project-${metadata.name}`}>
      <Text fw={600} id={`project-${metadata.name}`} style={{ overflowWrap: 'anywhere' }}>
        {metadata.name}
      </Text>
      {spec.description && <Text size="sm">{spec.description}</Text>}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} mt="sm">
        <Part title="Repositories" items={spec.sourceRepos ?? []} empty={nothing} />
        <Part title="Destinations" items={(spec.destinations ?? []).map(destinationWords)} empty={nothing} />
        <Part
          title="Cluster-scoped kinds"
          items={(spec.clusterResourceWhitelist ?? []).map(kindWords)}
          empty={nothing}
        />
        <Part
          title="Refused kinds of namespaces"
          items={(spec.namespaceResourceBlacklist ?? []).map(kindWords)}
          empty={nothing}
        />
        <Part title="Sync windows" items={(spec.syncWindows ?? []).map(windowWords)} empty="always" />
        <Part
          title="Roles"
          items={(spec.roles ?? []).map(({ name, groups }) =>
            groups?.length ? `${name}: ${groups.join(', ')}` : name,
          )}
          empty={nothing}
        />
        {restParts(spec).map(({ title, items }) => (
          <Part key={title} title={title} items={items} empty={nothing} />
        ))}
      </SimpleGrid>
    </section>
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
