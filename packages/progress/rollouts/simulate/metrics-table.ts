import type { Metric, Reading } from '@tiphys/analysis';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { goDuration } from '@tiphys/go';

const invalid = defineDiagnosis(
  'SimulationMetricsInvalid',
  'The table of metrics of a simulation cannot be read, or has no column for a metric that is measured.',
);

interface Row {
  /** Milliseconds since the update. */
  readonly at: number;
  readonly cells: readonly string[];
}

/** Most rows of a table. */
const maxRows = 100_000;

/**
 * What metrics say at which time: a table whose first column is a time since the update (`90s`, `5m`, or seconds), and whose others
 * are named as metrics. A value stands until the next row; cells are numbers, JSON, or text.
 */
export class MetricsTable {
  readonly #names: readonly string[];
  readonly #rows: readonly Row[];

  private constructor(names: readonly string[], rows: readonly Row[]) {
    this.#names = names;
    this.#rows = rows;
  }

  /** Reads CSV without quotes: cells are parted by commas, or by semicolons where JSON needs commas. Throws with the line. */
  static parse(text: string, file: string): MetricsTable {
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
    const [header = ''] = lines;
    const separator = header.includes(';') ? ';' : ',';
    const [, ...names] = header.split(separator).map((name) => name.trim());
    if (names.length === 0 || lines.length > maxRows)
      throw failure(invalid, {
        message: `${file} is no table of metrics`,
        remedies: ['Begin it with a line such as time,error-rate,latency'],
      });
    const rows = lines.slice(1).map((line, index): Row => {
      const [time = '', ...cells] = line.split(separator).map((cell) => cell.trim());
      return { at: timeOf(time, { file, line: index + 2 }), cells };
    });
    return new MetricsTable(
      names,
      rows.toSorted((a, b) => a.at - b.at),
    );
  }

  /** What a provider would answer about a metric so many milliseconds after the update. Throws if the table does not say. */
  reading(metric: Metric, at: number): Reading {
    const column = this.#names.indexOf(metric.name);
    const row = this.#rows.findLast((candidate) => candidate.at <= at && candidate.cells[column] !== undefined);
    const cell = column < 0 ? undefined : row?.cells[column];
    if (cell === undefined)
      throw failure(invalid, {
        message: `The table does not say what metric ${metric.name} is ${at / 1000}s after the update`,
        evidence: { columns: this.#names.join(', ') },
        remedies: [`Add a column ${metric.name} with a row for that time or before it`],
      });
    const value = valueOfCell(cell);
    // Prometheus answers queries with lists
    const isList = metric.provider.prometheus !== undefined && typeof value === 'number';
    return { value: isList ? `[${cell}]` : cell, result: isList ? [value] : value };
  }
}

function timeOf(text: string, place: { file: string; line: number }): number {
  const seconds = Number(text);
  if (text !== '' && !Number.isNaN(seconds)) return seconds * 1000;
  const milliseconds = goDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  throw failure(invalid, {
    message: `${JSON.stringify(text)} is no time since the update`,
    place,
    remedies: ['Write seconds, or a duration such as 5m30s'],
  });
}

function valueOfCell(cell: string): unknown {
  if (cell === 'NaN') return Number.NaN;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}
