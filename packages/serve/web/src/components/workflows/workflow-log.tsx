import { Button, Checkbox, Group, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { ApplicationRef } from '../../api/client.ts';
import { logAddress } from '../../api/flow.ts';
import { readJsonLines } from '../../api/json-lines.ts';
import { t } from '../../i18n/texts.ts';
import { type LogLine, logLine } from '../../objects/log-lines.ts';
import { Failure } from '../common/failure.tsx';
import { Lines } from '../logs/log-view.tsx';

/** So many last lines are kept. */
const kept = 100_000;

/** The log of a pod of a workflow, or of all of them where none is named: searched by the server, followed while it is written. */
export function WorkflowLog({
  reference,
  podName,
  runs,
}: {
  reference: ApplicationRef;
  podName: string;
  runs: boolean;
}) {
  const [text, setText] = useState('');
  const [grep] = useDebouncedValue(text, 300);
  const [follow, setFollow] = useState(runs);
  const [turn, setTurn] = useState(0);
  const { lines, state, error } = useLines(logAddress(reference, { podName, grep, follow }), turn);
  return (
    <div className="logs">
      <Group gap="sm" mb="xs">
        <TextInput
          size="xs"
          placeholder={t('Search')}
          aria-label={t('Search in the log')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          style={{ flex: '1 1 180px' }}
        />
        <Checkbox
          size="xs"
          label={t('Follow')}
          checked={follow}
          onChange={(event) => setFollow(event.currentTarget.checked)}
        />
        <Button size="xs" variant="default" onClick={() => setTurn(turn + 1)}>
          {t('Read again')}
        </Button>
        <Text size="xs" className="soft" role="status">
          {lines.length === 1 ? t('1 line') : t('{count} lines', { count: lines.length })} · {t(state)}
        </Text>
      </Group>
      {error !== undefined && <Failure error={error} />}
      <Lines lines={lines} wrap times={false} follow={follow} height="46vh" />
    </div>
  );
}

/** Lines as they come, drawn ten times a second. */
function useLines(url: string, turn: number) {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [state, setState] = useState<'reading' | 'at its end'>('reading');
  const [error, setError] = useState<Error>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn reads anew
  useEffect(() => {
    const abort = new AbortController();
    let fresh: LogLine[] = [];
    let count = 0;
    setLines([]);
    setState('reading');
    setError(undefined);
    const draw = () => {
      if (fresh.length === 0) return;
      const more = fresh;
      fresh = [];
      setLines((before) => [...before, ...more].slice(-kept));
    };
    const timer = setInterval(draw, 100);
    readJsonLines<Entry>(url, abort.signal, (entries) => {
      for (const { content = '', podName = '' } of entries) {
        count += 1;
        fresh.push(logLine(content, { number: count, pod: podName, time: '' }));
      }
    })
      .then(() => setState('at its end'))
      .catch((failed: Error) => {
        if (!abort.signal.aborted) setError(failed);
      })
      .finally(draw);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [url, turn]);
  return { lines, state, error };
}

interface Entry {
  readonly content?: string;
  readonly podName?: string;
}
