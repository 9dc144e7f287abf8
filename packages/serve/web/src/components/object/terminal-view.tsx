import '@xterm/xterm/css/xterm.css';
import { Button, Group, Stack, Text } from '@mantine/core';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { useEffect, useRef, useState } from 'react';
import { type ApplicationRef, terminalAddress } from '../../api/client.ts';
import type { TreeNode } from '../../api/model.ts';
import { t } from '../../i18n/texts.ts';

type State = { word: 'connecting' | 'open' } | { word: 'ended'; why: string };

/** A shell in a container of a pod, in colours of its own whatever the page has. */
export function TerminalView({
  reference,
  project,
  pod,
  container,
}: {
  reference: ApplicationRef;
  project: string;
  pod: TreeNode;
  container: string;
}) {
  const host = useRef<HTMLDivElement>(null);
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<State>({ word: 'connecting' });
  const { name, namespace } = reference;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt opens a terminal of its own
  useEffect(() => {
    if (!host.current) return undefined;
    const address = (scheme: 'ws' | 'http') => terminalAddress({ name, namespace }, project, pod, container, scheme);
    setState({ word: 'connecting' });
    const terminal = new Terminal({ cursorBlink: true, fontSize: 13, screenReaderMode: true });
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    terminal.open(host.current);
    const socket = new WebSocket(address('ws'));
    const send = (message: object) => socket.readyState === socket.OPEN && socket.send(JSON.stringify(message));
    const resize = () => {
      fit.fit();
      send({ operation: 'resize', data: '', rows: terminal.rows, cols: terminal.cols });
    };
    const observer = new ResizeObserver(resize);
    let opened = false;
    let left = false;
    socket.onopen = () => {
      opened = true;
      setState({ word: 'open' });
      resize();
      terminal.focus();
    };
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as { operation?: string; data?: string; Code?: number };
      if (message.operation === 'stdout') terminal.write(message.data ?? '');
      if (message.Code === 1) setAttempt((before) => before + 1);
    };
    socket.onclose = () => {
      terminal.options.disableStdin = true;
      if (left) return;
      if (opened) setState({ word: 'ended', why: t('The shell has ended.') });
      else
        void refusalOf(address('http')).then((why) => {
          if (!left) setState({ word: 'ended', why });
        });
    };
    terminal.onData((data) => send({ operation: 'stdin', data, rows: terminal.rows, cols: terminal.cols }));
    observer.observe(host.current);
    return () => {
      left = true;
      observer.disconnect();
      socket.close();
      terminal.dispose();
    };
  }, [name, namespace, project, pod.uid, container, attempt]);
  return (
    <Stack gap="xs">
      <section className="terminal" aria-label={t('Terminal in {container} of {pod}', { container, pod: pod.name })}>
        <div ref={host} />
      </section>
      <Group gap="sm">
        <Text size="sm" className="soft" role="status">
          {state.word === 'ended' ? state.why : state.word === 'open' ? t('Connected') : t('Connecting …')}
        </Text>
        {state.word === 'ended' && (
          <Button size="xs" variant="default" onClick={() => setAttempt(attempt + 1)}>
            {t('Open again')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** What the server says in the place of a terminal: browsers keep it to themselves, so it is asked for again. */
async function refusalOf(address: string): Promise<string> {
  try {
    const answer = await fetch(address, { credentials: 'same-origin' });
    const text = (await answer.text()).trim();
    return answer.status === 400 && text === 'A terminal needs a WebSocket'
      ? t('The connection was closed: a proxy in front of the server may not let WebSockets through.')
      : text || t('The server answered with status {status}.', { status: answer.status });
  } catch {
    return t('No answer: the server is not running, or the network is down.');
  }
}
