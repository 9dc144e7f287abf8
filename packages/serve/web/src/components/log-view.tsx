import { Text } from '@mantine/core';
import { useState } from 'react';
import { type ApplicationRef, apiPath } from '../api/client.ts';
import type { TreeNode } from '../api/model.ts';
import { useStream } from '../api/use-stream.ts';

/** So many last lines are kept; older ones are in the cluster. */
const kept = 2_000;

/** The log of a container as it comes. */
export function LogView({
  reference,
  node,
  container,
}: {
  reference: ApplicationRef;
  node: TreeNode;
  container: string;
}) {
  const [lines, setLines] = useState<string[]>([]);
  const connected = useStream<{ content?: string; last?: boolean }>(
    apiPath(`applications/${encodeURIComponent(reference.name)}/pods/${encodeURIComponent(node.name)}/logs`, {
      appNamespace: reference.namespace,
      namespace: node.namespace,
      container,
      follow: true,
      tailLines: 500,
    }),
    ({ content, last }) => {
      if (!last) setLines((before) => [...before.slice(-kept + 1), content ?? '']);
    },
    () => setLines([]),
  );
  return (
    <>
      <pre className="snippet mono" style={{ maxHeight: '70vh', overflow: 'auto' }}>
        {lines.join('\n') || ' '}
      </pre>
      <Text size="xs" className="soft">
        {connected ? 'Live' : 'Not connected'}
      </Text>
    </>
  );
}
