import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  /** In pixels, the same for every row. */
  readonly rowHeight: number;
  readonly rowsShown: number;
  readonly row: (index: number) => ComponentChildren;
  readonly class?: string;
  /** A row to bring into view. */
  readonly shown?: number | undefined;
}

/** Rows of which only those in view are in the document, so that ten thousand are as quick as ten. */
export function VirtualList(props: VirtualListProps) {
  const { label, count, rowHeight, rowsShown, row, shown } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => {
    if (shown !== undefined) scroller.current?.scrollTo({ top: shown * rowHeight });
  }, [shown, rowHeight]);
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight) - SPARE, count - rowsShown));
  const last = Math.min(count, first + rowsShown + 2 * SPARE);
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  return (
    <div
      class={`scroller ${props.class ?? ""}`}
      ref={scroller}
      role="region"
      tabIndex={0}
      aria-label={label}
      style={{ maxHeight: `${rowsShown * rowHeight}px` }}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <div role="list" class="rows" style={{ height: `${count * rowHeight}px` }}>
        {indexes.map((index) => (
          <div
            role="listitem"
            key={index}
            aria-setsize={count}
            aria-posinset={index + 1}
            class="row"
            style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

const SPARE = 8;
