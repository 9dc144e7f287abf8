import { useElementSize } from '@mantine/hooks';
import { timeTicks } from '../../plot/axis.ts';

export interface LaneMark {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of what lasts; without it the mark is a point. */
  readonly until?: number | undefined;
  /** A colour of the theme. */
  readonly colour: string;
  /** What it is, in words: shown where there is room, and read aloud. */
  readonly label: string;
  readonly symbol?: string | undefined;
}

export interface Lane {
  readonly id: string;
  readonly name: string;
  /** Steps to the right, for lanes that belong to one above. */
  readonly depth?: number | undefined;
  readonly marks: readonly LaneMark[];
}

/** What happened when, a lane for each subject: points and bars over time. A mark is a button where `onOpen` is there. */
export function LanePlot({
  label,
  lanes,
  from,
  to,
  onOpen,
  selected,
}: {
  label: string;
  lanes: readonly Lane[];
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  onOpen?: ((mark: LaneMark) => void) | undefined;
  selected?: string | undefined;
}) {
  const { ref, width } = useElementSize();
  const place = (at: number) => (100 * (Math.min(to, Math.max(from, at)) - from)) / Math.max(1, to - from);
  const ticks = timeTicks({ from, to, most: Math.max(2, Math.floor((width * 0.8) / 80)) });
  return (
    <section className="lane-plot" aria-label={label} ref={ref}>
      <div className="lane-axis" aria-hidden="true">
        <div>
          {ticks.map(({ at, text }) => (
            <span key={at} style={{ left: `${place(at)}%` }}>
              {text}
            </span>
          ))}
        </div>
      </div>
      <ul>
        {lanes.map(({ id, name, depth = 0, marks }) => (
          <li key={id} className="lane">
            <div className="lane-name" title={name} style={{ paddingLeft: depth * 14 }}>
              {name}
            </div>
            <div className="lane-marks">
              {ticks.map(({ at }) => (
                <i key={at} className="lane-tick" style={{ left: `${place(at)}%` }} />
              ))}
              {marks
                .filter(({ at, until }) => (until ?? at) >= from && at <= to)
                .map((mark) => (
                  <Mark
                    key={mark.id}
                    mark={mark}
                    left={place(mark.at)}
                    wide={mark.until === undefined ? undefined : place(mark.until) - place(mark.at)}
                    open={onOpen}
                    chosen={mark.id === selected}
                  />
                ))}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Mark({
  mark,
  left,
  wide,
  open,
  chosen,
}: {
  mark: LaneMark;
  left: number;
  wide: number | undefined;
  open: ((mark: LaneMark) => void) | undefined;
  chosen: boolean;
}) {
  const { colour, label, symbol } = mark;
  const look = {
    className: wide === undefined ? 'lane-mark point' : 'lane-mark span',
    style: {
      left: `${left}%`,
      ...(wide === undefined ? {} : { width: `max(4px, ${wide}%)` }),
      ['--mark' as string]: `var(--mantine-color-${colour}-6)`,
    },
    title: label,
    'data-selected': chosen || undefined,
  };
  return open ? (
    <button type="button" {...look} aria-label={label} onClick={() => open(mark)}>
      {symbol}
    </button>
  ) : (
    <span role="img" {...look} aria-label={label}>
      {symbol}
    </span>
  );
}
