import { kindIcon, kindLetters, kindStrokes } from '../../objects/kind-icons.ts';

/** A small picture of a kind of objects, for eyes alone: its name stands beside it. */
export function KindIcon({ group, kind, size = 16 }: { group?: string | undefined; kind: string; size?: number }) {
  const name = kindIcon(group, kind);
  return (
    <svg
      className="kind-icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      data-icon={name ?? kindLetters(kind)}
      aria-hidden="true"
      focusable="false"
    >
      {name ? (
        <path d={kindStrokes[name]} />
      ) : (
        <>
          <rect x={2.5} y={2.5} width={19} height={19} rx={4} />
          <text x={12} y={12}>
            {kindLetters(kind)}
          </text>
        </>
      )}
    </svg>
  );
}

/** A kind by its picture and its name, which stay on one line. */
export function KindName({ group, kind }: { group?: string | undefined; kind: string }) {
  return (
    <span className="kind-name">
      <KindIcon group={group} kind={kind} /> {kind}
    </span>
  );
}
