import { Button, Checkbox, Group, Modal, Select, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type ApplicationRef, apiPath, type RequestError } from '../../api/client.ts';
import { useJsonLines } from '../../api/use-json-lines.ts';
import { useSearch } from '../../browser/router.ts';
import { useNarrow } from '../../browser/use-narrow.ts';
import { t } from '../../i18n/texts.ts';
import { type LogLine, levels, logLine } from '../../objects/log-lines.ts';
import { Failure } from '../common/failure.tsx';

/** So many last lines are kept; older ones are in the cluster. */
const kept = 100_000;
/** Milliseconds between two drawings of what came: the places of all lines are found anew at each. */
const pauseAfter = (lines: number) => 100 + Math.floor(lines / 100);
const sinces = [
  ['', 'All'],
  ['300', '5 minutes'],
  ['3600', '1 hour'],
  ['86400', '1 day'],
] as const;

/** Whose logs: of one pod, of the pods of an object, or of all of the application. */
export interface LogSubject {
  readonly kind?: string;
  readonly group?: string;
  readonly name?: string;
  readonly namespace?: string;
}

interface LogViewProps {
  reference: ApplicationRef;
  subject: LogSubject;
  container?: string;
}

/** The log of containers as it comes: searched by the server, drawn as far as it is seen. */
export function LogView(props: LogViewProps) {
  const [search, changeSearch] = useSearch();
  const full = search.get('logFull') === 'true';
  const setFull = (on: boolean) => changeSearch({ logFull: on ? 'true' : undefined });
  return full ? (
    <Modal opened onClose={() => setFull(false)} fullScreen title={t('Logs')}>
      <LogPane {...props} height="calc(100vh - 190px)" full={full} setFull={setFull} />
    </Modal>
  ) : (
    <LogPane {...props} height="60vh" full={full} setFull={setFull} />
  );
}

/** What is looked for is in the address, so that it can be sent to somebody. */
function useLogSearch() {
  const [search, changeSearch] = useSearch();
  const is = (name: string) => search.get(name) === 'true';
  const turn = (name: string) => (on: boolean) => changeSearch({ [name]: on ? 'true' : undefined });
  return {
    filter: search.get('logText') ?? '',
    setFilter: (text: string) => changeSearch({ logText: text }),
    since: sinces.find(([value]) => value === search.get('logSince'))?.[0] ?? '',
    setSince: (since: string) => changeSearch({ logSince: since }),
    level: levels.find((value) => value === search.get('logLevel')) ?? '',
    setLevel: (level: string) => changeSearch({ logLevel: level }),
    pod: search.get('logPod') ?? '',
    setPod: (pod: string) => changeSearch({ logPod: pod }),
    matchCase: is('logCase'),
    setMatchCase: turn('logCase'),
    regex: is('logRegex'),
    setRegex: turn('logRegex'),
    previous: is('logPrevious'),
    setPrevious: turn('logPrevious'),
  } as const;
}

interface LogPaneProps extends LogViewProps {
  height: string;
  full: boolean;
  setFull: (full: boolean) => void;
}

function LogPane({ reference, subject, container, height, full, setFull }: LogPaneProps) {
  const wanted = useLogSearch();
  const { filter, matchCase, regex, since, previous, level, pod } = wanted;
  const [grep] = useDebouncedValue(filter, 300);
  const [follow, setFollow] = useState(true);
  const [wrap, setWrap] = useState(true);
  const [times, setTimes] = useState(false);
  const narrow = useNarrow();
  const [chosen, setChosen] = useState(false);
  const options = !narrow || chosen;
  const query = {
    appNamespace: reference.namespace,
    namespace: subject.namespace,
    kind: subject.kind,
    group: subject.group,
    resourceName: subject.name,
    container,
    filter: grep,
    matchCase: matchCase || undefined,
    regex: regex || undefined,
    sinceSeconds: since,
    previous: previous || undefined,
  };
  const path = `applications/${encodeURIComponent(reference.name)}/logs`;
  const {
    lines,
    pods: seen,
    connected,
    refused,
    clear,
  } = useLines(
    apiPath(path, { ...query, follow: follow && !previous, tailLines: since ? undefined : 5000 }),
    follow && !previous,
  );
  const shown = useMemo(() => {
    const least = level ? levels.indexOf(level) : -1;
    if (least < 0 && pod === '') return lines;
    return lines.filter(
      (line) => (pod === '' || line.pod === pod) && (least < 0 || (line.level && levels.indexOf(line.level) >= least)),
    );
  }, [lines, level, pod]);
  const pods = [...new Set([...(pod ? [pod] : []), ...seen])].sort();
  return (
    <div className="logs">
      <Group gap="xs" mb="xs">
        <TextInput
          size="xs"
          placeholder={t('Search; ! in front excludes')}
          aria-label={t('Search in the log')}
          value={filter}
          onChange={(event) => wanted.setFilter(event.currentTarget.value)}
          style={{ flex: '1 1 180px' }}
        />
        {narrow && (
          <Button size="xs" variant="default" aria-expanded={options} onClick={() => setChosen(!chosen)}>
            {t('Options')}
          </Button>
        )}
        {narrow && <Status count={shown.length} connected={connected} />}
        {options && (
          <>
            <Select
              size="xs"
              w={110}
              aria-label={t('Since')}
              data={sinces.map(([value, label]) => ({ value, label: t(label) }))}
              value={since}
              allowDeselect={false}
              onChange={(value) => wanted.setSince(value ?? '')}
            />
            <Select
              size="xs"
              w={110}
              aria-label={t('Level')}
              data={[{ value: '', label: t('All levels') }, ...levels.map((value) => ({ value, label: `≥ ${value}` }))]}
              value={level}
              allowDeselect={false}
              onChange={(value) => wanted.setLevel(value ?? '')}
            />
            {pods.length > 1 && (
              <Select
                size="xs"
                w={220}
                aria-label={t('Pod')}
                searchable
                data={[{ value: '', label: t('All {count} pods', { count: pods.length }) }, ...pods]}
                value={pod}
                allowDeselect={false}
                onChange={(value) => wanted.setPod(value ?? '')}
              />
            )}
            <Button
              size="xs"
              variant="default"
              component="a"
              href={apiPath(path, { ...query, follow: false, download: true })}
              download
            >
              {t('Download')}
            </Button>
            <Button size="xs" variant="default" onClick={() => setFull(!full)}>
              {full ? t('Leave full screen') : t('Full screen')}
            </Button>
          </>
        )}
      </Group>
      <Group gap="md" mb="xs" display={options ? undefined : 'none'}>
        <Check label={t('Follow')} on={follow} set={setFollow} />
        <Check label={t('Previous container')} on={previous} set={wanted.setPrevious} />
        <Check label={t('Match case')} on={matchCase} set={wanted.setMatchCase} />
        <Check label={t('Regular expression')} on={regex} set={wanted.setRegex} />
        <Check label={t('Wrap')} on={wrap} set={setWrap} />
        <Check label={t('Time stamps')} on={times} set={setTimes} />
        <Button size="compact-xs" variant="subtle" onClick={clear}>
          {t('Clear')}
        </Button>
        {!narrow && <Status count={shown.length} connected={connected} />}
      </Group>
      {refused && <Failure error={refused} />}
      <Lines
        lines={shown}
        wrap={wrap}
        times={times}
        follow={follow}
        height={height}
        empty={
          refused
            ? ''
            : grep || level || pod
              ? t('No line matches.')
              : connected
                ? t('No line yet.')
                : t('Nothing was written.')
        }
      />
    </div>
  );
}

function Status({ count, connected }: { count: number; connected: boolean }) {
  return (
    <Text size="xs" className="soft" role="status">
      {count === 1 ? t('1 line') : t('{count} lines', { count })} · {connected ? t('Live') : t('Not connected')}
    </Text>
  );
}

function Check({ label, on, set }: { label: string; on: boolean; set: (on: boolean) => void }) {
  return <Checkbox size="xs" label={label} checked={on} onChange={(event) => set(event.currentTarget.checked)} />;
}

const podsOf = (lines: readonly LogLine[]) => new Set(lines.map(({ pod }) => pod).filter(Boolean));

interface Entry {
  readonly content?: string;
  readonly last?: boolean;
  readonly podName?: string;
  readonly timeStampStr?: string;
}

/** Lines of a stream, drawn a few times a second; a stream that does not follow is read once. */
function useLines(url: string, follow: boolean) {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [ended, setEnded] = useState('');
  const [refusal, setRefusal] = useState<{ url: string; error: RequestError }>();
  const buffer = useRef<LogLine[]>([]);
  const [pods, setPods] = useState<ReadonlySet<string>>(new Set());
  const count = useRef(0);
  /** About how many lines are drawn. */
  const shown = useRef(0);
  const clear = () => {
    buffer.current = [];
    shown.current = 0;
    setLines([]);
  };
  const connected = useJsonLines<Entry>(ended === url ? undefined : url, {
    take: (entries) => {
      for (const { content = '', last, podName = '', timeStampStr = '' } of entries) {
        if (last) {
          if (!follow) setEnded(url);
          continue;
        }
        count.current += 1;
        buffer.current.push(logLine(content, { number: count.current, pod: podName, time: timeStampStr }));
      }
    },
    begin: clear,
    refused: (error) => {
      clear();
      setRefusal({ url, error });
    },
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const draw = () => {
      const fresh = buffer.current.splice(0);
      if (fresh.length > 0) {
        setLines((before) => before.concat(fresh).slice(-kept));
        setPods((before) =>
          fresh.every(({ pod }) => pod === '' || before.has(pod)) ? before : before.union(podsOf(fresh)),
        );
      }
      shown.current = fresh.length === 0 ? shown.current : Math.min(kept, shown.current + fresh.length);
      timer = setTimeout(draw, pauseAfter(shown.current));
    };
    draw();
    return () => clearTimeout(timer);
  }, []);
  return { lines, pods, connected, refused: refusal?.url === url ? refusal.error : undefined, clear };
}

/** Rows that take turns; more where more are seen at once. */
const slotsAtLeast = 96;

interface LinesProps {
  lines: readonly LogLine[];
  wrap: boolean;
  times: boolean;
  follow: boolean;
  height: string;
  /** What is said where there is no line. */
  empty?: string;
}

export function Lines({ lines, wrap, times, follow, height, empty }: LinesProps) {
  const host = useRef<HTMLElement>(null);
  const seen = useRef(lines);
  seen.current = lines;
  // another function would make it find the places of all lines anew, at each step of a scroll
  const getItemKey = useCallback((index: number) => seen.current[index]?.number ?? index, []);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => host.current,
    estimateSize: () => 19,
    // each step of a scroll draws them too
    overscan: 8,
    getItemKey,
  });
  const atEnd = useRef(true);
  useEffect(() => {
    if (follow && atEnd.current && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [follow, lines.length, virtual]);
  const [width, setWidth] = useState(0);
  const [measuring, setMeasuring] = useState(0);
  const { measure } = virtual;
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // what was measured holds for one width and one way to write a line
  // biome-ignore lint/correctness/useExhaustiveDependencies: they decide how high lines are
  useLayoutEffect(() => {
    measure();
    setMeasuring((before) => before + 1);
  }, [measure, width, wrap, times]);
  const resize = virtual.resizeItem;
  const drawn = virtual.getVirtualItems();
  const slots = Math.max(slotsAtLeast, drawn.length);
  const several = useMemo(() => new Set(lines.slice(0, 500).map(({ pod }) => pod)).size > 1, [lines]);
  return (
    <section
      ref={host}
      className="log-lines mono"
      aria-label={t('Log')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
      tabIndex={0}
      style={{ height }}
      onScroll={({ currentTarget }) => {
        atEnd.current = currentTarget.scrollHeight - currentTarget.scrollTop - currentTarget.clientHeight < 40;
      }}
    >
      {lines.length === 0 && empty && <p className="soft log-empty">{empty}</p>}
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {drawn.map(({ index, start }) => {
          const line = lines[index];
          if (!line) return null;
          return (
            <Line
              // a row that is scrolled away becomes the one that comes: to write another text into it costs less than to make one
              key={index % slots}
              line={line}
              index={index}
              start={start}
              wrap={wrap}
              times={times}
              several={several}
              measuring={measuring}
              resize={resize}
            />
          );
        })}
      </div>
    </section>
  );
}

interface LineProps {
  line: LogLine;
  index: number;
  start: number;
  wrap: boolean;
  times: boolean;
  several: boolean;
  /** Another number when all heights are to be told again. */
  measuring: number;
  resize: (index: number, height: number) => void;
}

const Line = memo(function Line({ line, index, start, wrap, times, several, measuring, resize }: LineProps) {
  const row = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: all of them decide how high it is
  useLayoutEffect(() => {
    if (wrap && row.current) resize(index, row.current.offsetHeight);
  }, [line, index, wrap, times, several, measuring, resize]);
  return (
    <div
      ref={row}
      className="log-line"
      data-level={line.level}
      data-wrap={wrap || undefined}
      style={{ transform: `translateY(${start}px)` }}
    >
      {times && <span className="soft">{line.time.slice(0, 23)} </span>}
      {several && <span className="log-pod">{line.pod} </span>}
      {line.parts
        ? line.parts.map(({ text, colour, bold }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the stretches of a line are known by their order
            <span key={place} className="log-part" data-colour={colour} data-bold={bold}>
              {text}
            </span>
          ))
        : line.text}
    </div>
  );
});
