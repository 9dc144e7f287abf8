/** What a badge shows. Texts are escaped here. */
export interface Badge {
  readonly health: string;
  /** Empty for something that was not found. */
  readonly sync: string;
  /** Shown behind the status, in parentheses; absent for none. */
  readonly revision?: string;
  /** Shown above the status; absent for none. */
  readonly title?: string;
  /** In pixels; absent for the width that the content has. */
  readonly width?: number;
}

const colours: Record<string, string> = {
  Degraded: 'rgb(167, 46, 38)',
  Healthy: 'rgb(11, 97, 42)',
  Missing: 'rgb(115, 31, 77)',
  Progressing: 'rgb(16, 61, 102)',
  Suspended: 'rgb(41, 52, 61)',
  Unknown: 'rgb(115, 31, 77)',
  Synced: 'rgb(11, 97, 42)',
  OutOfSync: 'rgb(189, 115, 0)',
};
const grey = 'rgb(41, 52, 61)';

const plainWidth = 131;
const leftWidth = 77;
const rowHeight = 20;

/** Draws a badge with the measures, colours and ids of Argo CD's, so that pages which take it apart go on to work. */
export function badgeSvg(badge: Badge, colourOf: { health: string; sync: string } = badge): string {
  const { revision, title } = badge;
  const natural = revision === undefined ? plainWidth : revision.length > 7 ? 400 : 192;
  const row = badge.width ?? natural;
  const width = title === undefined ? row : Math.max(title.length * 6, row);
  const top = title === undefined ? 0 : rowHeight;
  const base = title === undefined ? 130 : 330;
  const height = title === undefined ? rowHeight : 2 * rowHeight;
  const stretched = title !== undefined || (revision === undefined && badge.width !== undefined);
  const left = colours[colourOf.health] ?? grey;
  const right = colours[colourOf.sync] ?? grey;
  const shown = revision === undefined ? 'none' : 'inline';
  const revisionX = plainWidth * 10 + (((revision?.length ?? 0) + 1) * 62) / 2;
  return `<svg width="${width}" height="${height}" xmlns="http://www.w3.org/2000/svg">
    <clipPath id="roundedCorners">
        <rect width="100%" height="100%" rx="3" opacity="1" />
    </clipPath>
    <g clip-path="url(#roundedCorners)">
        <rect id="titleRect" fill="#29343D" x="0" y="0" width="${title === undefined ? 0 : width}" height="20" />
        <rect id="leftRect" fill="${left}" x="0" y="${top}" width="${leftWidth}" height="20" />
        <rect id="rightRect" fill="${right}" x="${leftWidth}" y="${top}" width="${stretched ? width - leftWidth : 57}" height="20" />
        <rect id="revisionRect" fill="${right}" x="${plainWidth}" y="${top}" width="${Math.max(62, row - plainWidth)}" height="20" display="${shown}"/>
    </g>
    <g transform="translate(5 ${top + 3}) scale(.4375)">
        <rect width="32" height="32" rx="8" fill="#0b7285"/>
        <path d="M16 5v22M7 12h18M9 24c4 3 10 3 14 0" stroke="#fff" stroke-width="2.6" stroke-linecap="round" fill="none"/>
        <circle cx="16" cy="6.5" r="2.2" fill="#fff"/>
    </g>
    <g fill="#fff" text-anchor="middle" font-family="DejaVu Sans, sans-serif" font-size="90">
        <text id="titleText" x="100" y="130" transform="scale(.1)" text-anchor="start" letter-spacing="-2">${escaped(title ?? '')}</text>
        <text id="leftText" x="475" y="${base}" transform="scale(.1)" text-anchor="middle" letter-spacing="-2">${escaped(badge.health)}</text>
        <text id="rightText" x="1035" y="${base}" transform="scale(.1)" text-anchor="middle" letter-spacing="-2">${escaped(badge.sync)}</text>
        <text id="revisionText" x="${Math.round(revisionX)}" y="${base}" font-family="monospace" transform="scale(.1)" font-size="100" letter-spacing="2" display="${shown}">${revision === undefined ? '' : `(${escaped(revision)})`}</text>
    </g>
</svg>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
